// SPDX-License-Identifier: Apache-2.0
// The critical path: the longest chain of dependencies when every task runs at its fastest.
#pragma once

#include <optional>
#include <span>

#include "bounds/network.hpp"
#include "traces/dag.hpp"
#include "traces/recording.hpp"

namespace asterism::bounds {

/// `seconds`: per task of the recording; nodes that nobody executed count 0 whatever it says. With durations that no
/// task of the recording undercuts (the minimum of its class over the kinds, not the mean) the length is at most the
/// makespan: the tasks of a chain ran one after the other. Throws Error (bad_input) when the dependencies have a cycle.
/// Dependencies on tasks of other ranks, through messages, count as all others; with `network` a message takes its
/// least time, latency + bytes / bandwidth, from when what it carries is there until a task may read it.
traces::Path critical_path(const traces::Recording& recording, std::span<const double> seconds,
                           const std::optional<Network>& network = std::nullopt);

}  // namespace asterism::bounds
