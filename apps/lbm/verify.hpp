// Is the flow right?
#pragma once

#include "apps/common/verdict.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::apps::lbm {

/// Throws Error (bad input) when there would be nothing to compare with after so many steps: a steady solution that is
/// not reached yet, a domain too large for the two-copy solver.
void require_verifiable(const asterism::lbm::Case& flow, long steps);

/// The present state against the exact solution.
Verdict compare_with_exact(const asterism::lbm::Case& flow, asterism::lbm::Simulation& simulation);

/// The first steps of the flow, done once more in the same pieces, against the two-copy solver.
Verdict compare_with_reference(const asterism::lbm::Case& flow, const std::vector<asterism::lbm::BrickPlace>& bricks,
                               const asterism::lbm::Placement& placement, long steps);

}  // namespace asterism::apps::lbm
