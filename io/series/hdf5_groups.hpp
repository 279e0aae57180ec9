// SPDX-License-Identifier: Apache-2.0
// The times of a series in an HDF5 file: a group "step_0000000010" for each, with attributes `step` and `time`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "io/series/series.hpp"

namespace asterism::output {

std::string group_of(std::int64_t step);
/// NAME.xdmf, which describes NAME.h5 to ParaView.
std::filesystem::path xdmf_of(std::filesystem::path path);

struct SavedGroups {
  std::vector<SavedTime> kept;
  std::vector<std::string> dropped;  ///< groups after the step that is kept last
};
/// Throws Error (bad_input) for groups without a step and a time.
SavedGroups saved_groups(const Hdf5Input& file, std::int64_t keep_until);
/// Takes groups out of a file that nobody reads; it is as before until this is complete. Throws Error.
void remove(const std::filesystem::path& path, const std::vector<std::string>& groups);

}  // namespace asterism::output
