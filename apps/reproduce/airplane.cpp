#include "apps/reproduce/airplane.hpp"

#include <cstdlib>

#include "taskflows/runtime/error.hpp"

namespace asterism::apps::reproduce {

void add_mesh(CLI::App& app, std::string& mesh) {
  app.add_option("--mesh", mesh, "Closed surface (default: the airplane of $ASTERISM_DATA/meshes)");
}

std::filesystem::path airplane(const std::string& mesh) {
  if (!mesh.empty()) return mesh;
  const char* const data = std::getenv("ASTERISM_DATA");
  if (data == nullptr) bad_input("--mesh: not given, and ASTERISM_DATA does not name a folder with meshes");
  return std::filesystem::path(data) / "meshes" / "a319_3506.off";
}

}  // namespace asterism::apps::reproduce
