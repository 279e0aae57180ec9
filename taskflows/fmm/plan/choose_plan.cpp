// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/plan/choose_plan.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/plan/rates.hpp"

namespace asterism::fmm {

ChosenPlan choose_plan(const PlanRequest& request, Options& options,
                       const std::function<std::vector<UnitRates>(Pairs)>& measure) {
  const bool apart = options.sources && !rank_group().distributed();
  const Pairs pairs = apart ? Pairs::one_way : Pairs::mutual;
  const std::optional<UnitCounts>& units = request.units;
  KnownRates known = known_rates();
  std::optional<std::vector<UnitRates>> rates;
  if (units) rates = kept_rates(known, request.problem, *units, pairs);
  if (units && request.direct && request.tree != TreeKind::adaptive) {
    const auto count = static_cast<double>(request.particles.size());
    const auto sources = static_cast<double>(options.sources.value_or(0));
    const auto of_all = apart ? std::optional(sources * (count - sources)) : std::nullopt;
    const double measuring = rates ? 0 : measuring_estimate(request.problem, units->cpus);
    if (auto direct =
            plan_direct_sum(options.shape, count, request.evaluations, std::max(1, units->cpus), measuring, of_all)) {
      if (!request.open) direct->cpus = std::nullopt;
      if (!request.open || request.keep_gpus) direct->gpus = std::nullopt;
      return {*direct, {}};
    }
  }
  if (!rates) {
    rates = measure(pairs);
    if (!simulated) keep_rates(known, request.problem, *rates);
  }
  ChosenPlan chosen;
  chosen.rates = rates_of_all(apart ? rates_apart(*rates) : *rates);
  options.pair_seconds = pair_seconds(chosen.rates);
  const Box box = options.box ? *options.box : box_around(extent(request.particles, options.ranks));
  // a simulated GPU does not have to be started, and one that was asked for is
  const double to_pay_for_start = simulated || request.keep_gpus ? INFINITY : request.evaluations;
  TreeChoice trees(request.tree, options.shape, request.particles, box, options.ranks,
                   apart ? options.sources : std::nullopt, request.vectors);
  const auto start = [&] {
    return std::max(least_start_of_gpus,
                    start_of_gpus(units ? units->gpus : 0, known, request.measure_start).value_or(0));
  };
  chosen.plan = make_plan([&](const std::vector<UnitRates>& kinds) { return trees.best(kinds); }, chosen.rates,
                          to_pay_for_start, request.open, start);
  return chosen;
}

}  // namespace asterism::fmm
