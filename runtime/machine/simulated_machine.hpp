// SPDX-License-Identifier: Apache-2.0
// Whether this program runs on a simulated machine, and on which one. StarPU over SimGrid then executes no kernel: data
// that only kernels write hold nothing, and time passes only as StarPU says (runtime/clock.hpp).
#pragma once

#include "runtime/machine/platform.hpp"

namespace asterism {

/// In a build over SimGrid every task is simulated. What the main program makes of results (norms, files, decisions)
/// has to ask.
extern const bool simulated;

/// Whether all ranks of a cluster are simulated by one process: in a build over SimGrid's SMPI.
bool simulated_cluster();

/// The environment variable that names the file of the platform within a simulated program.
inline constexpr const char* platform_variable = "ASTERISM_SIMULATED_PLATFORM";

/// The machine that is simulated; null when none is. Throws Error (bad_input) when its file cannot be read.
const Platform* simulated_platform();

}  // namespace asterism
