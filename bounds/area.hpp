// SPDX-License-Identifier: Apache-2.0
// The area bound: the least time in which the units can do all work when tasks may be cut (moldable) and have no
// dependencies. Agullo, Bramas, Coulaud, Darve, Messner, Takahashi (SISC 2014), section 4.4.1, equations (8) and (9).
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "bounds/linear_program.hpp"

namespace asterism::bounds {

/// A duration that says: no unit of this kind runs such a task.
inline constexpr double impossible = std::numeric_limits<double>::infinity();

struct UnitKind {
  std::string name;
  double units = 0;
  /// bytes/s that all memories of this kind together receive from outside; infinite: not considered
  double receives = std::numeric_limits<double>::infinity();
};

/// Tasks that cost the same on each kind of unit.
struct TaskClass {
  std::string name;
  double tasks = 0;
  std::vector<double> seconds;  ///< per kind, of one task
  double bytes = 0;             ///< per task: what a kind with its own memory receives for it, see communication.hpp
};

struct AreaProblem {
  std::vector<UnitKind> kinds;
  std::vector<TaskClass> classes;
};

struct AreaSolution {
  double seconds = 0;                      ///< T
  std::vector<std::vector<double>> tasks;  ///< [class][kind]: how many of the class the kind processes
  std::vector<double> load;                ///< per kind: work, in seconds times units
  /// Per kind: by how much T falls, relative to T, when the kind grows by a small fraction, relative to that fraction.
  /// The kinds' shares and `link_share` sum to one; 0 for a kind that does not limit the makespan.
  std::vector<double> share;
  std::vector<double> link_share;  ///< the same for the links into the kind's memories
};

struct AreaOptions {
  /// With more classes the program is solved column by column (area_columns.hpp): lp_solve's time grows with the square
  /// of the number of rows, seconds at some thousands.
  std::size_t most_rows = 500;
};

/// Equations (8) and (9), one variable per class and kind instead of one per task and unit. With x_ck the share of the
/// N_c tasks of class c that kind k processes, on P_k units:
///
///   min T   such that   sum_c N_c t_ck x_ck <= P_k T  for each kind k,   sum_k x_ck = 1  for each class c,   x >= 0,
///   and, where links count,   sum_c N_c w_c x_ck <= B_k T  (w bytes received per task, B bytes/s).
///
/// Both have the same optimum. From a solution alpha of (8), (9), x_ck = sum over c's tasks and k's units of
/// alpha / N_c meets the constraints above: adding the P_k inequalities (8) of kind k gives its load. From a solution
/// x, alpha = x_ck / P_k for each task of c and each unit of k meets (8) and (9): every unit of k carries 1/P_k of its
/// load.
///
/// `scale`: the unit of time of the coefficients, in seconds.
LinearProgram area_program(const AreaProblem& problem, double scale = 1);

/// Throws Error (bad_input) for a class that no kind can run.
void require_runnable(const AreaProblem& problem);

/// Solves it. T is the value of the dual solution, which is a lower bound whatever the solver's rounding: for any
/// prices pi_k >= 0 with sum_k P_k pi_k = 1, T >= sum_c N_c min_k pi_k t_ck. Throws Error: failed when primal and dual
/// values differ by more than 1e-7 (1e-9 is asked of the solver), bad_input for a class that no kind can run.
AreaSolution solve_area(const AreaProblem& problem, const AreaOptions& options = {});

}  // namespace asterism::bounds
