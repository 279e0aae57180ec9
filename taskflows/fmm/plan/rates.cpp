// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/plan/rates.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "codelets/fmm/codelets.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/flow.hpp"
#include "taskflows/fmm/particles/generate.hpp"

namespace asterism::fmm {
namespace {

/// For a CPU some 10 ms of each operator; for a GPU so much that starting and ending does not count, unless its
/// durations are those of a model.
constexpr std::size_t cpu_particles = 20000;
const std::size_t gpu_particles = simulated ? 400000 : 2000000;
constexpr int cpu_height = 4;
const int gpu_height = simulated ? 5 : 6;

/// Seconds of the operators of one evaluation on one unit; infinite for those that it does not run.
struct OperatorSeconds {
  double p2p = 0, m2l = 0;
  double particles = 0;  ///< P2M and L2P
  double cells = 0;      ///< M2M and L2L
};

/// Runs one evaluation operator after operator, all on one unit.
OperatorSeconds time_operators(Simulation& simulation, int worker) {
  Flow flow(simulation, worker);
  const int leaf = simulation.tree().leaf_level();
  const auto timed = [](const auto& submit_all) {
    const auto begin = Clock::now();
    submit_all();
    starpu_task_wait_for_all();
    return seconds_since(begin);
  };
  OperatorSeconds t;
  t.p2p = timed([&] { flow.submit_p2p(); });
  t.particles = timed([&] { flow.submit_p2m(); });
  t.cells = timed([&] {
    for (int l = leaf; l > Tree::first_far_level; --l) flow.submit_m2m(l);
  });
  t.m2l = timed([&] {
    for (int l = Tree::first_far_level; l <= leaf; ++l) flow.submit_m2l(l);
  });
  t.cells += timed([&] {
    for (int l = Tree::first_far_level + 1; l <= leaf; ++l) flow.submit_l2l(l);
  });
  t.particles += timed([&] { flow.submit_l2p(); });
  // what the unit does not run was done elsewhere
  if (!flow.on_worker(codelets::p2m) || !flow.on_worker(codelets::l2p)) t.particles = INFINITY;
  if (!flow.on_worker(codelets::m2m) || !flow.on_worker(codelets::l2l)) t.cells = INFINITY;
  if (!flow.on_worker(codelets::m2l)) t.m2l = INFINITY;
  return t;
}

UnitRates rates_of(int worker, int units, const Problem& problem, std::size_t particles, int height) {
  Options options;
  options.shape = {height, 4096};
  Simulation simulation(problem, options, cube(particles, 1, Charges::random_signs));
  time_operators(simulation, worker);  // data come to the unit, clocks rise
  OperatorSeconds t = time_operators(simulation, worker);
  const OperatorSeconds again = time_operators(simulation, worker);
  for (double OperatorSeconds::*const of :
       {&OperatorSeconds::p2p, &OperatorSeconds::m2l, &OperatorSeconds::particles, &OperatorSeconds::cells})
    t.*of = std::min(t.*of, again.*of);
  const WorkSummary work = simulation.work();
  double cells = 0;
  for (int l = Tree::first_far_level + 1; l < height; ++l)
    cells += static_cast<double>(simulation.tree().level(l).key.size());
  UnitRates r;
  r.units = units;
  r.gpu = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
  r.near_pair = t.p2p / static_cast<double>(std::max<std::int64_t>(1, work.near_pairs));
  r.far_pair = t.m2l / static_cast<double>(std::max<std::int64_t>(1, work.far_pairs));
  r.particle = t.particles / static_cast<double>(particles);
  r.cell = t.cells / std::max(1.0, cells);
  return r;
}

/// Seconds of the near field, the shortest of some passes.
double shortest_near_field(Flow& flow, int passes) {
  double least = INFINITY;
  for (int pass = 0; pass < passes; ++pass) {
    const auto begin = Clock::now();
    flow.submit_p2p();
    starpu_task_wait_for_all();
    least = std::min(least, seconds_since(begin));
  }
  return least;
}

/// Seconds of a unit per near pair one way: half of the particles act on the others.
double one_way_pair_of(int worker, const Problem& problem, std::size_t particles, int height) {
  constexpr int passes = 6;
  Options options;
  options.shape = {height, 4096};
  options.sources = particles / 2;
  Simulation simulation(problem, options, cube(particles, 1, Charges::random_signs));
  Flow flow(simulation, worker);
  return shortest_near_field(flow, passes) /
         static_cast<double>(std::max<std::int64_t>(1, simulation.work().near_pairs));
}

/// Seconds of a core per near pair while all cores compute: clocks are lower than for one alone, and two cores may be
/// one with two threads.
double near_pair_of_busy_core(int cores, const Problem& problem) {
  constexpr std::size_t particles = 160000;
  constexpr int height = 5;
  constexpr int pieces_per_core = 4;
  constexpr int passes = 3;
  Options options;
  options.shape = {height, 4096};
  options.pieces = {1, pieces_per_core * cores};
  Simulation simulation(problem, options, cube(particles, 1, Charges::random_signs));
  Flow flow(simulation);
  return shortest_near_field(flow, passes) * cores / static_cast<double>(simulation.work().near_pairs);
}

}  // namespace

std::vector<UnitRates> measure_rates(const Session& session, const Problem& problem, Pairs pairs) {
  std::vector<UnitRates> rates;
  for (const bool gpu : {false, true}) {
    const auto unit =
        std::find_if(session.units().begin(), session.units().end(), [&](const Unit& u) { return u.gpu == gpu; });
    if (unit == session.units().end()) continue;
    const std::size_t particles = gpu ? gpu_particles : cpu_particles;
    const int height = gpu ? gpu_height : cpu_height;
    rates.push_back(rates_of(unit->worker, gpu ? session.devices() : session.cpus(), problem, particles, height));
    UnitRates& kind = rates.back();
    const double alone = kind.near_pair;
    if (!gpu && kind.units > 1 && !simulated)
      kind.near_pair = std::max(alone, near_pair_of_busy_core(kind.units, problem));
    if (pairs == Pairs::one_way)
      // beside GPUs, cores get a share of the near field by this rate: that of busy ones
      kind.one_way_pair = one_way_pair_of(unit->worker, problem, particles, height) *
                          (session.devices() > 0 ? kind.near_pair / alone : 1);
  }
  return rates;
}

std::vector<UnitRates> rates_of_all(const std::vector<UnitRates>& mine) {
  struct Kinds {
    std::size_t count = 0;
    std::array<UnitRates, 2> rates{};
  };
  Kinds kinds{mine.size(), {}};
  std::copy(mine.begin(), mine.end(), kinds.rates.begin());
  const std::vector<Kinds> all = rank_group().all_gather(kinds);
  std::vector<UnitRates> sum(all.front().count);
  double ranks = 0;
  for (const Kinds& of_rank : all) {
    if (of_rank.count != sum.size()) continue;
    ++ranks;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k].units += of_rank.rates[k].units;
      sum[k].one_way_pair = of_rank.rates[k].one_way_pair;
      for (double UnitRates::*const rate :
           {&UnitRates::near_pair, &UnitRates::far_pair, &UnitRates::particle, &UnitRates::cell})
        sum[k].*rate += of_rank.rates[k].*rate;
    }
  }
  for (UnitRates& kind : sum)
    for (double UnitRates::*const rate :
         {&UnitRates::near_pair, &UnitRates::far_pair, &UnitRates::particle, &UnitRates::cell})
      kind.*rate /= ranks;
  return sum;
}

PairCosts pair_seconds(const std::vector<UnitRates>& rates) {
  double near_per_second = 0;
  double far_per_second = 0;
  for (const UnitRates& kind : rates) {
    near_per_second += kind.units / kind.near_pair;
    far_per_second += kind.units / kind.far_pair;
  }
  return {1 / near_per_second, 1 / far_per_second};
}

}  // namespace asterism::fmm
