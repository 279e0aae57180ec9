// SPDX-License-Identifier: Apache-2.0
// StarPU's own performance models, as its runs leave them under STARPU_HOME: sampling/codelets/45/SYMBOL.HOST, one text
// file per model and machine, and sampling/bus/HOST.bandwidth and .latency. Format 45 is that of StarPU 1.4.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/models/platform_rec.hpp"

namespace asterism::traces {

struct SamplingOptions {
  /// Whose models to read; empty: the only host in the folder (several are an error that lists them).
  std::string host;
};

/// The history entries of one model file, per architecture. Where a codelet has several implementations on an
/// architecture the one with the smallest mean counts, as StarPU's schedulers would choose it. Entries of several
/// devices or cores together (parallel tasks) are left out: a unit runs one task. Regressions are left out: their
/// entries, when StarPU kept any, are read. Throws Error (bad_input) naming file and line.
std::vector<Timing> read_model_file(const std::filesystem::path& path, const std::string& symbol);

/// Whether there are any; `folder`: as below.
bool has_models(const std::filesystem::path& folder);

/// All models of one host. `folder`: codelets/45 itself, or any folder above it up to STARPU_HOME. Link rates are taken
/// from bus/ when that is there. Throws Error (bad_input).
PlatformRec read_sampling(const std::filesystem::path& folder, const SamplingOptions& options = {});

}  // namespace asterism::traces
