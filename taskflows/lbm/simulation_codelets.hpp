// The codelets of a simulation's precision.
#pragma once

#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {

struct Simulation::Codelets {
  starpu_codelet &advance, &forward, &complete, &observe, &total, &store, &load;
};

}  // namespace asterism::lbm
