// SPDX-License-Identifier: Apache-2.0
// What StarPU adds to a task, measured on the machine at hand with tasks that do next to nothing.
#pragma once

#include <vector>

#include "runtime/machine/platform.hpp"

namespace asterism::apps::platform {

/// Per task of a chain, of which each waits for the one before.
struct ChainTimes {
  double wall = 0;      ///< seconds from the end of one to the end of the next
  double duration = 0;  ///< seconds that StarPU says a task took, which is what recordings hold
};

/// Tasks that all write one datum of eight bytes and read `further` others, on StarPU's workers `workers` in turn: the
/// median of some repetitions. Needs a running Session with these workers. Throws Error (failed).
ChainTimes measure_chain(const std::vector<int>& workers, int further);

/// Of GPUs, by one worker of each: a chain on the first, with few and with many data, and one that goes back and forth
/// between the first two, where the link takes `latency` seconds. With one GPU a copy takes what a launch does.
Overheads measure_overheads(const std::vector<int>& workers, double latency);

}  // namespace asterism::apps::platform
