// SPDX-License-Identifier: Apache-2.0
// Is the answer right? Compared with the published sum of the benchmark, the exact mode or field of a case, or a simple
// solver in double precision that shares no code (reference/).
#pragma once

#include "base/verdict.hpp"
#include "taskflows/fdtd/cases.hpp"
#include "taskflows/fdtd/division.hpp"

namespace asterism::fdtd {

/// Throws Error (bad input) when this run cannot be verified in reasonable time.
void require_verifiable(const Case& problem_case, long steps);

/// The simple solver takes part after as many steps as are affordable. Collective over the ranks, which all get the
/// same verdict; each compares what it has.
Verdict verify(const Case& problem_case, Simulation& simulation, const Division& division, long steps);

}  // namespace asterism::fdtd
