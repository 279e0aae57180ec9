// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace asterism {

/// Description of the machine for reports: processor, cores, memory, NUMA nodes; of the simulated one if there is one,
/// whose main memory is not limited (0).
struct Machine {
  std::string host;
  std::string processor;
  int cores = 0;
  int numa_nodes = 0;
  double memory_bytes = 0;
};
Machine this_machine();

}  // namespace asterism
