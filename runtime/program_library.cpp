// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>
#include <vector>

namespace asterism {
namespace {

namespace fs = std::filesystem;

/// The folder of the shared library that this function is in; empty: it is in the program.
fs::path folder_of_library() {
  static const char in_this_library = 0;
  Dl_info info = {};
  link_map* map = nullptr;
  if (dladdr1(&in_this_library, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  if (map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0') return {};
  std::error_code ignored;
  return fs::canonical(map->l_name, ignored).parent_path();
}

}  // namespace

std::string library_beside_program(const char* file) {
  std::error_code ignored;
  std::vector<fs::path> places;
  if (const fs::path library = folder_of_library(); !library.empty())
    for (const char* folder : {".", "asterism", "../asterism"}) places.push_back(library / folder);
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* folder : {".", "lib", "../lib/asterism", "../lib", "../../lib"}) places.push_back(program / folder);
  for (const fs::path& place : places)
    if (fs::exists(place / file, ignored)) return fs::weakly_canonical(place / file).string();
  return {};
}

}  // namespace asterism
