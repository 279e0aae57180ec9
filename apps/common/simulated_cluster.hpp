// SPDX-License-Identifier: Apache-2.0
// --simulate with --nodes: a program on a cluster of simulated machines, all of whose ranks are one process (SimGrid's
// SMPI), which loads a third build of the program once for each of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/machine/platform.hpp"

namespace asterism::apps {

/// Runs the program that has these arguments, its name first, on `nodes` machines of `platform`, read from `file`; its
/// output is this process's. Returns its exit status. Throws Error: bad_input when there is no such program or network,
/// failed when it cannot be started.
int run_on_cluster(const Platform& platform, const std::filesystem::path& file, int nodes,
                   const std::vector<std::string>& arguments);

}  // namespace asterism::apps
