// SPDX-License-Identifier: Apache-2.0
// The real matrices, meshes and particles that tests read.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace asterism::tests {

/// A file by its name in data/ of the repository, or in the folder that ASTERISM_DATA names. Throws std::runtime_error
/// where it is missing: a test that reads it must fail then.
inline std::filesystem::path data_file(const std::string& name) {
  const char* const named = std::getenv("ASTERISM_DATA");
  const std::filesystem::path folder = named != nullptr && *named != '\0'
                                           ? std::filesystem::path(named)
                                           : std::filesystem::path(ASTERISM_SOURCE_DIR) / "data";
  std::filesystem::path file = folder / name;
  if (!std::filesystem::exists(file))
    throw std::runtime_error(file.string() + ": no such file; data/README.md lists it");
  return file;
}

}  // namespace asterism::tests
