// SPDX-License-Identifier: Apache-2.0
#include "io/series/hdf5_groups.hpp"

#include <fmt/format.h>

#include <string_view>

namespace asterism::output {
namespace {

constexpr std::string_view group_mark = "step_";

}  // namespace

std::string group_of(std::int64_t step) {
  return fmt::format("{}{:010}", group_mark, step);
}

std::filesystem::path xdmf_of(std::filesystem::path path) {
  return path.replace_extension(".xdmf");
}

SavedGroups saved_groups(const Hdf5Input& file, std::int64_t keep_until) {
  SavedGroups saved;
  for (const std::string& group : file.members()) {
    if (!group.starts_with(group_mark)) continue;
    const std::int64_t step = file.integer_attribute(group, "step");
    if (step > keep_until)
      saved.dropped.push_back(group);
    else
      saved.kept.push_back({step, file.number_attribute(group, "time")});
  }
  return saved;
}

void remove(const std::filesystem::path& path, const std::vector<std::string>& groups) {
  Hdf5Output file(path, Hdf5Output::Existing::extend);
  for (const std::string& group : groups) file.remove(group);
  file.commit();
}

}  // namespace asterism::output
