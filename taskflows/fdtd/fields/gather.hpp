// SPDX-License-Identifier: Apache-2.0
// Fields of the whole domain in one place, and back; over several ranks on rank 0.
#pragma once

#include "base/array.hpp"
#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// A state: what `set` needs to go on.
struct State {
  long time = 0;
  std::array<Array<char>, 2> field;  ///< E, H: three components of extents(problem), z fastest, float or double
  std::vector<StateArray> auxiliary;
};

/// What Simulation::get hands over on all ranks, on rank 0, one part in memory at a time. All ranks have to call it;
/// the others' `write` is not called.
void get_from_ranks(Simulation& simulation, Field field, const Simulation::Write& write);

/// Values of all entries: three components, z fastest; nothing on other ranks than 0.
Array<char> gather(Simulation& simulation, const Problem& problem, Field field);
/// In one process.
State gather_state(Simulation& simulation, const Problem& problem);
void scatter_state(Simulation& simulation, const Problem& problem, const State& state);

}  // namespace asterism::fdtd
