// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/dynamics/snapshots.hpp"

#include <algorithm>
#include <string>

#include "io/series/collection.hpp"
#include "io/series/vtkhdf.hpp"
#include "io/text_words.hpp"

namespace asterism::fmm {
namespace {

constexpr const char* member_extension = ".vtp";

/// Whether a list of the times is kept.
bool has_list(const std::filesystem::path& path) {
  return is_collection(path) || output::is_vtkhdf(path);
}

std::string extension_of(const std::filesystem::path& path) {
  return is_collection(path) ? member_extension : path.extension().string();
}

}  // namespace

bool is_collection(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".pvd";
}

void check_snapshot_name(const std::filesystem::path& path) {
  check_output_name(is_collection(path) ? std::filesystem::path(path).replace_extension(member_extension) : path);
}

Snapshots::Snapshots(std::filesystem::path path, std::int64_t keep_until) : path_(std::move(path)) {
  if (!has_list(path_) || keep_until == output::keep_nothing || !std::filesystem::exists(output::list_of(path_)))
    return;
  times_ = output::read_collection(path_, extension_of(path_));
  std::erase_if(times_, [&](const output::SavedTime& saved) { return saved.step > keep_until; });
}

void Snapshots::write(std::int64_t step, double time, const ResultParts& parts) {
  const std::filesystem::path folder = path_.parent_path();
  write_result(folder / output::member_of(path_, step, extension_of(path_)), parts);
  if (!has_list(path_)) return;
  if (times_.empty() || times_.back().step < step) times_.push_back({step, time});
  if (parts.here) output::write_collection(path_, times_, extension_of(path_));
}

}  // namespace asterism::fmm
