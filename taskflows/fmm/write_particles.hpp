// Potential and force of every particle, in files that people's tools open.
#pragma once

#include <filesystem>

#include "taskflows/fmm/particles.hpp"

namespace asterism::fmm {

/// Writes positions, charges and results in the particles' order, in the format that the extension tells; the file
/// appears whole or not at all. Throws Error: bad_input for a name that cannot be written, failed for a full disk.
void write_result(const std::filesystem::path& path, const Particles& particles, const Result& result);

/// Throws what write_result() would for this name, before there is something to write: an extension that is none of
/// output_formats(), a folder that is missing or not writable, something other than a regular file.
void check_output_name(const std::filesystem::path& path);

/// Extensions and layouts, one line each, for --help.
const char* output_formats();

}  // namespace asterism::fmm
