// SPDX-License-Identifier: Apache-2.0
// How long the units of a session were busy with tasks, by StarPU's profiling.
#pragma once

#include <vector>

#include "runtime/session.hpp"

namespace asterism {

/// Profiling is on for as long as it lives.
class BusyTime {
 public:
  explicit BusyTime(const Session& session);
  ~BusyTime();
  BusyTime(const BusyTime&) = delete;
  BusyTime& operator=(const BusyTime&) = delete;

  struct Seconds {
    double cpus = 0;              ///< mean of the cores
    double gpus = 0;              ///< mean of the GPUs
    std::vector<double> of_gpus;  ///< each one's, by number
  };
  /// Since the last call. Waits for nothing: call it when the tasks are done.
  [[nodiscard]] Seconds since_last();

 private:
  const Session& session_;
};

}  // namespace asterism
