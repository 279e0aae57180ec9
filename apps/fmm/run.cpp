// SPDX-License-Identifier: Apache-2.0
#include "apps/fmm/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apps/common/driver.hpp"
#include "apps/common/phases.hpp"
#include "apps/fmm/report.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/cases.hpp"
#include "taskflows/fmm/dynamics/invariants.hpp"
#include "taskflows/fmm/particles/write_particles.hpp"
#include "taskflows/fmm/periodic/periodic_reference.hpp"
#include "taskflows/fmm/plan/choose_plan.hpp"
#include "taskflows/fmm/plan/rates.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/targets/nearness.hpp"
#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/tree/tree_choice.hpp"
#include "taskflows/fmm/verify.hpp"

namespace asterism::apps::fmm {

using namespace asterism::fmm;

namespace {

/// Evaluations of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr int calibration_samples = 10;
/// So few particles of several ranks have a tree of two levels, whose cells are all neighbours.
constexpr std::size_t few_particles = 200;
constexpr int near_field_height = 2;

/// Levels of a periodic tree whose leaves have 30 particles: with fewer, forces between the ions of crystals cancel to
/// less than the error of the far field.
int highest_periodic_tree(std::size_t particles) {
  constexpr double per_leaf = 30;
  return 1 + std::max(0, static_cast<int>(std::log2(static_cast<double>(particles) / per_leaf) / 3));
}

constexpr int cells_without_far_field = 8;

template <class T>
T sum_over_ranks(T mine) {
  T sum{};
  for (const T& of_rank : rank_group().all_gather(mine)) sum += of_rank;
  return sum;
}

/// How much faster a GPU computes near fields than a CPU.
double speedup(const std::vector<UnitRates>& rates) {
  return rates.size() > 1 && rates[1].near_pair > 0 ? rates[0].near_pair / rates[1].near_pair : 1.0;
}

std::string units_of(const Session& session) {
  return fmt::format("{} CPUs, {} GPUs{}, scheduler {}", session.cpus(), session.devices(),
                     session.gpus() > session.devices() ? fmt::format(" ({} workers)", session.gpus()) : "",
                     session.scheduler());
}

}  // namespace

double slowest(double seconds) {
  const std::vector<double> all = rank_group().all_gather(seconds);
  return *std::max_element(all.begin(), all.end());
}

std::optional<int> Run::parse(int argc, char** argv) {
  if (const auto status = parse_arguments(argc, argv, args_)) return status;
  args_.common.session.ranks = Ranks::any;
  args_.options.ranks = Ranks::any;
  return std::nullopt;
}

std::optional<int> Run::prepare() {
  problem_ = make_problem(args_);
  units_ = units_of(args_.physics);
  options_ = args_.options;
  begin_particles();
  choose_tree();
  return std::nullopt;
}

void Run::begin_particles() {
  if (args_.restart.empty()) {
    particles_ = load_particles(args_);
    begin_motion();
    if (args_.input.empty() && args_.at.empty()) options_.box = box_of(args_.generated);
    if (!args_.at.empty()) join_targets();
  } else {
    resume();
  }
  for (int rank = 0; const std::size_t part : rank_group().all_gather(particles_.size())) {
    if (rank++ < rank_group().rank()) first_ += part;
    all_particles_ += part;
  }
  begin_periodic();
  if (args_.physics.gravity()) mass_ = total_charge(particles_);
}

/// Targets come behind the particles, which act on them alone.
void Run::join_targets() {
  if (is_target_grid(args_.at)) {
    Extent bounds = extent(particles_, options_.ranks);
    if (const auto box = periodic_box(args_))
      for (int d = 0; d < box->directions; ++d) {
        bounds.low[d] = 0;
        bounds.high[d] = box->length(d);
      }
    grid_ = load_grid(args_, bounds);
    targets_ = nodes_of(*grid_, part_of_rank());
  } else {
    targets_ = load_targets(args_);
  }
  Particles joined(particles_.size() + targets_.size());
  for (Array<double> Particles::*const values : {&Particles::x, &Particles::y, &Particles::z, &Particles::charge}) {
    const auto end = std::copy((particles_.*values).begin(), (particles_.*values).end(), (joined.*values).begin());
    if (values == &Particles::charge)
      std::fill(end, joined.charge.end(), 0.);
    else
      std::copy((targets_.*values).begin(), (targets_.*values).end(), end);
  }
  if (!args_.order && !args_.periodic.given()) {
    const int setting = setting_for_targets(args_.accuracy, share_near_sources(particles_, targets_));
    problem_.accuracy = args_.physics.softening > 0 ? softened_accuracy(setting) : accuracy(setting);
  }
  const std::optional<PeriodicBox> box = periodic_box(args_);
  options_.sources = particles_.size() * static_cast<std::size_t>(box ? box->count() : 1);
  particles_ = std::move(joined);
  all_targets_ = sum_over_ranks(targets_.size());
}

/// Leaves the results of the targets, with the forces on their charges.
void Run::keep_targets() {
  const std::size_t sources = particles_.size() - targets_.size();
  Result at(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const double charge = targets_.charge[i];
    at.potential[i] = result_.potential[sources + i];
    at.fx[i] = charge * result_.fx[sources + i];
    at.fy[i] = charge * result_.fy[sources + i];
    at.fz[i] = charge * result_.fz[sources + i];
  }
  result_ = std::move(at);
}

/// Completes the shape of the tree and leaves out units that do not pay, and tells schedulers what they need to know
/// about the tasks.
void Run::choose_tree() {
  SessionOptions& options = args_.common.session;
  const char* const from_environment = std::getenv("STARPU_SCHED");
  const std::string scheduler = options.scheduler.value_or(from_environment != nullptr ? from_environment : "");
  const bool ask_rates = scheduler == "heteroprio";  // it is told speedups
  TreeShape& shape = options_.shape;
  // a resumed run has the tree of the one before, and should have its units
  if (needs_rates(args_.tree, shape) || ask_rates || !args_.restart.empty()) {
    plan_ = choose_plan(ask_rates);
    const int highest = highest_periodic_tree(in_tree(all_particles_));
    if (periodic_ && shape.height == 0 && !plan_.shape.adaptive() && plan_.shape.height > highest) {
      shape.height = highest;
      plan_ = choose_plan(ask_rates);
    }
    shape = plan_.shape;
    options_.pieces = plan_.pieces;
    options.resting_cores = plan_.pieces.count > 0;
    if (plan_.cpus) options.cpus = plan_.cpus;
    if (plan_.gpus) options.gpus = plan_.gpus;
  }
  gpu_order_ = args_.gpu_order.value_or(suitable_order());
  if (!options.scheduler && from_environment == nullptr)
    options.scheduler = "hprio";
  else
    options_.scheduler_places = true;
  const TableFor units = !uses_gpus(options)         ? TableFor::cpus
                         : options_.pieces.count > 0 ? TableFor::pieces
                                                     : TableFor::all;
  options.hprio_order = hprio_table(shape.height, gpu_order_, units);
  if (scheduler == "heteroprio") options.scheduler_set_up = heteroprio_set_up(shape.height, speedup(rates_));
}

/// The plan from rates that are kept, or measured now and kept.
Plan Run::choose_plan(bool ask_rates) {
  const SessionOptions& options = args_.common.session;
  const TreeShape& wanted = options_.shape;
  if (rank_group().distributed() && all_particles_ <= few_particles && wanted.height == 0) {
    Plan plan;
    plan.shape = wanted;
    plan.shape.height = near_field_height;
    if (wanted.group_size == 0) plan.shape.group_size = cells_without_far_field;
    return plan;
  }
  const bool calibrate = args_.common.calibrate;
  PlanRequest request{problem_, particles_of_tree(), args_.tree};
  request.evaluations = args_.repeat + args_.motion.steps;
  request.units = expected_units(options);
  request.open = units_are_open(options) && !calibrate && !ask_rates && !rank_group().distributed();
  request.keep_gpus = gpus_are_asked_for(options);
  request.direct = !ask_rates && !calibrate && !periodic_;
  request.measure_start = [&](int gpus) {
    const InPhase phase(Phase::measuring);
    ProgressLine line(!args_.common.quiet);
    line.show(0, "measuring how long GPUs take to start, once");
    const auto begin = Clock::now();
    const double seconds = measure_start(gpus);
    measuring_seconds_ += seconds_since(begin);
    return seconds;
  };
  const ChosenPlan chosen = asterism::fmm::choose_plan(request, options_, [&](Pairs pairs) {
    const InPhase phase(Phase::measuring);
    ProgressLine line(!args_.common.quiet);
    line.show(0, "measuring this machine, once");
    const auto begin = Clock::now();
    const Session session(options);
    std::vector<UnitRates> rates = measure_rates(session, problem_, pairs);
    measuring_seconds_ = seconds_since(begin);
    return rates;
  });
  rates_ = chosen.rates;
  return chosen.plan;
}

void Run::calibrate() {
  const Session session(calibration(args_.common.session, args_.common.trace));
  Options anywhere = options_;
  anywhere.scheduler_places = true;  // on every kind of unit
  Simulation simulation(problem_, anywhere, particles_of_tree());
  Flow flow(simulation);
  ProgressLine line(!args_.common.quiet);
  const int kinds = (session.cpus() > 0 ? 1 : 0) + session.gpus();
  const int evaluations = std::max(2, calibration_samples * kinds / simulation.tree().leaf_groups() + kinds);
  for (int i = 0; i < evaluations; ++i) {
    line.show(static_cast<double>(i) / evaluations, "calibrating");
    flow.evaluate();
  }
}

void Run::evaluate(Flow& flow) {
  outcome_.own_seconds.push_back(flow.evaluate());
  outcome_.seconds.push_back(slowest(outcome_.own_seconds.back()));
}

void Run::solve(const Session& session) {
  result_ = Result(particles_.size());
  outcome_.units = units_of(session);
  ProgressLine line(!args_.common.quiet);
  line.show(0, "building the tree");
  const auto begin = Clock::now();
  Simulation simulation(problem_, options_, particles_of_tree());
  outcome_.build_seconds = slowest(seconds_since(begin));
  Flow flow(simulation);
  enter(Phase::steps);
  for (int i = 0; i < args_.repeat; ++i) {
    if (i + 1 == args_.repeat) mark("begin evaluation");
    evaluate(flow);
    if (i + 1 == args_.repeat) mark("end evaluation");
    line.show(static_cast<double>(i + 1) / args_.repeat, fmt::format("evaluation {} of {}", i + 1, args_.repeat));
  }
  if (!simulated) collect(simulation, args_.at.empty() ? FieldTimes::charge : FieldTimes::one);
  if (args_.motion.steps > 0) advance(simulation, flow, line);
  note_outcome(simulation, flow);
  if (simulated) return;
  if (!args_.at.empty()) keep_targets();
  check_finite();
  if (args_.at.empty()) energy_ = potential_energy(particles_, result_);
}

void Run::note_outcome(const Simulation& simulation, const Flow& flow) {
  outcome_.work = sum_over_ranks(simulation.work());
  outcome_.tasks = sum_over_ranks(flow.tasks());
  outcome_.basis_size = simulation.basis().size();
  outcome_.tree = tree_record(simulation, outcome_.work);
  if (rank_group().distributed()) outcome_.ranks = shares_record(simulation, median(outcome_.own_seconds));
  if (!simulation.tree().has_far_field()) return;
  outcome_.operator_ranks = simulation.operators().ranks();
  outcome_.mean_rank = simulation.operators().mean_rank();
}

void Run::check_finite() const {
  const Result& r = result_;
  const bool targets = !args_.at.empty();
  for (std::size_t i = 0; i < r.potential.size(); ++i)
    if (!std::isfinite(r.potential[i] + r.fx[i] + r.fy[i] + r.fz[i]))
      failed("the potential or force of {} {} is not finite: particles almost coincide there",
             targets ? "target" : "particle", (targets ? 0 : first_) + i + 1);
}

std::vector<Verdict> Run::verify(Report& report) {
  if (!args_.common.verify) return {};
  const Particles& points = args_.at.empty() ? particles_ : targets_;
  const std::int64_t targets = args_.targets.value_or(
      periodic_ ? affordable_periodic_targets(*periodic_, static_cast<std::int64_t>(all_particles_))
                : affordable_targets(static_cast<std::int64_t>(all_particles_)));
  ProgressLine line(!args_.common.quiet);
  const Pause pause;
  const Errors errors = errors_of(
      points, targets, [&](double share) { line.show(share, periodic_ ? "lattice sums" : "direct summation"); });
  report_errors(report, errors, periodic_ ? "lattice sums" : "direct summation", allowed_error(args_),
                promised_error(args_));
  std::vector<Verdict> verdicts = judge(errors, allowed_error(args_));
  for (Verdict& verdict : verify_motion()) verdicts.push_back(std::move(verdict));
  return verdicts;
}

void Run::finish(Report& report) {
  if (!args_.checkpoint.empty()) report.written.push_back(args_.checkpoint);
  write_energies();
  for (const std::string& file : {args_.motion.energies, args_.motion.chart})
    if (!file.empty()) report.written.push_back(file);
  if (args_.output.empty()) return;
  if (!is_collection(args_.output))
    write_result(args_.output, results());
  else if (grid_)
    write_target_grid(args_.output, *grid_, result_, units_.potential, units_.force);
  report.written.push_back(args_.output);
}

std::string Run::title() const {
  return describe_particles(args_, all_particles_ - all_targets_, all_targets_);
}

}  // namespace asterism::apps::fmm
