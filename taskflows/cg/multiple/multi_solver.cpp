// SPDX-License-Identifier: Apache-2.0
// The host's part of a solve with several right-hand sides: what solver.cpp does for one, where nothing unusual
// happens. A right-hand side that would need a restart, or whose matrix or values are at fault, is not settled.
#include <omp.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>

#include "base/as_size.hpp"
#include "runtime/clock.hpp"
#include "taskflows/cg/acquired.hpp"
#include "taskflows/cg/multiple/multi_system.hpp"

namespace asterism::cg {
namespace {

double relative(double rr, double b_norm) {
  return b_norm > 0 ? std::sqrt(rr) / b_norm : std::sqrt(rr);
}

}  // namespace

/// As new, with the residual at which each ends.
void MultiSystem::set_states() {
  const Acquired<State> states(states_, STARPU_RW);
  for (int v = 0; v < vectors_; ++v) {
    states.get()[v] = State{};
    const double b_norm = columns_[as_size(v)].b_norm;
    const double bound = sys_.options.tolerance * (b_norm > 0 ? b_norm : 1);
    states.get()[v].threshold = bound * bound;
  }
}

/// Iterations to submit next: few when the end of the slowest is near, so that little is computed without need.
int MultiSystem::next_window(int submitted) const {
  const std::int64_t left = sys_.options.max_iterations - submitted;
  std::int64_t window = std::min<std::int64_t>(sys_.options.check_every, left);
  double longest = 0;
  for (const Column& column : columns_) {
    if (column.last.status != Status::running) continue;
    const std::vector<double>& h = column.history;
    const double now = h.back();
    if (!(h.size() > 4 && now > 0 && sys_.options.tolerance > 0)) return static_cast<int>(window);
    const std::size_t back = std::min<std::size_t>(h.size() - 1, 32);
    const double slope = std::log(h[h.size() - 1 - back] / now) / static_cast<double>(back);  // per iteration
    if (!(slope > 0)) return static_cast<int>(window);
    longest = std::max(longest, std::log(now / sys_.options.tolerance) / slope);
  }
  return static_cast<int>(std::min(window, static_cast<std::int64_t>(std::clamp(longest / 3, 2.0, 1e6))));
}

/// Reads a window of history; whether all have ended.
bool MultiSystem::read_window(int window, int count) {
  const Acquired<HistoryEntry> entries(history_[as_size(window % 2)], STARPU_R);
  bool running = false;
  for (int v = 0; v < vectors_; ++v) {
    Column& column = columns_[as_size(v)];
    for (int k = 0; k < count && column.last.status == Status::running; ++k) {
      const HistoryEntry& entry = entries.get()[k * vectors_ + v];
      if (entry.iteration > column.last.iteration) column.history.push_back(relative(entry.rr, column.b_norm));
      column.last = entry;
    }
    running = running || column.last.status == Status::running;
  }
  return !running;
}

/// While the units work on one window of iterations, the next is submitted and the one before is looked at.
void MultiSystem::iterate(const std::function<void(const Progress&)>& progress) {
  int submitted = 0;
  int size[2] = {0, 0};
  for (int window = 0;; ++window) {
    int& now = size[window % 2];
    now = next_window(submitted);
    for (int k = 0; k < now; ++k, ++submitted) {
      starpu_iteration_push(static_cast<unsigned long>(submitted));
      submit_iteration(window, k);
      starpu_iteration_pop();
    }
    if (window > 0) {
      const bool ended = read_window(window - 1, size[(window - 1) % 2]);
      if (progress) {
        Progress all{0, sys_.options.max_iterations, 0, sys_.options.tolerance};
        for (const Column& column : columns_) {
          all.iteration = std::max<std::int64_t>(all.iteration, column.last.iteration);
          all.residual = std::max(all.residual, column.history.back());
        }
        progress(all);
      }
      if (ended) return;
    }
    if (now == 0) return;
  }
}

std::vector<MultiSystem::Solved> MultiSystem::solve(std::span<const double* const> b,
                                                    std::span<const double* const> start, std::span<double* const> x,
                                                    const std::function<void(const Progress&)>& progress) {
  const auto rows = static_cast<std::size_t>(sys_.last_row());
  right_ = start_ = {};
  columns_.assign(as_size(vectors_), {});
  for (std::size_t v = 0; v < b.size(); ++v) {
    right_[v] = b[v];
    start_[v] = start[v];
    columns_[v].b_norm = norm({b[v], rows});
  }
  omp_pause_resource_all(omp_pause_soft);  // its threads would spin on the cores of StarPU's workers
  set_states();
  submit_load();
  submit_start();
  {
    const Acquired<State> states(states_, STARPU_R);
    for (int v = 0; v < vectors_; ++v) {
      Column& column = columns_[as_size(v)];
      const State& state = states.get()[v];
      column.last = {state.rr, 0, state.status, 0};
      column.history.push_back(relative(state.rr, column.b_norm));
    }
  }
  starpu_task_wait_for_all();
  const Clock::time_point begin = Clock::now();
  if (std::ranges::any_of(columns_, [](const Column& c) { return c.last.status == Status::running; }))
    iterate(progress);
  starpu_task_wait_for_all();
  // the true residual decides: r <- b - A x
  set_states();
  submit_true_residual();
  starpu_task_wait_for_all();
  const double seconds = seconds_since(begin);

  std::vector<Solved> all(b.size());
  to_ = {};
  for (std::size_t v = 0; v < b.size(); ++v) {
    Column& column = columns_[v];
    const State& state = state_memory_[v];
    SolveResult& result = all[v].result;
    const bool regular = column.last.status == Status::running || column.last.status == Status::converged;
    const bool converged = state.status == Status::converged;
    all[v].settled =
        regular && is_finite(state.rr) && (converged || column.last.iteration >= sys_.options.max_iterations);
    result.outcome = converged ? Outcome::converged : Outcome::max_iterations;
    result.iterations = column.last.iteration;
    result.recurrence_residual = relative(column.last.rr, column.b_norm);
    result.true_residual = relative(state.rr, column.b_norm);
    result.history = std::move(column.history);
    result.seconds = seconds;
    if (all[v].settled) to_[v] = x[v];
  }
  submit_store();
  starpu_task_wait_for_all();
  return all;
}

}  // namespace asterism::cg
