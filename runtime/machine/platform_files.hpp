// SPDX-License-Identifier: Apache-2.0
// What StarPU over SimGrid reads about a machine, written for a platform: the bus's bandwidths and latencies, and the
// machine as SimGrid sees it (StarPU 1.4, src/core/perfmodel/perfmodel_bus.c, whose formats these are).
#pragma once

#include <filesystem>

#include "runtime/machine/platform.hpp"

namespace asterism {

/// StarPU's bus files of a platform, in a folder of their own that goes with this.
class PlatformFiles {
 public:
  /// Throws Error: bad_input for more units than this StarPU was built for, failed when nothing can be written.
  explicit PlatformFiles(const Platform& platform);
  /// Of `nodes` such machines: "cluster.xml" and "hosts" beside "bus", for smpirun. Throws Error (bad_input) when the
  /// platform has no network or one for fewer machines.
  PlatformFiles(const Platform& platform, int nodes);
  ~PlatformFiles();
  PlatformFiles(const PlatformFiles&) = delete;
  PlatformFiles& operator=(const PlatformFiles&) = delete;

  /// As STARPU_PERF_MODEL_DIR: has "bus/NAME.latency", "bus/NAME.bandwidth", "bus/NAME.platform.v4.xml" and more.
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

  /// Sets the environment variables by which StarPU finds the files. Variables that the user may have set to choose
  /// units or costs of StarPU itself keep their values; allocation on GPUs costs nothing unless they say otherwise.
  void use() const;

 private:
  std::filesystem::path folder_;
  std::string name_;
  Overheads overheads_;
  bool in_turn_ = false;
};

/// Writes them into `folder`/bus.
void write_platform_files(const Platform& platform, const std::filesystem::path& folder);

}  // namespace asterism
