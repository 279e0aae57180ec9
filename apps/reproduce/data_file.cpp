// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/data_file.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace asterism::apps::reproduce {
namespace fs = std::filesystem;

fs::path data_file(const std::string& option, const std::string& given, const std::string& name) {
  if (!given.empty()) return given;
  if (const char* const named = std::getenv("ASTERISM_DATA"); named != nullptr && *named != '\0')
    return fs::path(named) / name;
  const fs::path file =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share" / "asterism" / "data" / name;
  if (!fs::exists(file))
    bad_input("{}: not given; {} does not exist, and ASTERISM_DATA does not name a folder with {}", option,
              file.string(), name);
  return file;
}

void add_mesh(CLI::App& app, std::string& mesh) {
  app.add_option("--mesh", mesh, "Closed surface (default: meshes/airliner_coarse.off.gz of data/ or $ASTERISM_DATA)");
}

fs::path airplane(const std::string& mesh) {
  return data_file("--mesh", mesh, "meshes/airliner_coarse.off.gz");
}

}  // namespace asterism::apps::reproduce
