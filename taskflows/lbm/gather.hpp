// The whole domain in one array of main memory, and back.
#pragma once

#include "taskflows/lbm/simulation.hpp"
#include "taskflows/runtime/array.hpp"

namespace asterism::lbm {

/// Nineteen slots of all cells, slot by slot, x fastest, float or double: see Simulation::get.
Array<char> gather_state(Simulation& simulation, const Problem& problem);
void scatter_state(Simulation& simulation, const Problem& problem, long time, const char* state);
/// rho, u, v, w of all cells.
Array<char> gather_fields(Simulation& simulation, const Problem& problem);

}  // namespace asterism::lbm
