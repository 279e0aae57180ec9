// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace asterism::tests {

/// Gives a solver the command line in a file: its number from 0 to 4 in the first line, then an argument per line;
/// lines that begin with "config:" are a file for --config instead. Aborts when a refused line is not told in one line,
/// or a line that is taken is not silent.
void parse_command_line(const std::filesystem::path& path);

}  // namespace asterism::tests
