// How much of the domain GPUs get.
#pragma once

#include <vector>

#include "taskflows/lbm/simulation.hpp"
#include "taskflows/runtime/busy_time.hpp"

namespace asterism::lbm {

/// Cell updates per second.
struct Rates {
  double cpus = 0;  ///< of all cores together, each busy with its own brick
  double gpus = 0;  ///< of all GPUs together
  /// Share of the cells that makes both end together.
  [[nodiscard]] double gpu_share() const { return gpus > 0 ? gpus / (gpus + cpus) : 0; }
};

/// Measured with small bricks of the same method and precision; takes some tenths of a second.
Rates measure_rates(const Problem& problem, const Session& session);

/// Looks at how long units were busy with their bricks and says when the domain should be cut elsewhere.
class Balance {
 public:
  Balance(const std::vector<BrickPlace>& bricks, const Placement& placement, const Session& session);

  /// What the steps since the last call say: a rate of CPUs and of GPUs over the time they were busy. Waits for
  /// nothing: call it after `steps` steps are done.
  [[nodiscard]] Rates measured(long steps);

 private:
  BusyTime busy_;
  double cells_of_cpus_ = 0;
  double cells_of_gpus_ = 0;
};

}  // namespace asterism::lbm
