// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/simulation.hpp"

#include <starpu.h>

namespace asterism::lbm {

Simulation::Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement)
    : bricks_(problem, bricks, placement),
      scratch_(Handle::vector(nullptr, codelets::total_scratch_bytes(), 1, "scratch")) {}

Simulation::~Simulation() {
  starpu_task_wait_for_all();
}

}  // namespace asterism::lbm
