// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/time_stepping.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>

#include "apps/common/phases.hpp"
#include "base/error.hpp"
#include "io/output_file.hpp"
#include "runtime/clock.hpp"
#include "runtime/ending/stop_signals.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/checkpoint.hpp"
#include "taskflows/fdtd/fields/gather.hpp"

namespace asterism::apps::fdtd {

using namespace asterism::fdtd;

namespace {

/// Steps before the cut between CPUs and GPUs is considered, and again after twice as many.
constexpr long first_correction = 20;
/// Steps after which the cut is where it belongs: it is kept for later runs.
constexpr long settled = 7 * first_correction;
/// Steps of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr long calibration_steps = 24;

}  // namespace

void calibrate(const Arguments& args, const Problem& problem) {
  const Session session(calibration(args.common.session, args.common.trace));
  Arguments anywhere = args;
  anywhere.pieces.scheduler_places = true;
  const double share = session.devices() == 0 ? 0 : session.cpus() == 0 ? 1 : args.pieces.gpu_share.value_or(0.5);
  const Division division = divide(anywhere.pieces, problem, session, share, args.pieces.gpu_weights);
  Simulation simulation(problem, division.bricks, division.placement, division.overlap, division.exchange);
  ProgressLine line(!args.common.quiet);
  for (long t = 0; t < calibration_steps; ++t) {
    line.show(static_cast<double>(t) / calibration_steps, "calibrating");
    simulation.advance();
    if (t % 4 == 3) static_cast<void>(simulation.sums(Field::electric));
  }
}

TimeStepping::TimeStepping(const Arguments& args, const Case& problem_case, const Outputs& outputs, long steps,
                           const Session& session)
    : args_(args),
      problem_case_(problem_case),
      problem_(problem_case.problem),
      steps_(steps),
      session_(session),
      line_(!args.common.quiet) {
  cores_share_ = cores_share_name(problem_, session);
  gpu_weights_ = choose_gpu_weights();
  division_ = rank_group().distributed() ? divide(args.pieces, problem_, session, choose_rank_shares())
                                         : divide(args.pieces, problem_, session, choose_share(), gpu_weights_);
  line_.show(0, "setting up");
  simulation_ = std::make_unique<Simulation>(problem_, division_.bricks, division_.placement, division_.overlap,
                                             division_.exchange);
  if (args.restart.empty())
    simulation_->initialise();
  else
    earlier_probes_ = read_checkpoint(args.restart, problem_, *simulation_);
  starpu_task_wait_for_all();
  if (!outputs.fields.empty() || !outputs.slices.empty())
    fields_.emplace(problem_, outputs.origin, outputs.fields, outputs.slices, simulation_->time(), steps_);
  rank_group().on_death(args.restart.empty() ? "; there is no checkpoint yet (--checkpoint, --checkpoint-every)"
                                             : fmt::format("; resume with --restart {}", args.restart));
}

std::vector<double> TimeStepping::choose_gpu_weights() {
  if (args_.pieces.gpu_weights.empty()) {
    if (args_.pieces.boxes || args_.pieces.scheduler_places || session_.devices() < 2) return {};
    line_.show(0, "measuring GPUs");
    const InPhase measuring(Phase::measuring);
    return gpu_weights_of(problem_, session_, known_);
  }
  if (args_.pieces.boxes) bad_input("--gpu-weights: equal boxes have none");
  if (args_.pieces.gpu_weights.size() != static_cast<std::size_t>(session_.devices()))
    bad_input("--gpu-weights: {} numbers, expected one for each of {} GPUs", args_.pieces.gpu_weights.size(),
              session_.devices());
  return args_.pieces.gpu_weights;
}

double TimeStepping::choose_share() {
  const auto choose = [&] {
    return gpu_share_of(args_.pieces, problem_, session_, args_.common.units.gpu_share, known_, gpu_weights_,
                        [&] { line_.show(0, "measuring CPUs and GPUs"); });
  };
  if (session_.devices() == 0) return choose().share;
  const InPhase measuring(Phase::measuring);
  GpuShare chosen = choose();
  rates_ = chosen.rates;
  return chosen.share;
}

std::vector<RankShare> TimeStepping::choose_rank_shares() {
  const InPhase measuring(Phase::measuring);
  line_.show(0, "measuring CPUs and GPUs");
  RankShares shares = rank_shares(problem_, session_, args_.pieces.boxes ? Pieces::boxes : Pieces::strips,
                                  args_.pieces.gpu_share, known_, gpu_weights_);
  rates_ = shares.rates;
  return std::move(shares.ranks);
}

bool TimeStepping::corrects() const {
  return !rank_group().distributed() && !args_.pieces.gpu_share && !args_.pieces.scheduler_places &&
         !args_.pieces.boxes && division_.gpu_share > 0 && division_.gpu_share < 1 && !known_.find(cores_share_);
}

void TimeStepping::start_clock() {
  rank_group().barrier();  // steps do not wait for what others still set up
  begin_ = Clock::now();
  timed_from_ = simulation_->time();
  writing_ = 0;
}

void TimeStepping::advance() {
  if (corrects()) balance_ = std::make_unique<Balance>(division_.bricks, division_.placement, session_);
  corrected_at_ = simulation_->time();
  next_correction_ = corrected_at_ + first_correction;
  if (args_.transfers) load_seconds_ = load_fields(*args_.transfers);
  start_clock();
  correction_time_ = 0;
  const bool corrected = corrects();
  const long first = simulation_->time();
  enter(Phase::steps);
  mark("begin steps");
  const StoppableSteps stoppable;
  while (simulation_->time() < steps_) {
    const long now = simulation_->time();
    if (stop_wanted()) {
      starpu_task_wait_for_all();
      if (!args_.checkpoint.empty()) save_checkpoint();
      stop(fmt::format("step {}", now), args_.checkpoint);
    }
    const auto next = [&](long every) { return (now / every + 1) * every; };
    long t = std::min(steps_, next(args_.check_every));
    if (args_.checkpoint_every) t = std::min(t, next(*args_.checkpoint_every));
    if (fields_) t = std::min(t, fields_->next_due(now));
    if (balance_) t = std::min(t, next_correction_);
    simulation_->advance(t - now);
    if (t % args_.check_every == 0) {
      if (const auto sums = simulation_->exchange_sums()) require_finite(*sums, t - args_.check_every + 1);
      show(t);
    }
    if (fields_ && t < steps_ && t == fields_->next_due(now)) write_fields();
    if (args_.checkpoint_every && t % *args_.checkpoint_every == 0 && t < steps_) save_checkpoint();
    if (balance_ && t == next_correction_ && t < steps_) correct_cut(t);
  }
  starpu_task_wait_for_all();
  mark("end steps");
  seconds_ = seconds_since(begin_) - writing_;
  timed_steps_ = steps_ - timed_from_;
  if (args_.transfers) unload_seconds_ = unload_fields(*args_.transfers);
  enter(Phase::output);
  if (corrected && steps_ - first > settled) known_.keep(cores_share_, 1 - division_.gpu_share);
  require_finite(simulation_->sums(Field::electric), steps_);
  if (fields_) {
    fields_->write(*simulation_);
    const std::vector<std::string> names = fields_->names();
    written_.insert(written_.end(), names.begin(), names.end());
  }
  if (!args_.checkpoint.empty()) save_checkpoint();
}

/// From main memory, where they lie at first. In seconds.
double TimeStepping::load_fields(Transfers transfers) {
  simulation_->unload(transfers);
  rank_group().barrier();
  const auto before = Clock::now();
  simulation_->load(transfers);
  rank_group().barrier();
  return seconds_since(before);
}

/// In seconds.
double TimeStepping::unload_fields(Transfers transfers) {
  rank_group().barrier();
  const auto before = Clock::now();
  simulation_->unload(transfers);
  rank_group().barrier();
  return seconds_since(before);
}

/// Moves the cut between CPUs and GPUs to where both end together, as far as the steps since the last correction tell.
void TimeStepping::correct_cut(long now) {
  const InPhase measuring(Phase::measuring);
  starpu_task_wait_for_all();
  const double seconds = seconds_since(begin_) - writing_;
  const double together = static_cast<double>(now - corrected_at_) * cells_of(problem_) / (seconds - correction_time_);
  const Rates busy = balance_->measured(now - corrected_at_);
  next_correction_ = now + 2 * (now - corrected_at_);
  corrected_at_ = now;
  correction_time_ = seconds;
  const double gpus_alone = rates_ ? rates_->gpus : 0;
  if (const auto share = better_share(problem_, division_.gpu_share, busy, together, gpus_alone)) move_to(*share);
}

void TimeStepping::move_to(double share) {
  balance_.reset();
  earlier_probes_ = all_probe_values();
  const long now = simulation_->time();
  const State state = simulated ? State{} : gather_state(*simulation_, problem_);
  simulation_.reset();
  division_ = divide(args_.pieces, problem_, session_, share, gpu_weights_);
  simulation_ = std::make_unique<Simulation>(problem_, division_.bricks, division_.placement, division_.overlap,
                                             division_.exchange);
  if (simulated) {
    const auto nothing = [](const Box& /*box*/, void* /*values*/) {};
    simulation_->set(now, nothing, nothing);
  } else {
    scatter_state(*simulation_, problem_, state);
  }
  starpu_task_wait_for_all();
  ++corrections_;
  if (corrects()) balance_ = std::make_unique<Balance>(division_.bricks, division_.placement, session_);
  start_clock();
  correction_time_ = 0;
}

void TimeStepping::write_fields() {
  const InPhase writing(Phase::output);
  starpu_task_wait_for_all();
  const auto before = Clock::now();
  require_finite(simulation_->sums(Field::electric), simulation_->time());
  fields_->write(*simulation_);
  writing_ += seconds_since(before);
}

void TimeStepping::save_checkpoint() {
  const InPhase writing(Phase::output);
  starpu_task_wait_for_all();
  const auto before = Clock::now();
  require_finite(simulation_->sums(Field::electric), simulation_->time());  // nothing of a run that failed is kept
  write_checkpoint(args_.checkpoint, *simulation_, problem_, all_probe_values());
  if (std::find(written_.begin(), written_.end(), args_.checkpoint) == written_.end())
    written_.push_back(args_.checkpoint);
  rank_group().barrier();
  rank_group().on_death(fmt::format("; the last checkpoint, {}, is of step {}: resume with --restart {}",
                                    args_.checkpoint, simulation_->time(), args_.checkpoint));
  writing_ += seconds_since(before);
}

std::vector<double> TimeStepping::all_probe_values() {
  std::vector<double> all = earlier_probes_;
  const std::vector<double>& values = simulation_->probe_values();
  all.insert(all.end(), values.begin(), values.end());
  return all;
}

/// E at the time of each step, H half a step before.
void TimeStepping::write_probes() {
  if (args_.probe_file.empty()) return;
  const std::vector<double> values = all_probe_values();
  written_.push_back(args_.probe_file);
  if (!rank_group().is_root()) return;
  OutputFile file(args_.probe_file);
  std::string text = "step,time";
  for (std::size_t n = 0; n < problem_.probes.size(); ++n) {
    const Probe& p = problem_.probes[n];
    text += n < problem_case_.probe_names.size()
                ? "," + problem_case_.probe_names[n]
                : fmt::format(",{} {} {} {}", component_name(p.field, p.component), p.cell[0], p.cell[1], p.cell[2]);
  }
  file.write(text + "\n");
  const std::size_t count = problem_.probes.size();
  for (std::size_t s = 0; s * count < values.size(); ++s) {
    text = fmt::format("{},{}", s + 1, static_cast<double>(s + 1) * problem_.dt);
    for (std::size_t p = 0; p < count; ++p) text += fmt::format(",{}", values[s * count + p]);
    file.write(text + "\n");
  }
  file.commit();
}

double TimeStepping::rate() const {
  return seconds_ > 0 ? cells_of(problem_) * static_cast<double>(timed_steps_) / seconds_ : 0;
}

void TimeStepping::show(long step) {
  const double seconds = seconds_since(begin_) - writing_;
  line_.show(static_cast<double>(step) / static_cast<double>(steps_),
             fmt::format("step {} of {}, {:.0f} Mcells/s", step, steps_,
                         cells_of(problem_) * static_cast<double>(step - timed_from_) / seconds * 1e-6));
}

}  // namespace asterism::apps::fdtd
