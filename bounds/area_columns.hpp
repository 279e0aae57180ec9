// SPDX-License-Identifier: Apache-2.0
// The area bound for many classes: its linear program column by column.
#pragma once

#include <vector>

#include "bounds/area.hpp"

namespace asterism::bounds {

/// What a second of a kind's work and a byte into its memories cost; sum_k (P_k work_k + B_k bytes_k) = 1.
struct Prices {
  std::vector<double> work;
  std::vector<double> bytes;
};

/// Divides by the sum above.
Prices normalised(const AreaProblem& problem, Prices prices);

/// The kind on which a task of the class costs least, and that cost.
struct Choice {
  std::size_t kind = 0;
  double cost = impossible;
};
Choice cheapest(const TaskClass& tasks, const Prices& prices);

/// A lower bound of T for any normalised prices: sum_c N_c min_k (work_k t_ck + bytes_k w_c).
double dual_value(const AreaProblem& problem, const Prices& prices);

struct AreaOptimum {
  Prices prices;
  std::vector<std::vector<double>> tasks;  ///< [class][kind]
};

/// Dantzig and Wolfe's decomposition (Operations Research 8, 1960): the solution is a mixture of assignments, each of
/// which puts whole classes on kinds. A linear program with a row per kind, not per class, finds the best mixture of
/// those known; its dual values are prices; the assignment cheapest at these prices is added, and its cost is a lower
/// bound. Ends when mixture and bound agree, or no new assignment is cheaper: after finitely many steps.
AreaOptimum area_by_columns(const AreaProblem& problem, double scale);

}  // namespace asterism::bounds
