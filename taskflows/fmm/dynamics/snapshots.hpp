// SPDX-License-Identifier: Apache-2.0
// Moving particles every few steps: a file for each, NAME_STEP with ten digits and the extension, and, where that is
// the name, NAME.pvd or NAME.vtkhdf.series, which lists them for ParaView.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "io/series/series.hpp"
#include "taskflows/fmm/particles/write_particles.hpp"

namespace asterism::fmm {

class Snapshots {
 public:
  /// `path`: NAME.pvd, whose members are .vtp, or a name that write_result() takes. An existing list is continued
  /// after `keep_until` (output::keep_nothing: it begins anew).
  Snapshots(std::filesystem::path path, std::int64_t keep_until);

  /// All ranks call it. Throws Error (failed): what was written before stays.
  void write(std::int64_t step, double time, const ResultParts& parts);

 private:
  std::filesystem::path path_;
  std::vector<output::SavedTime> times_;
};

/// Whether a name is of a collection.
bool is_collection(const std::filesystem::path& path);
/// Throws Error (bad_input), as check_output_name(), of a collection or of a single file.
void check_snapshot_name(const std::filesystem::path& path);

}  // namespace asterism::fmm
