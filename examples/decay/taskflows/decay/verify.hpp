// SPDX-License-Identifier: Apache-2.0
// Is the answer right?
#pragma once

#include "base/verdict.hpp"
#include "taskflows/decay/cases.hpp"
#include "taskflows/decay/simulation.hpp"

namespace asterism::decay {

/// u against the reference after the same number of steps.
Verdict verify(const Case& problem_case, const Simulation& simulation);

}  // namespace asterism::decay
