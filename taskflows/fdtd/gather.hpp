// A field of the whole domain in one array of main memory, and back.
#pragma once

#include "taskflows/fdtd/simulation.hpp"
#include "taskflows/runtime/array.hpp"

namespace asterism::fdtd {

/// A state: what `set` needs to go on.
struct State {
  long time = 0;
  std::array<Array<char>, 2> field;  ///< E, H: three components of extents(problem), z fastest, float or double
  std::vector<StateArray> further;
};

Array<char> gather(Simulation& simulation, const Problem& problem, Field field);
State gather_state(Simulation& simulation, const Problem& problem);
void scatter_state(Simulation& simulation, const Problem& problem, const State& state);

}  // namespace asterism::fdtd
