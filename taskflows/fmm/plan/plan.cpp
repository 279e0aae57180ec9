// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runtime/machine/simulated_machine.hpp"
#include "runtime/machine/unit_choice.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {
namespace {

/// Unordered pairs per second of a core, at least; most compute several times as many.
constexpr double slowest_core = 4e8;
/// All pairs are summed where that takes at most this long by that rate.
constexpr double short_sum = 0.2;
/// Seconds of a core for the operators, per direction and sixth power of the nodes per axis.
constexpr double operator_seconds = 2.4e-7;
/// Seconds of the sessions and evaluations that measure rates.
constexpr double rates_seconds = 0.5;
/// Up to so many pairs one core is as fast as any number of them, in seconds by that rate.
constexpr double one_core_sum = 5e-3;
/// Where GPUs take longer than so many seconds for all evaluations they are started: no tree for cores is looked for.
constexpr double longest_on_gpus = 0.2;
/// Cores share all work with GPUs where the ideal division of the work saves at least this share of the time: groups
/// that suit both are smaller than what GPUs need.
constexpr double least_gain_of_sharing = 0.3;
/// Else they compute pieces of the near field where that saves at least this share.
constexpr double least_gain_of_pieces = 0.01;

bool given(const char* variable) {
  return std::getenv(variable) != nullptr;
}

std::string name_of(const UnitRates& kind, bool gpu) {
  return fmt::format("{} {}{}", kind.units, gpu ? "GPU" : "core", kind.units == 1 ? "" : "s");
}

/// The members of UnitRates and their names.
struct Member {
  const char* name;
  double UnitRates::*rate;
};
constexpr Member members[] = {{"near pair", &UnitRates::near_pair},
                              {"far pair", &UnitRates::far_pair},
                              {"particle", &UnitRates::particle},
                              {"cell", &UnitRates::cell},
                              {"near pair one way", &UnitRates::one_way_pair}};

std::string rate_name(const Problem& problem, bool gpu, const Member& member) {
  const Accuracy& accuracy = problem.accuracy;
  return fmt::format("fmm/{}/order {} radius {} epsilon {}/{}/seconds per {}", problem.interaction.name,
                     accuracy.basis.order, accuracy.basis.radius_squared, accuracy.epsilon, gpu ? "GPU" : "core",
                     member.name);
}

/// A rate of 0 says that a unit does not run the operator.
constexpr double not_run = 0;

}  // namespace

std::optional<UnitCounts> expected_units(const SessionOptions& options) {
  if (simulated || rank_group().distributed()) return std::nullopt;
  UnitCounts units;
  units.gpus = options.gpus.value_or(visible_gpus());
  if (options.cpus)
    units.cpus = *options.cpus;
  else if (const char* count = std::getenv("STARPU_NCPU"); count != nullptr)
    units.cpus = std::atoi(count);
  else if (given("STARPU_NCPUS") || given("STARPU_RESERVE_NCPU") || given("STARPU_WORKERS_CPUID"))
    return std::nullopt;
  else
    units.cpus = std::max(units.gpus > 0 ? 0 : 1, rated_machine().cores - (units.gpus > 0 ? units.gpus + 1 : 0));
  return units;
}

bool units_are_open(const SessionOptions& options) {
  return !options.cpus && !options.scheduler && !given("STARPU_SCHED") && !given("STARPU_NCPU") &&
         !given("STARPU_NCPUS") && !given("STARPU_WORKERS_CPUID");
}

double measuring_estimate(const Problem& problem, int cores) {
  constexpr double primitive_directions = 16;
  const double nodes = interpolation_nodes(problem.accuracy.basis);
  return rates_seconds + primitive_directions * std::pow(nodes, 6) * operator_seconds / std::max(1, cores);
}

bool gpus_are_asked_for(const SessionOptions& options) {
  return options.gpus.value_or(given("STARPU_NCUDA") ? visible_gpus() : 0) > 0;
}

std::optional<Plan> plan_direct_sum(const TreeShape& wanted, double particles, double evaluations, int cores,
                                    double measuring, std::optional<double> pairs) {
  if (wanted.height > 0 || wanted.adaptive()) return std::nullopt;
  const double one_core = evaluations * pairs.value_or(particles * particles / 2) / slowest_core;
  constexpr double leaves = 8;  // of a tree of two levels, all next to each other
  const double all_cores = one_core / std::min<double>(leaves, cores);
  if (all_cores > std::max(short_sum, measuring)) return std::nullopt;
  Plan plan;
  plan.shape = wanted;
  plan.gpus = 0;
  plan.shape.height = one_core > one_core_sum ? 2 : 1;
  if (plan.shape.group_size == 0) plan.shape.group_size = 1;
  if (plan.shape.height == 1) plan.cpus = 1;
  plan.reason = fmt::format("{:.0f} particles: all pairs are summed, on {}", particles,
                            plan.shape.height == 1 ? "one core" : "cores");
  return plan;
}

Plan make_plan(const std::function<ChosenTree(const std::vector<UnitRates>& kinds)>& best_tree,
               const std::vector<UnitRates>& rates, double evaluations, bool open,
               const std::function<double()>& start) {
  const ChosenTree of_all = best_tree(rates);
  const Plan all{of_all.shape, {}, {}, {}, {}, of_all.seconds};
  if (!open || rates.size() < 2 || rates[0].units == 0 || rates[1].units == 0) return all;
  const ChosenTree of_gpus = best_tree({rates[1]});
  const std::string cores = name_of(rates[0], false);
  const std::string gpus = name_of(rates[1], true);
  if (of_gpus.seconds * evaluations < longest_on_gpus) {
    const ChosenTree of_cores = best_tree({rates[0]});
    const double saved = (of_cores.seconds - of_gpus.seconds) * evaluations;
    if (const double to_start = saved < longest_start ? start() : 0; saved < to_start)
      return {of_cores.shape,
              {},
              {},
              0,
              fmt::format("{}; {} would save {:.2f} s and take {:.2g} s to start", cores, gpus, std::max(0.0, saved),
                          to_start),
              of_cores.seconds};
  }
  if (of_gpus.seconds * (1 - least_gain_of_sharing) >= of_all.seconds) return all;
  const Relief relief = relief_by_cores(of_gpus, rates[0], rates[1]);
  if (relief.seconds <= of_gpus.seconds * (1 - least_gain_of_pieces))
    return {of_gpus.shape,
            relief.pieces,
            {},
            {},
            fmt::format("{}; {} take {:.1f} % of the near field ({:.4g} instead of {:.4g} s per evaluation)", gpus,
                        cores, 100 * relief.pieces.share, relief.seconds, of_gpus.seconds),
            relief.seconds};
  return {of_gpus.shape,
          {},
          0,
          {},
          fmt::format("{}; {} would bring at most {:.1f} % ({:.4g} against {:.4g} s per evaluation)", gpus, cores,
                      100 * (1 - of_all.seconds / of_gpus.seconds), of_all.seconds, of_gpus.seconds),
          of_gpus.seconds};
}

std::optional<std::vector<UnitRates>> kept_rates(const KnownRates& known, const Problem& problem,
                                                 const UnitCounts& units, Pairs pairs) {
  std::vector<UnitRates> rates;
  for (const bool gpu : {false, true}) {
    UnitRates kind;
    kind.units = gpu ? units.gpus : units.cpus;
    kind.gpu = gpu;
    if (kind.units == 0) continue;
    for (const Member& member : members) {
      const auto rate = known.find(rate_name(problem, gpu, member));
      if (!rate && member.rate == &UnitRates::one_way_pair && pairs == Pairs::mutual) continue;
      if (!rate) return std::nullopt;
      kind.*member.rate = *rate == not_run ? INFINITY : *rate;
    }
    rates.push_back(kind);
  }
  return rates;
}

void keep_rates(KnownRates& known, const Problem& problem, std::vector<UnitRates>& rates) {
  for (UnitRates& kind : rates)
    for (const Member& member : members) {
      double& rate = kind.*member.rate;
      if (member.rate == &UnitRates::one_way_pair && rate == 0) continue;
      const bool run = std::isfinite(rate);
      const double kept = known.keep(rate_name(problem, kind.gpu, member), run ? rate : not_run);
      if (run) rate = kept;
    }
}

}  // namespace asterism::fmm
