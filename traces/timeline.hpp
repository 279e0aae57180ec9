// SPDX-License-Identifier: Apache-2.0
// From tasks and recorded states to what each unit did at each instant.
#pragma once

#include <deque>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::traces {

/// Fills recording.timeline for [begin, end]: tasks on top; between them `states` (per unit, sorted by start, may be
/// empty); idle where nothing was recorded. Then time in which a unit does not compute while a transfer of the data of
/// the task it runs next is under way to its memory becomes State::waiting. `states` is consumed.
void build_timeline(Recording& recording, std::vector<std::deque<Span>> states);

}  // namespace asterism::traces
