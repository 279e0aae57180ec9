// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/run.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apps/common/phases.hpp"
#include "apps/lbm/numbers.hpp"
#include "base/error.hpp"
#include "runtime/ending/stop_signals.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/checkpoint.hpp"
#include "taskflows/lbm/verify.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

/// Steps before the cut between CPUs and GPUs is looked at, and again after twice as many.
constexpr long first_look = 20;
/// Steps after which the cut is where it belongs: it is kept for later runs.
constexpr long settled = 7 * first_look;
/// A cut is moved when that is to save more than this share of a step.
constexpr double worth_moving = 0.02;
/// Steps of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr long calibration_steps = 24;

}  // namespace

std::optional<int> Run::prepare() {
  args_.common.session.ranks = Ranks::any;
  if (args_.flow.name == "stream")
    args_.flow.solid = solid_cells(args_.body, args_.flow.cells, make_case(args_.flow).length);
  flow_ = make_case(args_.flow);
  if (args_.interpolated_walls) flow_.problem.distances = wall_distances(args_.body, flow_.problem, flow_.length);
  check_results();
  const std::string& file = args_.output.restart;
  if (!file.empty()) {
    const long time = restart_time(file, flow_.problem);
    if (time > args_.steps) bad_input("--restart {}: at step {}, beyond --steps {}", file, time, args_.steps);
  }
  if (args_.common.verify) require_verifiable(flow_, args_.steps);
  return std::nullopt;
}

void Run::say_numbers() const {
  const FlowNumbers numbers = flow_numbers(flow_);
  for (const std::string& line : facts(numbers, flow_)) fmt::print(stderr, "asterism-lbm: {}\n", line);
  for (const std::string& line : warnings(numbers, flow_)) fmt::print(stderr, "asterism-lbm: warning: {}\n", line);
}

/// What depends on the flow.
void Run::check_results() {
  OutputOptions& output = args_.output;
  output.forces.centre = centre_of(args_.body, args_.flow.cells);
  check(output.forces, flow_);
  check(output.probes, flow_.problem);
  refuse_over_ranks(!output.average.file.empty(), "--average");
  if (output.average_from && *output.average_from > args_.steps)
    bad_input("--average-from {}: beyond --steps {}", *output.average_from, args_.steps);
}

std::optional<StepWork> Run::step_work() {
  std::optional<StepWork> work = asterism::lbm::step_work_of(args_.pieces, flow_.problem);
  if (work) work->steps = static_cast<double>(args_.steps);
  return work;
}

void Run::use_units(const UnitChoice& units) {
  Solver::use_units(units);
  if (units.cpus && std::getenv("STARPU_NWORKER_PER_CUDA") == nullptr &&
      !several_bricks_per_gpu(args_.pieces, args_.common.session))
    args_.common.session.streams.reset();
}

PlacedBy Run::placed_by() const {
  return args_.pieces.scheduler_places ? PlacedBy::scheduler : PlacedBy::program;
}

void Run::calibrate() {
  const Session session(calibration(args_.common.session, args_.common.trace));
  const Pieces pieces =
      cut(args_.pieces, flow_.problem, session, args_.pieces.gpu_share.value_or(0), PlacedBy::scheduler);
  Simulation simulation(flow_.problem, pieces.bricks, pieces.placement);
  simulation.initialise();
  ProgressLine line(!args_.common.quiet);
  for (long t = 0; t < calibration_steps; ++t) {
    line.show(static_cast<double>(t) / calibration_steps, "calibrating");
    simulation.advance();
    if (t % 4 == 3) static_cast<void>(simulation.totals());
  }
}

void Run::solve(const Session& session) {
  session_ = &session;
  line_.emplace(!args_.common.quiet);
  set_up();
  advance();
  output_->draw_charts();
  written_ = output_->written();
  line_.reset();
}

void Run::release() {
  line_.reset();
  correction_.balance.reset();
  output_.reset();
  simulation_.reset();
  session_ = nullptr;
}

double Run::choose_share() {
  if (session_->devices() == 0) return 0;
  const InPhase measuring(Phase::measuring);
  const GpuShare chosen = gpu_share_of(args_.pieces, flow_.problem, *session_, args_.common.units.gpu_share,
                                       [&] { line_->show(0, "measuring CPUs and GPUs"); });
  rates_ = chosen.rates;
  return chosen.share;
}

void Run::set_up() {
  cores_share_ = cores_share_name(flow_.problem, *session_);
  double share = choose_share();
  rank_group().broadcast(share);
  pieces_ = cut(args_.pieces, flow_.problem, *session_, share, placed_by());
  line_->show(0, "setting up");
  simulation_ = std::make_unique<Simulation>(flow_.problem, pieces_.bricks, pieces_.placement);
  const std::string& file = args_.output.restart;
  if (file.empty())
    simulation_->initialise();
  else
    restart(file, flow_.problem, *simulation_);
  starpu_task_wait_for_all();
  start_ = simulation_->time();
  output_ = std::make_unique<Output>(args_.output, flow_, start_, args_.steps);
  rank_group().on_death(file.empty() ? "; there is no checkpoint yet (--checkpoint, --checkpoint-every)"
                                     : fmt::format("; resume with --restart {}", file));
  if (!simulated && !args_.common.quiet && rank_group().is_root()) say_numbers();
}

void Run::advance() {
  const bool corrected = !args_.pieces.gpu_share && !args_.pieces.scheduler_places && !rank_group().distributed() &&
                         session_->devices() > 0 && session_->cpus() > 0 && !known_rates().find(cores_share_);
  if (corrected) correction_.balance = std::make_unique<Balance>(pieces_.bricks, pieces_.placement, *session_);
  correction_.looked = start_;
  correction_.next = start_ + first_look;
  enter(Phase::steps);
  rank_group().barrier();  // steps do not wait for what others still set up
  correction_.since = Clock::now();
  watch_ = {.begin = correction_.since, .from = start_};
  mark("begin steps");
  const StoppableSteps stoppable;
  while (simulation_->time() < args_.steps) {
    const long now = simulation_->time();
    if (stop_wanted()) stop_here();
    long t = std::min({args_.steps, (now / args_.check_every + 1) * args_.check_every, output_->next_due(now)});
    if (correction_.balance) t = std::min(t, correction_.next);
    simulation_->advance(t - now);
    if (t % args_.check_every == 0 && t < args_.steps) {  // at the end it is looked at after the time was taken
      if (const auto totals = simulation_->exchange_totals())
        require_flow(*totals, t - args_.check_every + 1, remedies(flow_));
      show(t);
    }
    output_->sample(*simulation_);
    if (output_->due(t)) write_output(t);
    if (correction_.balance && t == correction_.next && t < args_.steps) correct(t);
  }
  if (start_ == args_.steps && start_ > 0 && output_->due(start_)) write_output(start_);  // resumed at its end
  simulation_->complete();  // the last step's messages are of the steps
  starpu_task_wait_for_all();
  mark("end steps");
  seconds_ = seconds_since(watch_.begin) - watch_.writing;
  timed_steps_ = args_.steps - watch_.from;
  enter(Phase::output);
  if (corrected && args_.steps - start_ > settled) known_rates().keep(cores_share_, 1 - pieces_.gpu_share);
  totals_ = simulation_->totals();
  require_flow(totals_, args_.steps, remedies(flow_));
}

/// Ends the run that a signal asks to stop.
void Run::stop_here() {
  starpu_task_wait_for_all();
  require_flow(simulation_->totals(), simulation_->time(), remedies(flow_));
  output_->write_state(*simulation_);
  line_.reset();
  stop(fmt::format("step {}", simulation_->time()), args_.output.checkpoint);
}

void Run::write_output(long t) {
  const InPhase writing(Phase::output);
  starpu_task_wait_for_all();
  const auto before = Clock::now();
  require_flow(simulation_->totals(), t, remedies(flow_));  // nothing of a flow that diverged is written
  output_->write(*simulation_);
  watch_.writing += seconds_since(before);
}

// moves the cut between CPUs and GPUs if that saves time
void Run::correct(long t) {
  const InPhase measuring(Phase::measuring);
  starpu_task_wait_for_all();
  const long steps = t - correction_.looked;
  const double share = gpus_alone_are_faster(steps, seconds_since(correction_.since))
                           ? 1
                           : correction_.balance->measured(steps).gpu_share();
  correction_.looked = t;
  correction_.next += 2 * (correction_.next - start_);
  correction_.since = Clock::now();
  if (!worth(share)) return;
  correction_.balance.reset();
  pieces_ = cut(args_.pieces, flow_.problem, *session_, share, placed_by());
  simulation_ = moved(std::move(simulation_), flow_.problem, pieces_);
  starpu_task_wait_for_all();
  if (share < 1) correction_.balance = std::make_unique<Balance>(pieces_.bricks, pieces_.placement, *session_);
  ++corrections_;
  correction_.since = Clock::now();
  watch_ = {.begin = correction_.since, .from = t};
}

// faster than CPUs and GPUs together were over the steps since the last look
bool Run::gpus_alone_are_faster(long steps, double seconds) const {
  return rates_ &&
         rates_->gpus > static_cast<double>(steps) * static_cast<double>(simulation_->fluid_cells()) / seconds;
}

// whether the domain would be done sooner if it were cut at `share`
bool Run::worth(double share) const {
  const double now = pieces_.gpu_share;
  if (share == 1) return true;
  if (!(share > 0 && share < 1)) return false;
  // the slower kind decides: its part over its rate
  const double slower = std::max(now / share, (1 - now) / (1 - share));
  const double rows = std::abs(share - now) * flow_.problem.cells[1] / pieces_.subdomains[1];
  return slower > 1 + worth_moving && rows >= 1;
}

double Run::mlups() const {
  return static_cast<double>(simulation_->fluid_cells()) * static_cast<double>(timed_steps_) / seconds_ * 1e-6;
}

void Run::show(long t) {
  line_->show(static_cast<double>(t) / static_cast<double>(args_.steps),
              fmt::format("step {} of {}, {:.1f} MLUPS", t, args_.steps,
                          static_cast<double>(simulation_->fluid_cells()) * static_cast<double>(t - watch_.from) /
                              seconds_since(watch_.begin) * 1e-6));
}

}  // namespace asterism::apps::lbm
