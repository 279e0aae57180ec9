// SPDX-License-Identifier: Apache-2.0
// The data of a simulation as StarPU sees them: u of every block twice, now and a step later, and the rows of it that
// neighbours need. flow.cpp has the order of operations, checkpoint.cpp the state on file.
#pragma once

#include <array>
#include <vector>

#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "taskflows/heat/decomposition.hpp"
#include "taskflows/heat/problem.hpp"

namespace asterism::heat {

class Simulation {
 public:
  /// Registers the data and sets u to the problem's initial values.
  Simulation(const Problem& problem, int blocks);

  /// Values of a block at one of two times.
  struct Field {
    HostBuffer<double> memory;
    Handle u, first, last;
  };

  Problem problem;
  Decomposition decomposition;
  std::array<std::vector<Field>, 2> fields;  ///< [time mod 2][block]
  long time = 0;                             ///< steps

  /// u of the whole grid, x fastest; waits for the tasks that write it.
  [[nodiscard]] std::vector<double> values() const;
  /// Sets u of the whole grid at a time, in steps.
  void set(long time, const std::vector<double>& values);
};

}  // namespace asterism::heat
