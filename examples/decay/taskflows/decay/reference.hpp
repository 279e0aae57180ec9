// SPDX-License-Identifier: Apache-2.0
// An answer that shares no code with the solver: the exact one of the scheme.
#pragma once

#include <vector>

#include "taskflows/decay/problem.hpp"

namespace asterism::decay {

/// u after so many steps.
std::vector<double> reference(const Problem& problem, long steps);

}  // namespace asterism::decay
