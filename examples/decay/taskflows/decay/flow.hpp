// SPDX-License-Identifier: Apache-2.0
// The order of operations.
#pragma once

#include "taskflows/decay/simulation.hpp"

namespace asterism::decay {

/// Submits the tasks of so many time steps; nothing waits.
void advance(Simulation& simulation, long steps);

}  // namespace asterism::decay
