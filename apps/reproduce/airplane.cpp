#include "apps/reproduce/airplane.hpp"

#include "apps/reproduce/data_file.hpp"

namespace asterism::apps::reproduce {

void add_mesh(CLI::App& app, std::string& mesh) {
  app.add_option("--mesh", mesh, "Closed surface (default: the airplane of $ASTERISM_DATA/meshes)");
}

std::filesystem::path airplane(const std::string& mesh) {
  return data_file("--mesh", mesh, "meshes/a319_3506.off");
}

}  // namespace asterism::apps::reproduce
