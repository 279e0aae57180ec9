// SPDX-License-Identifier: Apache-2.0
// The area bound of schedules in which every task fits into the makespan. Lenstra, Shmoys, Tardos, Approximation
// algorithms for scheduling unrelated parallel machines, Mathematical Programming 46 (1990).
#pragma once

#include "bounds/area.hpp"

namespace asterism::bounds {

/// Seconds: the least T such that LP with only the pairs of class and kind whose duration is at most T has a value of
/// at most T. LP alone may put a part of a task where the whole task would take longer than T; no schedule of makespan
/// T runs it there, so this is a lower bound too. LP <= T <= MILP.
///
/// Let tau_1 < tau_2 < ... be the durations, LP_k the value of LP with those up to tau_k; LP_k does not increase with k
/// and is the value for all T from tau_k up to tau_k+1. So T = min_k max(LP_k, tau_k), attained at the first k with
/// LP_k < tau_k+1 or at the last: found by bisection. Where rounding lets LP_k fall on the wrong side of tau_k+1 the
/// result is still a bound, since LP_k is one.
///
/// With durations that are means over a class it is a bound in the sense in which LP is one: see bounds.hpp.
///
/// `area`: what solve_area gives for `problem`. Throws Error as solve_area does.
double solve_fitting(const AreaProblem& problem, const AreaSolution& area, const AreaOptions& options = {});

}  // namespace asterism::bounds
