// SPDX-License-Identifier: Apache-2.0
// The schedulers of this library.
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

namespace asterism::schedulers {

/// Static cyclic mapping: block-row i and all its tasks on unit i mod P.
extern starpu_sched_policy cyclic_policy;

/// Every class of tasks on every kind of unit in turn, to measure how long it takes there.
extern starpu_sched_policy calibrate_policy;

/// HeteroPrio: buckets of tasks polled by a priority per kind of unit, and a termination rule.
extern starpu_sched_policy hprio_policy;

/// Farms of independent tasks: one at a time, or batches worth some seconds at a unit's best speed.
extern starpu_sched_policy greedy_policy;
extern starpu_sched_policy assignment_policy;

/// A schedule made before the run: units and order of tasks from a file.
extern starpu_sched_policy static_policy;

/// Enhanced rules: CPUs or GPUs by durations, when a task is ready; then list scheduling.
extern starpu_sched_policy er_ls_policy;

/// A heap of ready tasks per memory node, scored by gain and out-degree, with eviction.
extern starpu_sched_policy multiprio_policy;

}  // namespace asterism::schedulers
