// SPDX-License-Identifier: Apache-2.0
// The state of a run in one HDF5 file: "u" and "time" in steps. Read back, it is the same to the last bit.
#pragma once

#include <filesystem>

#include "taskflows/decay/simulation.hpp"

namespace asterism::decay {

/// Throws Error (failed) when it cannot be written; then the file is as it was.
void write_checkpoint(const std::filesystem::path& path, const Simulation& simulation);
/// Throws Error (bad_input): not a state of so many points.
void read_checkpoint(const std::filesystem::path& path, Simulation& simulation);

}  // namespace asterism::decay
