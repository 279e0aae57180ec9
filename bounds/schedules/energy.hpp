// SPDX-License-Identifier: Apache-2.0
// The least energy of a task graph for a given makespan, and what a longer makespan saves.
#pragma once

#include <vector>

#include "bounds/area.hpp"
#include "traces/energy.hpp"

namespace asterism::bounds {

struct EnergyPoint {
  double seconds = 0;
  double joules = 0;
};

/// A schedule of makespan T takes I T + sum over tasks of (busy_k - idle_k) t, I being the idle watts of all units, k
/// the kind that a task runs on and t its duration there. Whatever the schedule, the shares x_ck of the tasks of class
/// c that kind k runs meet
///
///   min I T + sum_ck (busy_k - idle_k) N_c t_ck x_ck   such that   sum_c N_c t_ck x_ck <= P_k T for each kind k,
///   sum_k x_ck = 1 for each class c,   x >= 0,
///
/// so that no schedule of this makespan takes less than the optimum. Returned is the value of a dual solution: for any
/// prices p_k >= 0 of a second of kind k the optimum is at least
/// I T + sum_c N_c min_k (busy_k - idle_k + p_k) t_ck - sum_k p_k P_k T, whatever the solver's rounding. Infinite where
/// T is shorter than LP (area.hpp). `power`: per kind of the problem.
double least_energy(const AreaProblem& problem, const std::vector<traces::UnitPower>& power, double seconds);

/// Makespans of at least `shortest` that no other one beats in both makespan and energy by these bounds: from
/// `shortest` to the makespan of the least energy of all, at most `points` at equal distances. least_energy is convex
/// in T, so that the least is found by golden section. One point: a longer schedule saves nothing.
std::vector<EnergyPoint> energy_front(const AreaProblem& problem, const std::vector<traces::UnitPower>& power,
                                      double shortest, std::size_t points = 9);

}  // namespace asterism::bounds
