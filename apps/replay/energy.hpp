// SPDX-License-Identifier: Apache-2.0
// Joules of a replay, and how few any schedule needs, on a platform that says the watts of its units.
#pragma once

#include "apps/common/report.hpp"
#include "apps/replay/graph.hpp"
#include "bounds/schedules/schedule.hpp"

namespace asterism::apps::replay {

/// Nothing on a platform without watts. `seconds`: the makespan. With `work`: the least energy of the graph at this
/// makespan, and the front of makespan and energy from `shortest` on, see bounds/schedules/energy.hpp.
void report_energy(const Graph& graph, const Platform& platform, double seconds, const bounds::Workload* work,
                   double shortest, Report& report);

}  // namespace asterism::apps::replay
