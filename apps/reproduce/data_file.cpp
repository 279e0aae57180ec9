#include "apps/reproduce/data_file.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace asterism::apps::reproduce {

std::filesystem::path data_file(const std::string& option, const std::string& given, const std::string& name) {
  if (!given.empty()) return given;
  const char* const data = std::getenv("ASTERISM_DATA");
  if (data == nullptr) bad_input("{}: not given, and ASTERISM_DATA does not name a folder with meshes", option);
  return std::filesystem::path(data) / name;
}

}  // namespace asterism::apps::reproduce
