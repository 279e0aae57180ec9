// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/dynamics/snapshots.hpp"

#include <algorithm>
#include <string>

#include "io/series/collection.hpp"
#include "io/text_words.hpp"

namespace asterism::fmm {
namespace {

constexpr const char* member_extension = ".vtp";

}  // namespace

bool is_collection(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".pvd";
}

void check_snapshot_name(const std::filesystem::path& path) {
  check_output_name(is_collection(path) ? std::filesystem::path(path).replace_extension(member_extension) : path);
}

Snapshots::Snapshots(std::filesystem::path path, std::int64_t keep_until) : path_(std::move(path)) {
  if (!is_collection(path_) || keep_until == output::keep_nothing || !std::filesystem::exists(path_)) return;
  times_ = output::read_collection(path_, member_extension);
  std::erase_if(times_, [&](const output::SavedTime& saved) { return saved.step > keep_until; });
}

void Snapshots::write(std::int64_t step, double time, const ResultParts& parts) {
  const std::string extension = is_collection(path_) ? member_extension : path_.extension().string();
  const std::filesystem::path folder = path_.parent_path();
  write_result(folder / output::member_of(path_, step, extension), parts);
  if (!is_collection(path_)) return;
  if (times_.empty() || times_.back().step < step) times_.push_back({step, time});
  if (parts.here) output::write_collection(path_, times_, member_extension);
}

}  // namespace asterism::fmm
