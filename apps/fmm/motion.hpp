// SPDX-License-Identifier: Apache-2.0
// The options of asterism-fmm about particles that move.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "apps/fmm/physics.hpp"
#include "taskflows/fmm/cases.hpp"
#include "taskflows/fmm/motion.hpp"

namespace asterism::apps::fmm {

struct MotionOptions {
  int steps = 0;
  double dt = 1e-3;
  asterism::fmm::Integrator integrator = asterism::fmm::Integrator::leapfrog;
  bool equilibrium = false;     ///< velocities of generated particles
  double allowed_drift = 1e-3;  ///< of the energy, for --verify
  // results
  int every = 0;         ///< steps between snapshots; 0: none but the last
  std::string energies;  ///< CSV; empty: none
  std::string chart;     ///< PNG; empty: none
};

void add_motion(CLI::Option_group* time, MotionOptions& motion);
/// --every, --energies and --chart.
void add_motion_results(CLI::Option_group* results, MotionOptions& motion);

/// Throws Error (bad_input) for values that do not go together. `generated`: none where particles are a file's;
/// `output`: the name of --output.
void check_motion(const MotionOptions& motion, const PhysicsOptions& physics,
                  const asterism::fmm::GeneratedCase* generated, const std::string& output, bool at_grid);

}  // namespace asterism::apps::fmm
