// SPDX-License-Identifier: Apache-2.0
// The graph of a recording's dependencies.
#pragma once

#include <functional>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::traces {

/// Per task: those that wait for it.
Lists<std::uint32_t> successors(const Recording& recording);

/// Every task after those it depends on. Throws Error (bad_input) when the dependencies have a cycle.
std::vector<std::uint32_t> topological_order(const Recording& recording);

struct Path {
  double length = 0;                 ///< sum of the weights, and of the delays
  std::vector<std::uint32_t> tasks;  ///< in order, nodes that nobody executed left out
  std::uint64_t messages = 0;        ///< dependencies between tasks of different ranks
};

/// A path of largest total weight; `weight(task)` >= 0. `delay(task, before)` >= 0: what the dependency of a task on
/// `before` takes, by their numbers; none: nothing.
Path longest_path(const Recording& recording, const std::function<double(const Task&)>& weight,
                  const std::function<double(std::uint32_t, std::uint32_t)>& delay = {});

}  // namespace asterism::traces
