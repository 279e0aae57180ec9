// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/balance.hpp"

#include <fmt/ranges.h>
#include <starpu.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "base/fingerprint.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/busy_time.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::fdtd {
namespace {

/// Cells of a unit in a measurement: as in the problem, within these.
constexpr double fewest_cells = 32.0 * 32 * 32;
constexpr double most_cells_of_core = 128.0 * 128 * 128;
constexpr double most_cells_of_gpu = 384.0 * 384 * 384;
constexpr long warm_up = 4;
constexpr long sample_steps = 16;
/// Cells of the largest domain that is measured for a choice of units: beyond the caches.
constexpr double largest_sample = 1 << 23;
/// Cells for each of some cores up to which more cores may be slower: some tenths of a millisecond of a core.
constexpr double small_per_core = 1 << 17;
/// A cut is moved when that is to save more than this share of a step.
constexpr double worth_moving = 0.02;

/// So that a sample takes the kernels that the problem takes.
void grade(Problem& sample, const Problem& like) {
  for (int i = 0; i <= sample.cells[0] && like.mesh.graded(); ++i) sample.mesh.planes[0].push_back(i);
}

double cells_of_sample(const Problem& problem, bool gpus, int units) {
  const double most = gpus ? most_cells_of_gpu : most_cells_of_core;
  return std::clamp(cells_of(problem) / units, fewest_cells, most);
}

/// Steps of a small domain like this one, in strips.
struct Measured {
  double cells_per_second = 0;      ///< by the clock
  std::vector<double> of_each_gpu;  ///< by how long each was busy
};
Measured measure(const Problem& like, const Session& session, bool gpus, int units,
                 const std::vector<double>& gpu_weights) {
  const int side = static_cast<int>(std::lround(std::cbrt(cells_of_sample(like, gpus, units))));
  Problem sample;
  sample.cells = {side * units, side, side};
  sample.spacing = like.spacing;
  sample.dt = like.dt;
  sample.precision = like.precision;
  sample.materials = {{}};
  if (!like.material.empty()) sample.material.assign(static_cast<std::size_t>(cells_of(sample)), 0);
  grade(sample, like);
  const Division division = strips(sample, session, gpus ? 1 : 0, 1, gpu_weights);
  Simulation simulation(sample, division.bricks, division.placement, best_overlap(sample, division));
  simulation.advance(warm_up);
  starpu_task_wait_for_all();
  BusyTime busy(session);
  const auto begin = Clock::now();
  simulation.advance(sample_steps);
  starpu_task_wait_for_all();
  const double seconds = seconds_since(begin);
  Measured measured{static_cast<double>(sample_steps) * cells_of(sample) / seconds, {}};
  const BusyTime::Seconds each = busy.since_last();
  for (std::size_t g = 0; gpus && g < each.of_gpus.size(); ++g)
    measured.of_each_gpu.push_back(division.bricks[g].size(0) / each.of_gpus[g]);
  return measured;
}

/// Each model once: "NVIDIA H200", or "NVIDIA Tesla K40c, NVIDIA GeForce GTX 760".
std::string names_of_gpus(const Session& session) {
  std::vector<std::string> names = session.gpu_models();
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Units, precision, media, and the power of two next to the cells of a unit.
std::string name_of_rate(const Problem& problem, const Session& session, bool gpus, int units) {
  return fmt::format("{}/2^{} cells each/{}", kind_of(problem),
                     std::lround(std::log2(cells_of_sample(problem, gpus, units))),
                     gpus ? fmt::format("{} x {}", units, names_of_gpus(session)) : fmt::format("{} cores", units));
}

double rate_of(const Problem& problem, const Session& session, bool gpus, int units, KnownRates& known,
               const std::vector<double>& gpu_weights) {
  return known.find_or_measure(name_of_rate(problem, session, gpus, units),
                               [&] { return measure(problem, session, gpus, units, gpu_weights).cells_per_second; });
}

/// A domain of the same shape and media with at most `largest_sample` cells.
Problem sample_of(const Problem& like) {
  Problem sample;
  sample.cells = shrunk(like.cells, largest_sample);
  sample.spacing = like.spacing;
  sample.dt = like.dt;
  sample.face = like.face;
  sample.precision = like.precision;
  sample.materials = {{}};
  if (!like.material.empty()) sample.material.assign(static_cast<std::size_t>(cells_of(sample)), 0);
  grade(sample, like);
  return sample;
}

/// Cells per second, with the domain cut as that of a run would be.
double step_rate(const DivisionOptions& options, const Problem& like, const Session& session, double gpu_share) {
  const Problem sample = sample_of(like);
  const Division division = divide(options, sample, session, gpu_share, {});
  Simulation simulation(sample, division.bricks, division.placement, division.overlap, division.exchange);
  return cells_of(sample) * median_step_rate([&](long steps) {
           simulation.advance(steps);
           starpu_task_wait_for_all();
         });
}

}  // namespace

std::string kind_of(const Problem& problem) {
  return fmt::format("fdtd/{}/{}{}", name_of(problem.precision), problem.material.empty() ? "vacuum" : "materials",
                     problem.mesh.graded() ? " graded" : "");
}

std::vector<double> gpu_weights_of(const Problem& problem, const Session& session, KnownRates& known) {
  const std::vector<std::string> models = session.gpu_models();
  if (std::adjacent_find(models.begin(), models.end(), std::not_equal_to<>()) == models.end()) return {};
  const std::string name = name_of_rate(problem, session, true, session.devices());
  const auto name_of_one = [&](std::size_t gpu) { return fmt::format("{}/weight of GPU {}", name, gpu); };
  std::vector<double> weights;
  for (std::size_t g = 0; g < models.size(); ++g)
    if (const auto weight = known.find(name_of_one(g))) weights.push_back(*weight);
  if (weights.size() == models.size()) return weights;
  weights = measure(problem, session, true, session.devices(), {}).of_each_gpu;
  for (std::size_t g = 0; g < weights.size(); ++g) weights[g] = known.keep(name_of_one(g), weights[g]);
  return weights;
}

Rates rates_of(const Problem& problem, const Session& session, KnownRates& known,
               const std::vector<double>& gpu_weights) {
  Rates rates;
  if (session.cpus() > 0) rates.cpus = rate_of(problem, session, false, session.cpus(), known, {});
  if (session.devices() > 0) rates.gpus = rate_of(problem, session, true, session.devices(), known, gpu_weights);
  return rates;
}

namespace {

/// Most GPUs of a process.
constexpr std::size_t most_gpus = 64;

/// Units of a rank, as it describes them to the others.
struct RankUnits {
  int gpus;
  int cores;
  std::uint64_t kind;                     ///< of its processor and GPUs
  Rates rates;                            ///< of all its cores, and of all its GPUs; in cells per second, or in units
  std::array<double, most_gpus> weights;  ///< of its GPUs; 0: all the same
};

std::uint64_t kind_of_units(const Session& session) {
  const std::string names = this_machine().processor + names_of_gpus(session);
  return checksum(names.data(), names.size());
}

Rates sum(const std::vector<RankUnits>& ranks) {
  Rates all;
  for (const RankUnits& rank : ranks) {
    all.cpus += rank.rates.cpus;
    all.gpus += rank.rates.gpus;
  }
  return all;
}

/// Every unit as fast as those of its kind are on average.
void even_out(std::vector<RankUnits>& ranks) {
  const Rates all = sum(ranks);
  double gpus = 0;
  double cores = 0;
  for (const RankUnits& rank : ranks) {
    gpus += rank.gpus;
    cores += rank.cores;
  }
  for (RankUnits& rank : ranks)
    rank.rates = {cores > 0 ? all.cpus * rank.cores / cores : 0, gpus > 0 ? all.gpus * rank.gpus / gpus : 0};
}

}  // namespace

RankShares rank_shares(const Problem& problem, const Session& session, Pieces pieces, std::optional<double> gpu_share,
                       KnownRates& known, const std::vector<double>& gpu_weights) {
  const std::vector<double> weights = gpu_weights.empty() ? gpu_weights_of(problem, session, known) : gpu_weights;
  RankUnits mine{session.devices(), session.cpus(), kind_of_units(session), {}, {}};
  std::copy_n(weights.begin(), std::min(weights.size(), mine.weights.size()), mine.weights.begin());
  mine.rates = {static_cast<double>(mine.cores), static_cast<double>(mine.gpus)};
  std::vector<RankUnits> ranks = rank_group().all_gather(mine);
  const auto all_are = [&](const auto& property) { return std::all_of(ranks.begin(), ranks.end(), property); };
  const bool alike = all_are([&](const RankUnits& r) { return r.kind == ranks.front().kind; });
  const bool equal = alike && all_are([&](const RankUnits& r) {
                       return r.gpus == ranks.front().gpus && r.cores == ranks.front().cores;
                     });
  const bool one_kind = all_are([](const RankUnits& r) { return r.gpus == 0; }) ||
                        all_are([](const RankUnits& r) { return r.cores == 0; });
  const bool settled = pieces == Pieces::strips  ? alike && (one_kind || gpu_share)
                       : pieces == Pieces::boxes ? alike
                                                 : equal || (alike && one_kind);
  RankShares shares;
  if (!settled) {
    mine.rates = rates_of(problem, session, known, weights);
    ranks = rank_group().all_gather(mine);
    shares.rates = sum(ranks);
    if (alike) even_out(ranks);
  }
  if (pieces == Pieces::boxes)
    for (RankUnits& rank : ranks)
      if (rank.gpus > 0) rank.rates.cpus = 0;
  const Rates all = sum(ranks);
  const double of_gpus = pieces == Pieces::strips ? gpu_share.value_or(all.gpu_share()) : all.gpu_share();
  if (!(of_gpus >= 0 && of_gpus <= 1)) bad_input("share of GPUs {}: expected 0 to 1", of_gpus);
  if (of_gpus > 0 && all.gpus == 0) bad_input("a part of the domain is for GPUs, of which no rank has one");
  if (of_gpus < 1 && all.cpus == 0) bad_input("a part of the domain is for CPUs, of which no rank has one");
  for (const RankUnits& rank : ranks) {
    RankShare& share = shares.ranks.emplace_back();
    share.gpus = rank.gpus;
    share.cores = rank.cores;
    if (of_gpus > 0) share.of_gpus = of_gpus * rank.rates.gpus / all.gpus;
    if (of_gpus < 1) share.of_cores = (1 - of_gpus) * rank.rates.cpus / all.cpus;
    if (rank.gpus > 0 && rank.weights[0] > 0)
      share.gpu_weights.assign(rank.weights.begin(), rank.weights.begin() + rank.gpus);
  }
  return shares;
}

std::optional<double> better_share(const Problem& problem, double share_now, const Rates& busy, double together,
                                   double gpus_alone) {
  if (gpus_alone > together) return 1;
  const double share = busy.gpu_share();
  if (!(share > 0 && share < 1)) return std::nullopt;
  // the slower kind decides: its part over its rate
  const double slower = std::max(share_now / share, (1 - share_now) / (1 - share));
  const bool worth = slower > 1 + worth_moving && std::abs(share - share_now) * problem.cells[0] >= 1;
  return worth ? std::optional(share) : std::nullopt;
}

std::optional<StepWork> step_work_of(const DivisionOptions& options, const Problem& problem) {
  if (options.gpu_share || options.scheduler_places || options.boxes || options.overlap || options.bricks_per_gpu > 0 ||
      !options.gpu_weights.empty())
    return std::nullopt;
  StepWork work = grid_work(kind_of(problem), problem.cells, problem.cells[0], largest_sample, small_per_core);
  work.rate = [&options, &problem](const Session& session, double share) {
    return step_rate(options, problem, session, share);
  };
  return work;
}

std::string cores_share_name(const Problem& problem, const Session& session) {
  return fmt::format("{}/2^{} cells/share of {} cores beside {} GPUs", kind_of(problem),
                     std::lround(std::log2(cells_of(problem))), session.cpus(), session.devices());
}

GpuShare gpu_share_of(const DivisionOptions& options, const Problem& problem, const Session& session,
                      const std::optional<double>& chosen, KnownRates& known, const std::vector<double>& gpu_weights,
                      const std::function<void()>& measuring) {
  if (session.devices() == 0) return {options.gpu_share.value_or(0), {}};
  if (session.cpus() == 0) return {options.gpu_share.value_or(1), {}};
  if (options.gpu_share) return {*options.gpu_share, {}};
  if (options.boxes) return {1, {}};
  if (const auto cores = known.find(cores_share_name(problem, session))) return {1 - *cores, {}};
  if (chosen) return {*chosen, {}};
  measuring();
  const Rates rates = rates_of(problem, session, known, gpu_weights);
  return {rates.gpu_share(), rates};
}

}  // namespace asterism::fdtd
