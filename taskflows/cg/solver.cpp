// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/solver.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "codelets/cg/kernels/kernels.hpp"
#include "runtime/clock.hpp"
#include "runtime/ending/stop_signals.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/acquired.hpp"
#include "taskflows/cg/checkpoint.hpp"
#include "taskflows/cg/flow.hpp"

namespace asterism::cg {
namespace {

/// A restart that does not bring the true residual below this share of the one before is the last.
constexpr double restart_must_gain = 0.5;
/// How often a solve may continue because the true residual is just above the tolerance.
constexpr int most_near_ends = 10;
/// Relative residual below which a vanishing p.q means exhausted precision, not an indefinite matrix.
constexpr double exhausted = 1e-14;

/// One solve, on the host.
class Solver {
 public:
  Solver(System& system, std::span<const double> b, std::string name,
         const std::function<void(const Progress&)>& progress, const Checkpoints& checkpoints)
      : sys_(system), name_(std::move(name)), progress_(progress), checkpoints_(checkpoints), b_norm_(norm(b)) {}

  SolveResult run();

 private:
  State start(Direction direction);
  State restart(double recurrence);
  State resume();
  double sum_of_rr(int parity);
  double curvature();
  void refuse(const HistoryEntry& last);
  HistoryEntry iterate();
  HistoryEntry iterate_up_to(std::int64_t limit);
  void write_checkpoint();
  bool poll_history(int window, int submitted, HistoryEntry& last);
  [[nodiscard]] double relative(double rr) const { return b_norm_ > 0 ? std::sqrt(rr) / b_norm_ : std::sqrt(rr); }
  [[nodiscard]] double threshold() const {
    const double bound = sys_.options.tolerance * (b_norm_ > 0 ? b_norm_ : 1);
    return bound * bound;
  }
  [[nodiscard]] int next_window(std::int64_t limit) const;

  System& sys_;
  std::string name_;
  const std::function<void(const Progress&)>& progress_;
  const Checkpoints& checkpoints_;
  double b_norm_;
  SolveResult result_;
  std::int64_t base_ = 0;             ///< iterations before the last restart
  int submitted_ = 0;                 ///< iterations since then
  bool stopping_ = false;             ///< a signal asked for it
  bool kept_ = false;                 ///< the last start kept the direction
  std::int64_t start_iteration_ = 0;  ///< of the last start but the first
  int written_ = 0;                   ///< submitted_ when the last checkpoint was written
  int near_ends_ = 0;
  double previous_true_ = 0;  ///< relative residual with which they began
};

/// Submits r = b - A x and what follows; returns the state with which the iterations begin.
State Solver::start(Direction direction) {
  submitted_ = written_ = 0;
  for (const Handle& handle : sys_.state) {
    Acquired<State> state(handle, STARPU_RW);
    if (sys_.options.flow == Flow::pipelined && direction == Direction::kept) {
      state->status = Status::running;
      state->iteration = 0;
      state->replaced = 0;
      state->drifts = 0;
    } else {
      *state = State{};
    }
    state->threshold = threshold();
  }
  submit_start(sys_, direction);
  double rr = 0;
  if (sys_.options.flow == Flow::pipelined) {  // the first step, which reads r.r, comes with the first iteration
    rr = sum_of_rr(0);
  } else {
    rr = Acquired<State>(sys_.state_of(sys_.own().front()), STARPU_R)->rr;
  }
  State state;
  state.rr = b_norm_ * b_norm_;
  if (simulated) return state;  // there is no residual: the run has its maximum of iterations
  state.rr = rr;
  if (!is_finite(rr))
    state.status = Status::not_finite;
  else if (rr <= threshold())
    state.status = Status::converged;
  return state;
}

/// Continues from the true residual; `recurrence`: r.r as the recurrence had it. Where the two are close to each other
/// the direction is kept, and with it what the iterations have learnt about the matrix.
State Solver::restart(double recurrence) {
  const bool moved = result_.iterations > start_iteration_;
  // a simulated run ends here
  kept_ = !simulated && !sys_.options.vendor && submitted_ > 0 && (moved || !kept_);
  start_iteration_ = result_.iterations;
  if (kept_) {
    const State state = start(Direction::kept);
    const bool last = state.status != Status::running || base_ >= sys_.options.max_iterations;
    if (last || state.rr <= small_drift * small_drift * recurrence) return state;
    kept_ = false;
  }
  return start(Direction::fresh);
}

/// The true p.Ap of the direction with which the pipelined recurrence broke down.
double Solver::curvature() {
  submit_curvature(sys_);
  Sum pq;
  if (sys_.distributed()) {
    const auto& all = *sys_.distributed_p_dot_q;
    const Acquired<Sum> sums(all.all(), STARPU_R);
    for (std::size_t k = 0; k < all.items(); ++k) add(pq, sums.get()[k]);
  } else {
    for (const Handle& sum : sys_.p_dot_q) add(pq, *Acquired<Sum>(sum, STARPU_R));
  }
  return value(pq);
}

/// Throws where the iterations ended because of the matrix or of a value that is not finite.
void Solver::refuse(const HistoryEntry& last) {
  if (last.status == Status::not_finite)
    failed("{}: a value that is not finite appeared in iteration {}", name_, result_.iterations + 1);
  if (relative(last.rr) <= exhausted) return;
  if (last.status == Status::not_positive_definite && last.pq > 0)
    bad_input("{}: the preconditioner is not positive definite, in iteration {}", name_, result_.iterations + 1);
  const bool broken = last.status == Status::breakdown;
  if (!broken && last.status != Status::not_positive_definite) return;
  const double pq = broken ? curvature() : last.pq;
  if (broken && !(pq <= 0)) return;
  bad_input(
      "{}: not positive definite: p.Ap = {:g} in iteration {}; conjugate gradient needs a positive definite matrix",
      name_, pq, result_.iterations + 1);
}

/// r.r from the block-rows' contributions.
double Solver::sum_of_rr(int parity) {
  Sum rr;
  sys_.gather_dots(parity);
  if (sys_.distributed()) {
    const auto& all = *sys_.distributed_dots[static_cast<std::size_t>(parity)];
    const Acquired<Dots> dots(all.all(), STARPU_R);
    for (std::size_t k = 0; k < all.items(); ++k) add(rr, dots.get()[k].rr);
    return value(rr);
  }
  for (const Handle& dots : sys_.dots[static_cast<std::size_t>(parity)]) add(rr, Acquired<Dots>(dots, STARPU_R)->rr);
  return value(rr);
}

/// Iterations to submit next, up to `limit` since the start: many, but few when the end is near, so that little is
/// computed without need.
int Solver::next_window(std::int64_t limit) const {
  const std::int64_t left = limit - submitted_;
  std::int64_t window = std::min<std::int64_t>(sys_.options.check_every, left);
  const auto& h = result_.history;
  const double now = h.back();
  if (h.size() > 4 && now > 0 && sys_.options.tolerance > 0) {
    const std::size_t back = std::min<std::size_t>(h.size() - 1, 32);
    const double slope = std::log(h[h.size() - 1 - back] / now) / static_cast<double>(back);  // per iteration
    if (slope > 0) {
      const double expected = std::log(now / sys_.options.tolerance) / slope;
      window = std::min(window, static_cast<std::int64_t>(std::clamp(expected / 3, 2.0, 1e6)));
    }
  }
  return static_cast<int>(window);
}

/// Reads a window of history once its tasks are done; true when it holds the end. Simulated tasks write no history:
/// all were done.
bool Solver::poll_history(int window, int submitted, HistoryEntry& last) {
  const Acquired<HistoryEntry> entries(sys_.history[static_cast<std::size_t>(window % 2)], STARPU_R);
  if (simulated) {
    last.iteration += submitted;
    return false;
  }
  for (int k = 0; k < submitted; ++k) {
    last = entries.get()[k];
    const std::int64_t iteration = base_ + last.iteration;
    // the pipelined flow reports the residual before the step, and once more when it stops
    const auto known = static_cast<std::int64_t>(result_.history.size()) - 1;
    const std::int64_t of =
        sys_.options.flow == Flow::pipelined && last.status == Status::running ? iteration - 1 : iteration;
    if (of > known) result_.history.push_back(relative(last.rr));
    if (last.status != Status::running) return true;
  }
  return false;
}

/// Iterates until the recurrence stops or there are `limit` iterations. While the units work on one window, the next is
/// submitted and the one before is looked at.
HistoryEntry Solver::iterate_up_to(std::int64_t limit) {
  HistoryEntry last;
  int window = 0;
  int window_size[2] = {0, 0};
  Clock::time_point before{};
  for (;; ++window) {
    int& size = window_size[window % 2];
    stopping_ = stopping_ || stop_wanted();
    size = stopping_ ? 0 : next_window(limit);
    const HistorySlot first{sys_.history[static_cast<std::size_t>(window % 2)], 0};
    if (sys_.options.task != TaskSize::operation && size > 0) {
      starpu_iteration_push(static_cast<unsigned long>(base_ + submitted_));
      submit_iterations(sys_, first, size);
      starpu_iteration_pop();
      submitted_ += size;
    }
    for (int k = 0; sys_.options.task == TaskSize::operation && k < size; ++k, ++submitted_) {
      starpu_iteration_push(static_cast<unsigned long>(base_ + submitted_));
      if (sys_.options.flow == Flow::pipelined && submitted_ > 0 && submitted_ % replace_every == 0)
        submit_replacement(sys_, submitted_ % 2);
      submit_iteration(sys_, {first.handle, k}, submitted_ % 2);
      starpu_iteration_pop();
    }
    if (window > 0) {
      const int count = window_size[(window - 1) % 2];
      const bool end = poll_history(window - 1, count, last);
      const Clock::time_point now = Clock::now();
      // the first window and the one that ends early say nothing about the pace
      if (window > 1 && !end)
        result_.seconds_per_iteration.push_back(std::chrono::duration<double>(now - before).count() / count);
      before = now;
      if (progress_)
        progress_({base_ + last.iteration, sys_.options.max_iterations, relative(last.rr), sys_.options.tolerance});
      if (end) return last;
    }
    if (size == 0) return last;
  }
}

/// Iterates until the recurrence stops or the iterations are used up, and writes checkpoints on the way.
HistoryEntry Solver::iterate() {
  const std::int64_t most = sys_.options.max_iterations - base_;
  HistoryEntry last;
  while (true) {
    const std::int64_t every = checkpoints_.write.empty() ? most : checkpoints_.every;
    last = iterate_up_to(std::min(most, (submitted_ / every + 1) * every));
    if (last.status != Status::running) return last;
    if (stopping_) {
      if (!checkpoints_.write.empty() && submitted_ > written_) write_checkpoint();
      stop(fmt::format("iteration {}", base_ + submitted_), checkpoints_.write);
    }
    // the last state, too, from which a run can continue
    if (!checkpoints_.write.empty() && submitted_ > written_) write_checkpoint();
    if (submitted_ == most) break;
  }
  // the last residual, which no step has looked at
  if (sys_.options.flow == Flow::pipelined && submitted_ > 0 && !simulated) {
    last.rr = sum_of_rr(submitted_ % 2);
    result_.history.push_back(relative(last.rr));
  }
  return last;
}

void Solver::write_checkpoint() {
  starpu_task_wait_for_all();
  const std::int64_t iterations = base_ + submitted_;
  written_ = submitted_;
  result_.checkpoint = iterations;
  cg::write_checkpoint(checkpoints_.write, sys_,
                       {iterations, submitted_, result_.restarts, previous_true_, b_norm_, result_.history});
  rank_group().on_death(fmt::format("; the last checkpoint, {}, is of iteration {}: resume with --restart {}",
                                    checkpoints_.write, iterations, checkpoints_.write));
}

/// Does what start() does, from a checkpoint.
State Solver::resume() {
  sys_.p.after_product();
  Past past = read_checkpoint(checkpoints_.read, sys_, b_norm_, threshold());
  sys_.p.before_product();
  if (past.iterations > sys_.options.max_iterations)
    bad_input("--restart {}: at iteration {}, beyond {}", checkpoints_.read, past.iterations,
              sys_.options.max_iterations);
  submitted_ = written_ = past.since_start;
  base_ = past.iterations - past.since_start;
  result_.restarts = past.restarts;
  result_.history = std::move(past.history);
  previous_true_ = past.true_residual;
  rank_group().on_death(fmt::format("; resume with --restart {}", checkpoints_.read));
  State state = *Acquired<State>(sys_.state_of(sys_.own().front()), STARPU_R);
  // the run that wrote it may have had a smaller tolerance, or none
  const bool current = sys_.options.flow != Flow::pipelined;  // whose next step looks at the residual first
  if (current && state.status == Status::running && state.rr <= threshold()) state.status = Status::converged;
  return state;
}

SolveResult Solver::run() {
  // OpenMP's threads, which have set things up, would spin for a while on the cores of StarPU's workers.
  omp_pause_resource_all(omp_pause_soft);
  const bool fixed = sys_.options.tolerance == 0;  // all iterations are wanted, past what double precision reaches, too
  mark("begin solve");
  State state;
  if (checkpoints_.read.empty()) {
    state = start(Direction::fresh);
    previous_true_ = relative(state.rr);
    result_.history.push_back(previous_true_);
    rank_group().on_death("; there is no checkpoint yet (--checkpoint)");
  } else {
    state = resume();
  }
  prepare_iterations(sys_);
  const Clock::time_point begin = Clock::now();
  const StoppableSteps stoppable;
  while (true) {
    HistoryEntry last{state.rr, 0, state.status, submitted_};
    if (state.status == Status::running && base_ + submitted_ < sys_.options.max_iterations) last = iterate();
    starpu_task_wait_for_all();
    result_.seconds = seconds_since(begin);
    result_.recurrence_residual = relative(last.rr);
    result_.iterations = base_ += last.iteration;
    refuse(last);

    // the true residual decides
    state = restart(last.rr);
    starpu_task_wait_for_all();
    result_.true_residual = relative(state.rr);
    // close to the tolerance little remains to be gained, and it is gained in a few iterations
    const bool near = result_.true_residual <= small_drift * sys_.options.tolerance && near_ends_++ < most_near_ends;
    const bool gains = last.status == Status::breakdown || near || fixed || result_.restarts == 0 ||
                       result_.true_residual <= restart_must_gain * previous_true_;
    if (simulated)
      result_.outcome = Outcome::max_iterations;
    else if (state.status == Status::converged)
      result_.outcome = Outcome::converged;
    else if (base_ >= sys_.options.max_iterations)
      result_.outcome = Outcome::max_iterations;
    else if (!gains || (last.iteration == 0 && !kept_))
      result_.outcome = Outcome::stagnated;
    else {
      previous_true_ = result_.true_residual;
      ++result_.restarts;
      continue;
    }
    break;
  }
  mark("end solve");
  for (const int i : sys_.own()) {  // the solution to main memory
    starpu_data_acquire(sys_.x[i], STARPU_R);
    starpu_data_release(sys_.x[i]);
  }
  return std::move(result_);
}

/// b.b
Sum square(std::span<const double> b) {
  const auto n = static_cast<std::int64_t>(b.size());
  constexpr std::int64_t part = 1 << 20;
  std::vector<Sum> sums(static_cast<std::size_t>((n + part - 1) / part));
#pragma omp parallel for schedule(static) if (n > part)
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(sums.size()); ++k) {
    const std::int64_t first = k * part;
    const double* values = b.data() + first;
    sums[static_cast<std::size_t>(k)] = cpu::dot(std::min(part, n - first), values, values);
  }
  Sum total;
  for (const Sum& sum : sums) add(total, sum);
  return total;
}
}  // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::max_iterations:
      return "max_iterations";
    case Outcome::stagnated:
      return "stagnated";
  }
  return "";
}

double norm(std::span<const double> b) {
  Sum total;
  for (const Sum& of_rank : rank_group().all_gather(square(b))) add(total, of_rank);
  return std::sqrt(value(total));
}

SolveResult solve(System& system, std::span<const double> b, const std::string& name,
                  const std::function<void(const Progress&)>& progress, const Checkpoints& checkpoints) {
  return Solver(system, b, name, progress, checkpoints).run();
}

}  // namespace asterism::cg
