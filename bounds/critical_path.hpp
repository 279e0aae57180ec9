// The critical path: the longest chain of dependencies when every task runs at its fastest.
#pragma once

#include <span>

#include "traces/dag.hpp"
#include "traces/recording.hpp"

namespace asterism::bounds {

/// `seconds`: per task of the recording; nodes that nobody executed count 0 whatever it says. With durations that no
/// task of the recording undercuts (the minimum of its class over the kinds, not the mean) the length is at most the
/// makespan: the tasks of a chain ran one after the other. Throws Error (bad_input) when the dependencies have a cycle.
traces::Path critical_path(const traces::Recording& recording, std::span<const double> seconds);

}  // namespace asterism::bounds
