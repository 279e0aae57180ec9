// SPDX-License-Identifier: Apache-2.0
// The sub-command farm: many independent domains on all units.
#pragma once

namespace asterism::apps::fdtd {

/// `argv[0]` is the name of the sub-command. Returns the exit status.
int farm_command(int argc, char** argv);

}  // namespace asterism::apps::fdtd
