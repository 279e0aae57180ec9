// Meshes of the papers' kind, which are not part of the program.
#pragma once

#include <filesystem>
#include <string>

namespace asterism::apps::reproduce {

/// `given`, or where that is empty `name` in the folder ASTERISM_DATA. Throws Error (bad_input), naming the option
/// whose value `given` is: there is no such folder.
std::filesystem::path data_file(const std::string& option, const std::string& given, const std::string& name);

}  // namespace asterism::apps::reproduce
