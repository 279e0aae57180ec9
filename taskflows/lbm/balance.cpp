// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/balance.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include "runtime/clock.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::lbm {
namespace {

/// Bricks of a measurement: beyond the caches, little against the real ones.
constexpr std::array<int, 3> gpu_sample{256, 256, 128};
constexpr std::array<int, 3> core_sample{128, 32, 64};
constexpr long warm_up = 2;
constexpr long sample_steps = 20;

double rate_of(const Problem& like, const Session& session, bool gpus, int units) {
  Problem sample;
  const std::array<int, 3>& n = gpus ? gpu_sample : core_sample;
  sample.cells = {n[0], n[1] * units, n[2]};
  sample.collision = like.collision;
  sample.precision = like.precision;
  sample.initial = [](int, int, int) { return Flow{}; };
  const Cut cut = gpus ? Cut{{1, units, 1}, 1, 1} : Cut{{1, 1, 1}, 0, units};
  const std::vector<BrickPlace> bricks = decompose(sample, cut);
  Simulation simulation(sample, bricks, place(bricks, session));
  simulation.initialise();
  simulation.advance(warm_up);
  starpu_task_wait_for_all();
  const auto begin = Clock::now();
  simulation.advance(sample_steps);
  starpu_task_wait_for_all();
  const double seconds = seconds_since(begin);
  return static_cast<double>(sample_steps) * static_cast<double>(simulation.fluid_cells()) / seconds;
}

}  // namespace

Rates measure_rates(const Problem& problem, const Session& session, const std::string& kind, KnownRates& known) {
  const auto rate = [&](bool gpus, int units) {
    const auto measure = [&] { return rate_of(problem, session, gpus, units); };
    if (rank_group().distributed()) return measure();
    return known.find_or_measure(fmt::format("{}/{} {} by itself", kind, units, gpus ? "GPUs" : "cores"), measure);
  };
  Rates rates;
  if (session.cpus() > 0) rates.cpus = rate(false, session.cpus());
  if (session.devices() > 0) rates.gpus = rate(true, session.devices());
  return rates;
}

}  // namespace asterism::lbm
