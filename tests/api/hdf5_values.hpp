// SPDX-License-Identifier: Apache-2.0
// Numbers in a file that a program has written: read by the house, whose names stay apart from those of the library.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism::tests {

/// All values of a dataset, the last index fastest.
std::vector<double> hdf5_values(const std::filesystem::path& path, const std::string& dataset);

}  // namespace asterism::tests
