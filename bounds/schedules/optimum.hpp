// SPDX-License-Identifier: Apache-2.0
// The interval that holds the least makespan of a task graph on a machine, copies between memories included.
#pragma once

#include <vector>

#include "bounds/schedules/offline.hpp"

namespace asterism::bounds {

struct LowerBound {
  double seconds = 0;
  const char* by = "";  ///< "LP where tasks fit", "windows", "copies", "LP with links"
};

/// The smaller of `upper`, the makespan of some schedule, and the window bound or LP where tasks fit of all shorter
/// ones, with what data in main memory need to reach tasks that run elsewhere, and copies between memories
/// (copy_bound.hpp). In a schedule shorter than `upper` no task runs on a kind where head + duration + tail exceed
/// `upper`; without these kinds heads and tails grow, which excludes more: this is repeated. `recording`: its
/// dependencies are those of `work`.
LowerBound lower_bound(const traces::Recording& recording, const Workload& work, double upper);

struct Optimum {
  LowerBound lower;
  std::vector<Schedule> schedules;  ///< feasible, the best first
};

/// The schedules of offline_schedules, that with the recording's units and order among them, and the bound below the
/// best of them. Throws Error: failed when the validator refuses a schedule, bad_input when a task runs on no unit.
Optimum optimum(const traces::Recording& recording, const Workload& work, const SearchOptions& options = {});

}  // namespace asterism::bounds
