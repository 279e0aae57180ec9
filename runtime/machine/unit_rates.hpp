// SPDX-License-Identifier: Apache-2.0
// How fast the units of both kinds are, and what a run says about it.
#pragma once

#include <vector>

#include "runtime/machine/busy_time.hpp"

namespace asterism {

/// Cells that units advance by a step, per second.
struct Rates {
  double cpus = 0;  ///< of all cores together, each busy with its own brick
  double gpus = 0;  ///< of all GPUs together
  /// Share of the cells that makes both end together.
  [[nodiscard]] double gpu_share() const { return gpus > 0 ? gpus / (gpus + cpus) : 0; }
};

/// Looks at how long units were busy with their bricks, to say when the domain should be cut elsewhere.
class Balance {
 public:
  /// `bricks`: with size(axis) in cells; `workers`: the one that advances each.
  template <class Brick>
  Balance(const std::vector<Brick>& bricks, const std::vector<int>& workers, const Session& session) : busy_(session) {
    for (std::size_t b = 0; b < bricks.size(); ++b)
      add(workers[b], static_cast<double>(bricks[b].size(0)) * bricks[b].size(1) * bricks[b].size(2));
  }
  /// What the steps since the last call say, per time that units were busy. Waits for nothing: call it when `steps`
  /// steps are done.
  [[nodiscard]] Rates measured(long steps);

 private:
  void add(int worker, double cells);

  BusyTime busy_;
  double cells_of_cpus_ = 0;
  double cells_of_gpus_ = 0;
};

}  // namespace asterism
