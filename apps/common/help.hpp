// SPDX-License-Identifier: Apache-2.0
// Help that teaches: --help shows examples and the options that matter first, --help-all every option.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace asterism::apps {

/// --help shows the options `first` alone, in this order; --help-all all of them in their groups. Without `first`,
/// --help shows all. Ranges and enumerations are shown in words.
void add_help(CLI::App& app, std::vector<std::string> first = {});

/// --config: options from a file. A key that is no option is an error.
void add_config(CLI::App& app);
/// Throws Error (bad_input) when --config names something other than a regular file of at most 16 MiB.
void check_config(int argc, const char* const* argv);

/// The nearest option to one that there is not: "; the nearest is --stencil". Empty: none is near.
std::string nearest_option(const CLI::App& app, const std::string& given);

/// What is wrong with the arguments of `app`, with the nearest option for one that is misspelt.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace asterism::apps
