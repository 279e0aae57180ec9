// SPDX-License-Identifier: Apache-2.0
// The order of operations. Simulation::advance() submits a group of n_g time steps, n to n + n_g - 1, in three stages
// (Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), equation (2) and sections 3.3 and 6.2):
//
//   M^0 a^n = l^n - sum_(k=1)^Kmax M^k a^(n-k)                                                              (2)
//
//   summation  s_i^(n+g) = sum_j sum_k M^k(i, j) a_j^(n+g-k) over what is known, a^m with m < n: products with slices,
//              then partial sums of units, and of ranks, are added up
//   for each step g of the group
//     solution   M^0 a^(n+g) = l^(n+g) - s^(n+g)
//     radiation  s^(n+h) += M^(h-g) a^(n+g), h > g: with near pairs of unknowns only, the others are further away
//   then windows of past values move on by n_g steps, and the pressure at observers follows from them.
//
// With Method::ahead the summation of the next group is submitted before the solutions of this one, so that both run
// at the same time; the radiation stage then reaches over two groups. (On a GPU what concerns the next one is added
// after the last solution, in one pass.) Over several ranks each rank does the summation with its slices; the sums are
// exchanged by distributed_sums.hpp, and every rank finds all solutions.
//
// flow.cpp has the stages in this order, simulation_windows.cpp the windows, distributed_sums.cpp the exchange,
// simulation_observers.cpp the observers, simulation_state.cpp what a state's file holds.
#pragma once

namespace asterism::tdbem {

/// Tasks that others wait for come first.
enum Priority : int {
  summation_priority = 0,
  window_priority = 1,
  solution_priority = 2,  ///< sums, right-hand sides, solutions, radiation: the chain from step to step
};

/// TaskOptions::worker of a task that any unit may run.
inline constexpr int any_worker = -1;

}  // namespace asterism::tdbem
