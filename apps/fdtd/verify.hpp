// Is the answer right?
#pragma once

#include "apps/common/verdict.hpp"
#include "taskflows/fdtd/cases.hpp"
#include "taskflows/fdtd/division.hpp"

namespace asterism::apps::fdtd {

/// Throws Error (bad input) when this run cannot be verified in reasonable time.
void require_verifiable(const asterism::fdtd::Case& of, long steps);

/// With the published sum, the exact mode, or a simple solver after as many steps as are affordable. Over several ranks
/// all have to call it, and get the same; each compares what it has.
Verdict verify(const asterism::fdtd::Case& of, asterism::fdtd::Simulation& simulation,
               const asterism::fdtd::Division& division, long steps);

}  // namespace asterism::apps::fdtd
