// SPDX-License-Identifier: Apache-2.0
// Force, moment and coefficients of the body over time (--forces), and what the summary says of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/common/report.hpp"
#include "apps/lbm/time_table.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/forces/force_history.hpp"
#include "taskflows/lbm/geometry/body.hpp"
#include "taskflows/lbm/geometry/body_size.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::apps::lbm {

struct ForceOptions {
  std::string file;                    ///< CSV; empty: none
  long every = 10;                     ///< steps
  std::optional<double> area, length;  ///< of ReferenceScales; default: frontal area, the flow's length
  std::array<double, 3> centre{};      ///< of moments, in cells
};

/// Throws Error (bad input): no body, no velocity, areas and lengths that are not positive.
void check(const ForceOptions& options, const asterism::lbm::Case& flow);

class Forces {
 public:
  /// `from`: the step that the run begins at; rows of the run before are kept. `average_from`: the first step of means.
  Forces(const ForceOptions& options, const asterism::lbm::Case& flow, long average_from, long from, long steps);

  [[nodiscard]] TimeTable& table() { return table_; }
  [[nodiscard]] const TimeTable& table() const { return table_; }
  void sample(asterism::lbm::Simulation& simulation);
  void describe(Report& report) const;

 private:
  /// Appends a sample and returns its row.
  std::string add(const asterism::lbm::ForceSample& sample);

  const ForceOptions& options_;
  asterism::lbm::ReferenceScales reference_;
  std::array<bool, 3> has_moment_;  ///< about x, y, z: the body is in one piece along the other two axes
  std::string remedies_;            ///< of a flow that diverges
  long average_from_;
  long from_;
  TimeTable table_;
  std::vector<asterism::lbm::ForceSample> samples_;
};

}  // namespace asterism::apps::lbm
