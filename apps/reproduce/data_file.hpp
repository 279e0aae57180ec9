// SPDX-License-Identifier: Apache-2.0
// Meshes that experiments read unless others are given.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace asterism::apps::reproduce {

/// `given`; where that is empty, `name` in the folder that ASTERISM_DATA names; without that variable, `name` in
/// ../share/asterism/data beside the program. Throws Error (bad_input), naming the option whose value `given` is: no
/// variable, and no such file.
std::filesystem::path data_file(const std::string& option, const std::string& given, const std::string& name);

/// N of the airplane of the TD-BEM paper.
inline constexpr int airplane_unknowns = 23962;

/// --mesh of its experiments.
void add_mesh(CLI::App& app, std::string& mesh);
/// `mesh`, or where that is empty the airliner among the data (data_file).
std::filesystem::path airplane(const std::string& mesh);

}  // namespace asterism::apps::reproduce
