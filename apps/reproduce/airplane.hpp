// SPDX-License-Identifier: Apache-2.0
// The body of the TD-BEM paper's experiments: an airplane, unless another mesh is given.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace asterism::apps::reproduce {

/// N of the paper's airplane.
inline constexpr int airplane_unknowns = 23962;

/// --mesh.
void add_mesh(CLI::App& app, std::string& mesh);
/// `mesh`, or where that is empty the airliner among the data (data_file). Throws Error (bad_input): it is not there.
std::filesystem::path airplane(const std::string& mesh);

}  // namespace asterism::apps::reproduce
