// SPDX-License-Identifier: Apache-2.0
// The paper's mixed-integer program: tasks are not cut. For small sets of tasks, to show what cutting them gains.
#pragma once

#include "bounds/area.hpp"

namespace asterism::bounds {

struct MilpOptions {
  int largest = 2000;    ///< integer variables: classes times units
  long time_limit = 60;  ///< seconds
};

/// min T such that each unit's tasks take at most T and each task is on one unit: equations (8) and (9) with alpha in
/// {0, 1} (Figure 14, centre), dependencies and links left out. Tasks of a class are interchangeable, so the variables
/// count the tasks of a class on a unit; units of a kind are, so their loads are asked to decrease. Both spare the
/// search the permutations. T >= LP. Throws Error: bad_input when the set is too large, failed when no optimum was
/// proven in time.
///
/// With durations that are means this is not a lower bound of the run they were measured in: three tasks of 1, 1 and
/// 2 s take 2 s on two units, three tasks of 4/3 s take 8/3 s.
double solve_milp(const AreaProblem& problem, const MilpOptions& options = {});

}  // namespace asterism::bounds
