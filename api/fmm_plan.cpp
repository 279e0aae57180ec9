// SPDX-License-Identifier: Apache-2.0
#include "api/fmm_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/fmm/plan/plan.hpp"
#include "taskflows/fmm/plan/rates.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/targets/nearness.hpp"
#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/tree/tree_choice.hpp"

namespace asterism::v0::fmm {
namespace {

namespace house = asterism::fmm;

constexpr int default_streams = 2;

bool given(const char* variable) {
  return std::getenv(variable) != nullptr;
}

template <class Kernel>
house::Interaction softened(const Kernel& kernel, double softening) {
  if (softening == 0) return house::interaction(kernel);
  return house::interaction(house::Softened<Kernel>{{kernel, softening * softening}});
}

house::TreeKind kind_of(const Options& options) {
  return options.tree == Tree::uniform    ? house::TreeKind::uniform
         : options.tree == Tree::adaptive ? house::TreeKind::adaptive
                                          : house::TreeKind::automatic;
}

/// Some of the points, in the same memory, for what reads them alone.
house::Particles part_of(const house::Particles& points, std::size_t first, std::size_t n) {
  house::Particles part;
  for (Array<double> house::Particles::*const values :
       {&house::Particles::x, &house::Particles::y, &house::Particles::z, &house::Particles::charge})
    part.*values = Array<double>::borrowed(const_cast<double*>((points.*values).data()) + first, n);
  return part;
}

/// Units and rates, as the plan needs them.
struct Machine {
  std::optional<house::UnitCounts> units;
  bool open = false;  ///< units may be left out
};

Machine machine_of(const Session::State& session, const asterism::SessionOptions& options) {
  if (const asterism::Session* const running = session.running())
    return {house::UnitCounts{running->cpus(), running->devices()}, false};
  return {house::expected_units(options), house::units_are_open(options)};
}

std::vector<house::UnitRates> rates_of(Session::State& session, const asterism::SessionOptions& options,
                                       const house::Problem& problem, const Machine& machine, house::Pairs pairs) {
  KnownRates known = known_rates();
  if (machine.units)
    if (auto kept = house::kept_rates(known, problem, *machine.units, pairs)) return *kept;
  const bool runs = session.running() != nullptr;
  std::vector<house::UnitRates> rates = house::measure_rates(session.start(options), problem, pairs);
  house::keep_rates(known, problem, rates);
  if (!runs) session.stop();
  return rates;
}

house::Plan make_plan(Session::State& session, const Options& chosen, const house::Problem& problem,
                      const house::Particles& points, const asterism::SessionOptions& session_options,
                      house::Options& options) {
  const Machine machine = machine_of(session, session_options);
  const bool apart = options.sources.has_value();
  const house::Pairs pairs = apart ? house::Pairs::one_way : house::Pairs::mutual;
  const house::TreeKind kind = kind_of(chosen);
  if (machine.units && kind != house::TreeKind::adaptive) {
    KnownRates known = known_rates();
    const auto n = static_cast<double>(points.size());
    const auto sources = static_cast<double>(options.sources.value_or(0));
    const double measuring = house::kept_rates(known, problem, *machine.units, pairs)
                                 ? 0
                                 : house::measuring_estimate(problem, machine.units->cpus);
    const auto direct =
        house::plan_direct_sum(options.shape, n, chosen.evaluations, std::max(1, machine.units->cpus), measuring,
                               apart ? std::optional(sources * (n - sources)) : std::nullopt);
    if (direct) return *direct;
  }
  std::vector<house::UnitRates> rates = rates_of(session, session_options, problem, machine, pairs);
  if (apart) rates = house::rates_apart(rates);
  options.pair_seconds = house::pair_seconds(rates);
  const house::Box box = house::box_around(house::extent(points, Ranks::one));
  const double evaluations = house::gpus_are_asked_for(session_options) ? INFINITY : chosen.evaluations;
  house::TreeChoice trees(kind, options.shape, points, box, Ranks::one, options.sources);
  return house::make_plan([&](const std::vector<house::UnitRates>& kinds) { return trees.best(kinds); }, rates,
                          evaluations, machine.open);
}

}  // namespace

void require_options(const Options& o) {
  if (o.accuracy < house::lowest_accuracy || o.accuracy > house::highest_accuracy)
    bad_input("accuracy {}: expected {} to {}", o.accuracy, house::lowest_accuracy, house::highest_accuracy);
  if (!std::isfinite(o.kappa) || o.kappa < 0) bad_input("kappa {}: expected 0 or more", o.kappa);
  if (!std::isfinite(o.softening) || o.softening < 0) bad_input("softening {}: expected 0 or more", o.softening);
  if (!std::isfinite(o.coupling)) bad_input("coupling {}: expected a finite number", o.coupling);
  if (o.height && (*o.height < 1 || *o.height > house::max_height))
    bad_input("height {}: expected 1 to {}", *o.height, house::max_height);
  if (o.group_size && (*o.group_size < 1 || *o.group_size >= 1 << 23))
    bad_input("group_size {}: expected 1 to {}", *o.group_size, (1 << 23) - 1);
  if (o.leaf_size && *o.leaf_size < 1) bad_input("leaf_size {}: expected at least 1", *o.leaf_size);
  if (o.leaf_size && o.tree == Tree::uniform)
    bad_input("leaf_size {}: expected an adaptive or automatic tree", *o.leaf_size);
  if (o.evaluations < 1) bad_input("evaluations {}: expected at least 1", o.evaluations);
}

house::Problem problem_of(const Options& o, const house::Particles& points, std::optional<std::size_t> sources) {
  house::Problem problem;
  problem.interaction = o.kernel == Kernel::inverse_square ? softened(house::InverseSquare{}, o.softening)
                        : o.kernel == Kernel::yukawa       ? softened(house::Yukawa{o.kappa}, o.softening)
                                                           : softened(house::Laplace{}, o.softening);
  problem.interaction.coupling = o.coupling;
  int setting = o.accuracy;
  if (sources)
    setting = house::setting_for_targets(
        o.accuracy,
        house::share_near_sources(part_of(points, 0, *sources), part_of(points, *sources, points.size() - *sources)));
  problem.accuracy = o.softening > 0 ? house::softened_accuracy(setting) : house::accuracy(setting);
  return problem;
}

void choose_tree(Session::State& session, const Options& chosen, const house::Problem& problem,
                 const house::Particles& points, house::Options& options) {
  house::TreeShape& shape = options.shape;
  shape.height = chosen.height.value_or(0);
  shape.group_size = chosen.group_size.value_or(0);
  shape.leaf_size = chosen.leaf_size.value_or(0);
  asterism::SessionOptions suited = session.wanted();
  if (!suited.streams && !given("STARPU_NWORKER_PER_CUDA") && uses_gpus(suited)) suited.streams = default_streams;
  if (house::needs_rates(kind_of(chosen), shape)) {
    const house::Plan plan = make_plan(session, chosen, problem, points, suited, options);
    shape = plan.shape;
    options.pieces = plan.pieces;
    suited.resting_cores = plan.pieces.count > 0;
    // GPUs alone, or cores alone; not fewer cores, as the session outlives this evaluator
    if (plan.cpus == 0) suited.cpus = 0;
    if (plan.gpus && machine_of(session, suited).open && !house::gpus_are_asked_for(suited)) suited.gpus = plan.gpus;
  }
  if (!suited.scheduler && !given("STARPU_SCHED")) suited.scheduler = "hprio";
  const house::TableFor units = !uses_gpus(suited)         ? house::TableFor::cpus
                                : options.pieces.count > 0 ? house::TableFor::pieces
                                                           : house::TableFor::all;
  suited.hprio_order = house::hprio_table(shape.height, house::suitable_order(), units);
  session.start(suited);
}

}  // namespace asterism::v0::fmm
