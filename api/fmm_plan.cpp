// SPDX-License-Identifier: Apache-2.0
#include "api/fmm_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/fmm/plan/choose_plan.hpp"
#include "taskflows/fmm/plan/rates.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/targets/nearness.hpp"

namespace asterism::v0::fmm {
namespace {

namespace house = asterism::fmm;

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

house::Plan plan_for(Session::State& session, const Options& chosen, const house::Problem& problem,
                     const house::Particles& points, const asterism::SessionOptions& session_options,
                     house::Options& options) {
  const Machine machine = machine_of(session, session_options);
  house::PlanRequest request{problem, points, kind_of(chosen)};
  request.evaluations = chosen.evaluations;
  request.vectors = std::min(chosen.vectors, house::most_vectors);
  request.units = machine.units;
  request.open = machine.open;
  request.keep_gpus = house::gpus_are_asked_for(session_options);
  return house::choose_plan(request, options,
                            [&](house::Pairs pairs) {
                              const bool runs = session.running() != nullptr;
                              std::vector<house::UnitRates> rates =
                                  house::measure_rates(session.start(session_options), problem, pairs);
                              if (!runs) session.stop();
                              return rates;
                            })
      .plan;
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
  if (o.vectors < 1) bad_input("vectors {}: expected at least 1", o.vectors);
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
  if (!suited.streams && !given("STARPU_NWORKER_PER_CUDA") && uses_gpus(suited))
    suited.streams = house::default_streams;
  if (house::needs_rates(kind_of(chosen), shape)) {
    const house::Plan plan = plan_for(session, chosen, problem, points, suited, options);
    shape = plan.shape;
    options.pieces = plan.pieces;
    suited.resting_cores = plan.pieces.count > 0;
    // GPUs alone, or cores alone; not fewer cores, as the session outlives this evaluator
    if (plan.cpus == 0) suited.cpus = 0;
    if (plan.gpus) suited.gpus = plan.gpus;
  }
  if (!suited.scheduler && !given("STARPU_SCHED"))
    suited.scheduler = "hprio";
  else
    options.scheduler_places = true;
  const house::TableFor units = !uses_gpus(suited)         ? house::TableFor::cpus
                                : options.pieces.count > 0 ? house::TableFor::pieces
                                                           : house::TableFor::all;
  suited.hprio_order = house::hprio_table(shape.height, house::suitable_order(), units);
  session.start(suited);
}

}  // namespace asterism::v0::fmm
