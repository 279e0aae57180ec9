// SPDX-License-Identifier: Apache-2.0
// The options of asterism-fmm about laws, units and softening.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/problem.hpp"
#include "taskflows/fmm/units.hpp"

namespace asterism::apps::fmm {

struct PhysicsOptions {
  asterism::fmm::Law law = asterism::fmm::Law::electrostatics;
  std::optional<double> gravitational_constant;
  std::string units = "reduced";
  double permittivity = 1;
  double temperature = 298.15;  ///< kelvin
  double softening = 0;         ///< length; 0: none

  [[nodiscard]] bool gravity() const { return law == asterism::fmm::Law::gravity; }
};

void add_physics(CLI::App& app, PhysicsOptions& physics);
/// Throws Error (bad_input) for values that do not go together or are out of range.
void check_physics(const PhysicsOptions& physics);

/// The units of --units, with --gravitational-constant.
asterism::fmm::Units units_of(const PhysicsOptions& physics);
/// The interaction of a kernel, softened and with the factor of the law.
asterism::fmm::Interaction interaction_of(const PhysicsOptions& physics, const std::string& kernel, double kappa);
/// "gravity, G = 1, softening 0.01"; empty: electrostatics as it is without options.
std::string describe_law(const PhysicsOptions& physics);

/// Gravity takes the masses where a file has charges too, and every mass has to be positive: throws Error (bad_input)
/// naming the particle. `source`: the file, or the option that the particles come from; `first`: number of the first.
void use_masses(const PhysicsOptions& physics, const std::string& source, std::size_t first,
                asterism::fmm::Particles& particles);

}  // namespace asterism::apps::fmm
