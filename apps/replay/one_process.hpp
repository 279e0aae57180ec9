// SPDX-License-Identifier: Apache-2.0
// The recording of several ranks as one process that has the data of all of them.
#pragma once

#include <string_view>

#include "traces/recording.hpp"

namespace asterism::apps::replay {

/// The name of the nodes that stand for messages: no unit executes them; each reads the sender's datum and writes the
/// receiver's.
inline constexpr std::string_view message_name = "message between ranks";

/// All ranks' tasks, in the order in which they were submitted, with their dependencies and each rank's own data. A
/// message becomes a node between the task after which it was sent and the one that waited for it, where both data are
/// known; where they are not, their dependency remains. The network takes no time.
traces::Recording as_one_process(const traces::Recording& recording);

}  // namespace asterism::apps::replay
