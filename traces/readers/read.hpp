// SPDX-License-Identifier: Apache-2.0
// Reads what StarPU records: FxT files (through StarPU's own converter), or what starpu_fxt_tool made of them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::traces {

struct ReadOptions {
  Window window;
  std::string name;      ///< title; default: the first path's name
  bool partial = false;  ///< accept a recording whose end is missing
  /// called now and then with the fraction read, in [0, 1]
  std::function<void(double)> progress;
};

/// `paths`: a folder with tasks.rec and/or paje.trace (plain or .gz; data.rec, comms.rec, clocks.rec beside them are
/// used), some of these files, or FxT files: one, or one per MPI rank. Ranks are brought onto one time axis
/// (clocks.hpp), and tasks depend on those of other ranks whose data a message brought. Memory stays proportional to
/// the number of tasks and changes of state, whatever the files' size. Throws Error (bad_input) naming file, line, what
/// was found and what was expected.
Recording read(const std::vector<std::filesystem::path>& paths, const ReadOptions& options = {});

/// Runs StarPU's FxT converter on `files` (one per rank), leaving tasks.rec, paje.trace, data.rec, ... in `folder`; of
/// several ranks also comms.rec (messages) and, our own, clocks.rec (each rank's time between StarPU's two barriers).
/// In a child process, since the converter ends the process when a file is broken. Throws Error (bad_input).
void convert_fxt(const std::vector<std::filesystem::path>& files, const std::filesystem::path& folder);

}  // namespace asterism::traces
