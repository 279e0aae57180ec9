// SPDX-License-Identifier: Apache-2.0
// Runs of the FMM paper on its simulated machines.
#pragma once

#include <cstdint>
#include <string>

#include "apps/reproduce/simulations.hpp"

namespace asterism::apps::reproduce {

/// Particles and tree of a run of section 4, on how many GPUs. The other cores of the twelve compute (section 4.1.2).
struct FmmRun {
  std::string label;
  std::string distribution = "cube";
  std::int64_t particles = 30'000'000;
  int accuracy = 5;  ///< Acc: l = Acc, epsilon = 10^-Acc
  int height = 7;
  int group_size = 2000;  ///< n_g
  int gpus = 3;
  std::string reduction = "last";  ///< P2P-Reduction before or after L2P (section 4.3.1)
  std::string rules = "-backlog";  ///< of hprio switched off: the paper's termination rule
  std::string platform = "nehalem-m2070";
};

/// With the paper's HeteroPrio: its termination rule (section 3.2), P2P before M2L on GPUs (table 3), and its two M2L
/// tasks of a group.
Simulation simulation_of(const FmmRun& run);

}  // namespace asterism::apps::reproduce
