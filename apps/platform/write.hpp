// SPDX-License-Identifier: Apache-2.0
// A platform as a TOML file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/machine/platform.hpp"

namespace asterism::apps::platform {

/// The text that read_platform() reads back as `platform`, with `remarks` as comment lines at its head.
std::string to_toml(const Platform& platform, const std::vector<std::string>& remarks);

/// Whole or not at all. Throws Error (bad_input) when that is not possible.
void write_platform(const std::filesystem::path& file, const Platform& platform,
                    const std::vector<std::string>& remarks);

}  // namespace asterism::apps::platform
