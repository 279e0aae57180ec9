// SPDX-License-Identifier: Apache-2.0
// Is the answer right?
#pragma once

#include "base/verdict.hpp"
#include "taskflows/heat/cases.hpp"
#include "taskflows/heat/simulation.hpp"

namespace asterism::heat {

/// u against the exact answer of the scheme, or against the reference after the same number of steps.
Verdict verify(const Case& problem_case, const Simulation& simulation);

}  // namespace asterism::heat
