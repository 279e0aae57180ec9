// SPDX-License-Identifier: Apache-2.0
// The window bound: work and dependencies together. Heads and tails as in Carlier and Pinson (Management Science 35,
// 1989) and the energy of intervals as in Erschler, Lopez, Thuriot (1991), with the area LP as the energy.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/area.hpp"
#include "traces/recording.hpp"

namespace asterism::bounds {

/// A task graph with what its tasks cost.
struct GraphWork {
  const traces::Recording* recording = nullptr;         ///< its dependencies, and how long the tasks took in it
  const std::vector<std::uint32_t>* of_task = nullptr;  ///< class per task; none for nodes that nobody executes
  const AreaProblem* problem = nullptr;                 ///< kinds, classes
  std::vector<std::vector<double>> least;               ///< [class][kind]: no task of the class takes less, s
  std::vector<double> release{};  ///< per task: it cannot start before, s; empty: nothing is known
  std::vector<double> due{};      ///< per task: as long passes at least after its end, s; empty: nothing is known
  /// Per task: how long all links together need at least for data that this task, and only it, is counted to fetch
  /// before its start, s; empty: nothing.
  std::vector<double> fetch{};
};

struct WindowBound {
  double seconds = 0;
  double after = 0;   ///< a: every task of the window has at least this head, s
  double before = 0;  ///< b: and at least this tail, s
  std::uint64_t tasks = 0;
  double path = 0;           ///< the longest head + duration + tail, s; at least the critical path
  std::vector<double> head;  ///< per task of the recording, s
  std::vector<double> tail;
};

struct WindowOptions {
  std::size_t quantiles = 32;       ///< heads, and tails, that are tried as ends of windows
  std::size_t programs = 12;        ///< windows whose LP is solved
  std::uint64_t visits = 10000000;  ///< tasks that are looked at, in all, to raise heads and tails
  bool raise = true;                ///< false: heads and tails are longest paths
};

/// Let head(t) be a time before which t cannot start and tail(t) a time that has to pass after its end, in every
/// schedule; S the tasks with head >= a and tail >= b. In a schedule of makespan T all of S runs between a and T - b,
/// and units do it in no less than LP(S), see bounds.hpp. So T >= a + LP(S) + b. The result is the largest of the
/// windows tried, the longest head + duration + tail among them.
///
/// Heads begin as longest paths of least durations. They are raised by the same argument: before t starts, all its
/// ancestors with head >= a have run, after a; so head(t) >= a + LP of those. LP is bounded from below by its dual at
/// some fixed prices, a sum over tasks (see solve_area): the ancestors are visited by decreasing head, and every one of
/// them is an a. Tails are heads of the reversed graph.
///
/// Durations: heads and tails take the least of each class and kind. LP(S) takes, per class and kind, the smaller of
/// the problem's duration and the mean of what the tasks of S took in the recording: with n_ck the tasks of S that ran
/// on kind k, sum_c n_ck t_ck is then at most the time of kind k's units between a and T - b of the recorded run, which
/// therefore cannot beat the bound when `least` and the problem are its own.
///
/// Data that tasks fetch: before t starts, the links have carried what its ancestors fetch, and after the last of that
/// one of those ancestors has run; so head(t) >= sum of their fetch + the least of their durations.
///
/// LP(S) is LP where tasks fit (fitting.hpp) for the best window: a task of S that takes longer than T - a - b does not
/// run there. Time: O(visits log visits + tasks), and that of `programs` LPs.
///
/// Throws Error (bad_input) when the dependencies have a cycle.
WindowBound window_bound(const GraphWork& work, const WindowOptions& options = {});

}  // namespace asterism::bounds
