// SPDX-License-Identifier: Apache-2.0
// Means over time of density and velocity, and the rms of the velocity's fluctuations (--average).
#pragma once

#include <string>
#include <vector>

#include "apps/common/report.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::apps::lbm {

struct AverageOptions {
  std::string file;  ///< NAME.pvd or NAME.h5; empty: none
  long every = 10;   ///< steps between samples
};

/// In one process, in main memory: seven doubles per cell.
class Averages {
 public:
  /// `average_from`: the first step that counts. `from`: the step that the run begins at. Throws Error (bad input) when
  /// that is not before average_from, since sums are not part of a checkpoint.
  Averages(const AverageOptions& options, const asterism::lbm::Problem& problem, long average_from, long from,
           long steps);

  [[nodiscard]] bool due(long step) const { return step >= from_ && (step == steps_ || step % options_.every == 0); }
  [[nodiscard]] long next_due(long step) const;
  void sample(asterism::lbm::Simulation& simulation);
  void write() const;
  void describe(Report& report) const;

 private:
  const AverageOptions& options_;
  const asterism::lbm::Problem& problem_;
  long from_;
  long steps_;
  long samples_ = 0;
  std::vector<double> mean_;     ///< rho, u, v, w of all cells
  std::vector<double> squares_;  ///< sums of squared fluctuations of u, v, w
};

}  // namespace asterism::apps::lbm
