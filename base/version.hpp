// SPDX-License-Identifier: Apache-2.0
// What this Asterism is: its version, its commit and what was built in.
#pragma once

#include <string>

namespace asterism {

/// As CMakeLists.txt has it: "0.2.0".
const char* version();

/// The answer to --version: version, commit where it is known, and the StarPU, CUDA, MPI and simulators built in, in
/// two lines. `program`: its name.
std::string version_text(const std::string& program);

}  // namespace asterism
