// SPDX-License-Identifier: Apache-2.0
// The data of a simulation as StarPU sees them: u of every block. flow.cpp has the order of operations, checkpoint.cpp
// the state on file.
#pragma once

#include <vector>

#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "taskflows/decay/decomposition.hpp"
#include "taskflows/decay/problem.hpp"

namespace asterism::decay {

class Simulation {
 public:
  /// Registers the data and sets u to the problem's initial values.
  Simulation(const Problem& problem, int blocks);

  /// Values of a block.
  struct Field {
    HostBuffer<double> memory;
    Handle u;
  };

  Problem problem;
  Decomposition decomposition;
  std::vector<Field> fields;  ///< [block]
  long time = 0;              ///< steps

  /// u at all points; waits for the tasks that write it.
  [[nodiscard]] std::vector<double> values() const;
  /// Sets u at all points at a time, in steps.
  void set(long time, const std::vector<double>& values);
};

}  // namespace asterism::decay
