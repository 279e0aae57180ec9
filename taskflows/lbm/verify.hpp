// SPDX-License-Identifier: Apache-2.0
// How far a simulation is from independent answers.
#pragma once

#include "base/verdict.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {

/// Throws Error (bad input) when there would be nothing to compare with after so many steps: a steady solution that is
/// not reached yet, a domain too large for the two-copy solver.
void require_verifiable(const Case& flow, long steps);

/// The present state against the exact solution.
Verdict compare_with_exact(const Case& flow, Simulation& simulation);

/// A second simulation of the first steps of the flow, in the same pieces, against the two-copy solver of
/// reference.hpp.
Verdict compare_with_reference(const Case& flow, const std::vector<BrickPlace>& bricks, const Placement& placement,
                               long steps);

}  // namespace asterism::lbm
