// SPDX-License-Identifier: Apache-2.0
// An answer that shares no code with the solver: two copies of the grid, one loop, the differences written out.
#pragma once

#include <vector>

#include "taskflows/heat/problem.hpp"

namespace asterism::heat {

/// u after so many steps, x fastest.
std::vector<double> reference(const Problem& problem, long steps);

}  // namespace asterism::heat
