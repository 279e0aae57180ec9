// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/airplane.hpp"

#include "apps/reproduce/data_file.hpp"

namespace asterism::apps::reproduce {

void add_mesh(CLI::App& app, std::string& mesh) {
  app.add_option("--mesh", mesh, "Closed surface (default: meshes/airliner_coarse.off.gz of data/ or $ASTERISM_DATA)");
}

std::filesystem::path airplane(const std::string& mesh) {
  return data_file("--mesh", mesh, "meshes/airliner_coarse.off.gz");
}

}  // namespace asterism::apps::reproduce
