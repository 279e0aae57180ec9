// SPDX-License-Identifier: Apache-2.0
#include "apps/tdbem/march.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <filesystem>

#include "apps/common/phases.hpp"
#include "base/error.hpp"
#include "runtime/ending/stop_signals.hpp"
#include "runtime/machine/busy_time.hpp"
#include "runtime/ranks/rank_exchange.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/balance.hpp"
#include "taskflows/tdbem/checkpoint.hpp"
#include "taskflows/tdbem/matrices/matrix_file.hpp"
#include "taskflows/tdbem/verify.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;

namespace {

/// Given intervals are those of all workers.
Sharing sharing_for(const SharingOptions& options, const Session& session) {
  return options.intervals.empty() ? suited_sharing(options.sharing, session) : Sharing::intervals;
}

/// Groups of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr int calibration_groups = 24;
/// Groups that are submitted before the program waits for them.
constexpr std::int64_t groups_at_once = 16;

template <class T>
void calibrate_precision(const Arguments& args, const ProblemCase& problem_case) {
  const Problem& problem = problem_case.problem;
  const Session session(calibration(args.common.session, args.common.trace));
  ProgressLine line(!args.common.quiet);
  const std::int32_t block_size = suited_block_size(args.method, problem, session, Sharing::scheduler);
  Matrices<T> matrices(problem, block_size, suited_widths(args.method.kernel));
  matrices.assemble([&](double done) { line.show(done / 2, "calibrating"); });
  Simulation<T> simulation(problem, args.method, matrices, session, Sharing::scheduler);
  for (int group = 0; group < calibration_groups; ++group) {
    line.show(0.5 + 0.5 * group / calibration_groups, "calibrating");
    simulation.advance();
    starpu_task_wait_for_all();
  }
}

}  // namespace

template <class T>
PrecisionMarch<T>::PrecisionMarch(const Arguments& arguments, const ProblemCase& problem_case, const Session& session)
    : args_(arguments),
      case_(problem_case),
      problem_(problem_case.problem),
      session_(session),
      line_(!arguments.common.quiet),
      sharing_(sharing_for(arguments.sharing, session)),
      compared_steps_(arguments.common.verify ? asterism::tdbem::compared_steps(problem_case) : 0) {
  const std::string& restart = args_.files.restart;
  if (!restart.empty()) {
    const std::int64_t done = checkpoint_steps<T>(restart, problem_, args_.method);
    // a run does whole groups of steps: its end may be up to a group beyond what was asked for
    if (done - args_.method.group >= case_.steps && done > case_.steps)
      bad_input("--restart {}: at step {}, beyond --steps {}", restart, done, case_.steps);
    if (args_.common.verify && done >= compared_steps_)
      bad_input("--verify: the solver that it compares with reaches step {}; {} is of step {}", compared_steps_,
                restart, done);
    first_compared_ = done;
  }
  prepare_matrices();
  simulation_ = std::make_unique<Simulation<T>>(problem_, args_.method, *matrices_, session, sharing_);
  const std::vector<long>& intervals = args_.sharing.intervals;
  if (!intervals.empty()) simulation_->share(Sizes(intervals.begin(), intervals.end()));
  if (!restart.empty()) resume();
  simulation_->reserve(case_.steps);
  output_ = std::make_unique<Output>(args_.files, problem_, simulation_->steps(), case_.steps);
  rank_group().on_death(restart.empty() ? "; there is no checkpoint yet (--checkpoint, --checkpoint-every)"
                                        : fmt::format("; resume with --restart {}", restart));
  if (!args_.files.matrices.empty() && assembly_seconds_ > 0) {
    line_.show(1, "writing the matrices");
    save_matrices(args_.files.matrices, problem_, *matrices_);
    written_.push_back(args_.files.matrices);
  }
}

template <class T>
void PrecisionMarch<T>::resume() {
  simulation_->set(read_checkpoint<T>(args_.files.restart, problem_, args_.method, simulation_->wanted()));
}

/// From the file if it exists, else assembled.
template <class T>
void PrecisionMarch<T>::prepare_matrices() {
  const std::string& file = args_.files.matrices;
  const auto begin = Clock::now();
  line_.show(0, "finding the matrices' structure");
  const bool stored = !file.empty() && std::filesystem::exists(file);
  std::int32_t block_size = suited_block_size(args_.method, problem_, session_, sharing_);
  if (stored) {
    const MatrixFile found = read_matrix_file(file, problem_);
    if (found.precision != precision_of<T>)
      bad_input("--matrices {}: in {} precision, expected {}", file, name_of(found.precision),
                name_of(precision_of<T>));
    block_size = found.block_size;
  }
  matrices_ = std::make_unique<Matrices<T>>(problem_, block_size, suited_widths(args_.method.kernel));
  structure_seconds_ = seconds_since(begin);
  if (!stored) {
    assemble_matrices();
    return;
  }
  line_.show(0, "reading the matrices");
  load_matrices(file, problem_, *matrices_);
}

template <class T>
void PrecisionMarch<T>::assemble_matrices() {
  const auto begin = Clock::now();
  mark("begin assembly");
  matrices_->assemble([&](double done) {
    const double elapsed = seconds_since(begin);
    line_.show(done,
               done > 0.02 ? fmt::format("assembling, {:.0f} s left", elapsed / done * (1 - done)) : "assembling");
  });
  mark("end assembly");
  assembly_seconds_ = seconds_since(begin);
}

template <class T>
void PrecisionMarch<T>::run() {
  const bool balances = sharing_ != Sharing::scheduler && args_.sharing.intervals.empty() &&
                        simulation_->workers() > 1 && args_.sharing.balance_groups > 0;
  enter(Phase::steps);
  mark("begin steps");
  if (simulation_->steps() > 0 && simulation_->steps() >= case_.steps) record_group();  // resumed at its end
  if (balances) balance_intervals();
  if (balances || session_.devices() > 0) warm_up();
  output_seconds_ = 0;
  disk_before_ = disk_traffic();
  rank_group().barrier();  // steps do not wait for what others still set up
  const auto begin = Clock::now();
  const std::int64_t first = simulation_->steps();
  const Submitted before = submitted();
  const StoppableSteps stoppable;
  while (simulation_->steps() < case_.steps) {
    if (stop_wanted()) {
      if (!args_.files.checkpoint.empty()) output_->write_state(*simulation_, args_.method);
      stop(fmt::format("step {}", simulation_->steps()), args_.files.checkpoint);
    }
    for (std::int64_t g = 0; g < groups_at_once && simulation_->steps() < case_.steps; ++g) {
      simulation_->advance();
      record_group();
    }
    starpu_task_wait_for_all();
    require_solved(simulation_->tally(), problem_);
    show_progress(begin, first);
  }
  starpu_task_wait_for_all();
  mark("end steps");
  march_seconds_ = seconds_since(begin) - output_seconds_;
  timed_steps_ = simulation_->steps() - first;
  bytes_sent_ = submitted().bytes - before.bytes;
  disk_during_ = disk_traffic();
  require_solved(simulation_->tally(), problem_);
}

/// Values of the last group that are to be verified, and outputs that are due.
template <class T>
void PrecisionMarch<T>::record_group() {
  const std::int64_t end = simulation_->steps();
  const std::int64_t first = end - args_.method.group;
  const auto before = Clock::now();
  if (output_->due(first, std::min(end, case_.steps))) {
    const InPhase writing(Phase::output);
    starpu_task_wait_for_all();
    require_solved(simulation_->tally(), problem_);  // no output of a march that broke down
    output_->write(*simulation_, args_.method);
    output_seconds_ += seconds_since(before);
  }
  for (std::int64_t n = first; n < std::min(end, compared_steps_); ++n) {
    const std::vector<double> a = simulation_->solution(n, 0);
    values_.insert(values_.end(), a.begin(), a.end());
  }
}

/// Seconds that each worker took for its products of a group.
template <class T>
std::vector<double> PrecisionMarch<T>::time_group() {
  simulation_->advance();
  record_group();
  starpu_task_wait_for_all();
  line_.show(static_cast<double>(simulation_->steps()) / static_cast<double>(case_.steps), "balancing");
  return simulation_->product_seconds();
}

/// Intervals from the times of groups, until they stay or enough groups have been measured. The first group with new
/// intervals also brings matrices to where they are used, which the paper's heuristic counts; else two more groups are
/// measured, of which the shorter times count: whatever delays a worker, it is never early.
template <class T>
void PrecisionMarch<T>::balance_intervals() {
  const InPhase measuring(Phase::measuring);
  const BusyTime profiling(session_);
  const bool every_group = args_.sharing.target == Target::mean;
  const int groups = args_.sharing.balance_groups;
  Balance balance(matrices_->own().size(), simulation_->workers(), every_group ? groups : std::max(1, groups / 3),
                  args_.sharing.target);
  while (balance.searches() && simulation_->steps() < case_.steps) {
    simulation_->share(balance.sizes());
    std::vector<double> seconds = time_group();
    for (int further = 0; !every_group && further < 2 && simulation_->steps() < case_.steps; ++further) {
      const std::vector<double> again = time_group();
      for (std::size_t w = 0; w < seconds.size(); ++w)
        seconds[w] = further == 0 ? again[w] : std::min(seconds[w], again[w]);
    }
    balancing_.push_back({{"blocks", balance.sizes()}, {"seconds", seconds}});
    balance.measured(seconds);
  }
  simulation_->share(balance.sizes());
}

/// A group that brings the matrices to where they are used, before time counts.
template <class T>
void PrecisionMarch<T>::warm_up() {
  if (simulation_->steps() >= case_.steps) return;
  simulation_->advance();
  record_group();
  starpu_task_wait_for_all();
}

template <class T>
void PrecisionMarch<T>::show_progress(Clock::time_point begin, std::int64_t first) {
  const auto done = static_cast<double>(simulation_->steps() - first);
  line_.show(static_cast<double>(simulation_->steps()) / static_cast<double>(case_.steps),
             fmt::format("step {} of {}, {:.3g} ms per step", simulation_->steps(), case_.steps,
                         seconds_since(begin) / done * 1e3));
}

template <class T>
std::vector<Verdict> PrecisionMarch<T>::verify() {
  const std::int64_t compared = std::min<std::int64_t>(compared_steps_, simulation_->steps()) - first_compared_;
  values_.resize(static_cast<std::size_t>(compared) * static_cast<std::size_t>(problem_.surface.unknowns()));
  return asterism::tdbem::verify(case_, *matrices_, values_, first_compared_);
}

template class PrecisionMarch<float>;
template class PrecisionMarch<double>;

std::unique_ptr<March> make_march(const Arguments& arguments, const ProblemCase& problem_case, const Session& session) {
  return with_precision(problem_case.problem.precision, [&](auto number) -> std::unique_ptr<March> {
    return std::make_unique<PrecisionMarch<decltype(number)>>(arguments, problem_case, session);
  });
}

std::optional<StepWork> step_work_of(const Arguments& args, const ProblemCase& problem_case) {
  if (!args.sharing.intervals.empty() || !args.files.matrices.empty()) return std::nullopt;
  std::optional<StepWork> work = asterism::tdbem::step_work_of(problem_case.problem, args.method, args.sharing.sharing);
  if (work) work->steps = static_cast<double>(problem_case.steps);
  return work;
}

void calibrate(const Arguments& arguments, const ProblemCase& problem_case) {
  with_precision(problem_case.problem.precision,
                 [&](auto number) { calibrate_precision<decltype(number)>(arguments, problem_case); });
}

}  // namespace asterism::apps::tdbem
