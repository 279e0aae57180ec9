// SPDX-License-Identifier: Apache-2.0
// The interval that holds the least makespan of a task graph on a machine, copies between memories included.
#pragma once

#include <vector>

#include "bounds/schedules/lower_bound.hpp"
#include "bounds/schedules/offline.hpp"

namespace asterism::bounds {

struct Optimum {
  LowerBound lower;
  std::vector<Schedule> schedules;  ///< feasible, the best first
};

/// The schedules of offline_schedules, that with the recording's units and order among them, and the bound below the
/// best of them. Throws Error: failed when the validator refuses a schedule, bad_input when a task runs on no unit.
Optimum optimum(const traces::Recording& recording, const Workload& work, const SearchOptions& options = {});

}  // namespace asterism::bounds
