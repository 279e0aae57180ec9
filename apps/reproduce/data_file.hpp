// SPDX-License-Identifier: Apache-2.0
// Meshes that experiments read unless others are given.
#pragma once

#include <filesystem>
#include <string>

namespace asterism::apps::reproduce {

/// `given`; where that is empty, `name` in the folder that ASTERISM_DATA names; without that variable, `name` in
/// ../share/asterism/data beside the program. Throws Error (bad_input), naming the option whose value `given` is: no
/// variable, and no such file.
std::filesystem::path data_file(const std::string& option, const std::string& given, const std::string& name);

}  // namespace asterism::apps::reproduce
