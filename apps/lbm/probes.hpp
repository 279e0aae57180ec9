// SPDX-License-Identifier: Apache-2.0
// Density and velocity of some cells over time (--probe, --probes).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/common/report.hpp"
#include "apps/lbm/time_table.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::apps::lbm {

struct ProbeOptions {
  std::string file;  ///< CSV; empty: none
  long every = 1;    ///< steps
  std::vector<std::array<int, 3>> cells;
};

/// "x,y,z". Throws Error (bad input).
std::array<int, 3> read_probe(const std::string& text);
/// Throws Error (bad input): a file without probes, probes without a file, cells outside the domain or in the body.
void check(const ProbeOptions& options, const asterism::lbm::Problem& problem);

class Probes {
 public:
  Probes(const ProbeOptions& options, long from, long steps);

  [[nodiscard]] TimeTable& table() { return table_; }
  [[nodiscard]] const TimeTable& table() const { return table_; }
  void sample(asterism::lbm::Simulation& simulation);
  void describe(Report& report) const;

 private:
  const ProbeOptions& options_;
  TimeTable table_;
  long from_;
};

}  // namespace asterism::apps::lbm
