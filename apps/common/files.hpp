// SPDX-License-Identifier: Apache-2.0
// What all programs check of their command lines in one place: the files that they name, which may not be read and
// written together as one likes, and numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "io/output_lock.hpp"

namespace asterism::apps {

/// Throws Error (bad_input), one line: two options write the same file, one writes what another reads (--checkpoint may
/// replace the file of --restart), or an output is a device, a pipe or a socket. Remembers the outputs for
/// lock_outputs().
void check_files(const CLI::App& app);

/// Throws Error (bad_input): an option that takes numbers has one that is infinite or not a number.
void check_numbers(const CLI::App& app);

/// Locks the outputs of check_files() until the locks end; rank 0 alone has any. Throws Error (bad_input) when another
/// program writes one of them.
[[nodiscard]] std::vector<std::unique_ptr<OutputLock>> lock_outputs();

}  // namespace asterism::apps
