// SPDX-License-Identifier: Apache-2.0
// What a simulated machine would have taken for the tasks of a recording on every kind of unit, those included where
// none of them ran: its platform says it.
#pragma once

#include <optional>

#include "runtime/machine/platform.hpp"
#include "traces/energy.hpp"
#include "traces/models/platform_rec.hpp"

namespace asterism::traces {

/// The work of a task by which the platform's costs count. Flops are known to a thousand: tasks.rec has no more digits.
TaskWork work_of(const Recording& recording, std::size_t task);

/// Seconds of an executed task on a kind of unit ("CPU" are cores, all others are GPUs); nothing where it does not run.
std::optional<double> simulated_seconds(const Platform& platform, const Recording& recording, std::size_t task,
                                        std::uint32_t kind);

/// The watts of its units; empty where the platform does not say them.
Power power_of(const Platform& platform);

/// A performance model of every codelet: the mean of each class of tasks (model and footprint) on each kind of unit.
PlatformRec simulated_models(const Platform& platform, const Recording& recording);

}  // namespace asterism::traces
