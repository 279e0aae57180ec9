// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_library.hpp"

#include <filesystem>
#include <system_error>

namespace asterism {

std::string library_beside_program(const char* file) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* folder : {".", "lib", "../lib/asterism", "../lib", "../../lib"}) {
    const auto candidate = program / folder / file;
    if (std::filesystem::exists(candidate, ignored)) return std::filesystem::weakly_canonical(candidate).string();
  }
  return {};
}

}  // namespace asterism
