// SPDX-License-Identifier: Apache-2.0
// The whole domain in one array of main memory, and back; over several ranks, each its part.
#pragma once

#include "base/array.hpp"
#include "runtime/ranks/distributed_array.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {

/// Nineteen slots of all cells, slot by slot, x fastest, float or double: see Simulation::get.
Array<char> gather_state(Simulation& simulation, const Problem& problem);
void scatter_state(Simulation& simulation, const Problem& problem, long time, const char* state);
/// rho, u, v, w of all cells. In one process.
Array<char> gather_fields(Simulation& simulation, const Problem& problem);
/// rho, u, v, w of this rank's bricks, as its parts of an array [field][z][y][x] that all ranks share.
DistributedArray deal_fields(Simulation& simulation, const Problem& problem);

}  // namespace asterism::lbm
