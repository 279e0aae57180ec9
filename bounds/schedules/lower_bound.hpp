// SPDX-License-Identifier: Apache-2.0
// A lower bound of the makespan of a task graph on a machine, copies between memories included: all bounds of this
// folder and of the folder above together.
#pragma once

#include <map>
#include <string>

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

struct LowerBound {
  double seconds = 0;
  /// "LP where tasks fit", "LP of whole tasks", "LP with links", "windows", "copies", "first copies", "first datum",
  /// "cuts" or "placement"
  const char* by = "";
  double lp = 0;    ///< area LP alone, s: work without dependencies and copies
  double path = 0;  ///< critical path alone, s: each task at its fastest
  /// Per name as in `by`: what it says of the schedules shorter than `upper`, or `upper`, s.
  std::map<std::string, double> each{};
};

/// No schedule is shorter, or shorter than `upper`, the makespan of some schedule or any other time.
///
/// For a time U, let S be the schedules shorter than U. In these no task runs on a kind where head + duration + tail
/// exceed U; without such kinds heads and tails grow, which excludes more: this is repeated. If what the bounds then
/// give is B, no schedule is shorter than min(U, B): those of S take B or longer, all others U. Where the result is U,
/// S is empty. U begins as `upper`; the least makespan is then searched for by bisection between the bound known and
/// U, as a smaller U excludes more kinds (destructive improvement: Klein and Scholl, EJOR 112, 1999).
///
/// The bounds: LP where tasks fit, the window bound (windows.hpp) with what data in main memory need to reach tasks
/// that run elsewhere, copies between memories (copy_bound.hpp), work and copies together (placement_bound.hpp), a
/// datum that GPUs wait for at first (first_datum.hpp), sums of all these between cuts (cuts.hpp), and two that are
/// only here.
///
/// Whole tasks: let f be a function with sum f(x_i) <= 1 wherever x_i >= 0 and sum x_i <= 1, such as f(x) = x where
/// (k + 1) x is whole and floor((k + 1) x) / k elsewhere, k = 1, 2, ... (Fekete, Schepers, Math. Programming 91, 2001).
/// Tasks that a unit does within U one after the other take parts of U that add up to 1 at most, and so do their f. So
/// if LP with durations U f(t / U) exceeds U, S is empty: five tasks of more than U / 2 need five units.
///
/// First copies: the links from main memory carry the data that tasks elsewhere read before anyone wrote them; with
/// q(d) = tail + duration of such a reader of d, the largest of them, and p(d) = seconds of d over the capacity of the
/// links (link_time.hpp) or bytes of d over what all links carry, T >= the largest, over q, of the sum of p(d) with
/// q(d) >= q, plus q, plus in the latter case a latency: the last of these d to arrive has a reader that begins later
/// (Jackson's schedule for one machine with tails).
LowerBound lower_bound(const Workload& work, double upper);

}  // namespace asterism::bounds
