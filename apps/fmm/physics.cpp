// SPDX-License-Identifier: Apache-2.0
#include "apps/fmm/physics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"

namespace asterism::apps::fmm {

using namespace asterism::fmm;

namespace {

template <class Kernel>
Interaction softened(const Kernel& kernel, double softening) {
  if (softening == 0) return interaction(kernel);
  return interaction(Softened<Kernel>{{kernel, softening * softening}});
}

}  // namespace

void add_physics(CLI::App& app, PhysicsOptions& physics) {
  CLI::Option_group* law = app.add_option_group("Law and units");
  law->add_option_function<std::string>(
         "--law",
         [&physics](const std::string& name) { physics.law = name == "gravity" ? Law::gravity : Law::electrostatics; },
         "electrostatics: potential C q K(r), like charges repel; gravity: potential -G m K(r), masses attract,\n"
         "and charges are masses")
      ->check(CLI::IsMember({"electrostatics", "gravity"}))
      ->default_str("electrostatics");
  law->add_option("--units", physics.units,
                  "reduced: as they are (C = 1, G = 1). Electrostatics, charges in e and lengths in angstrom:\n"
                  "kcal/mol (C = 332.06371), kJ/mol, kT. Gravity: SI (m, kg, s; G = 6.6743e-11),\n"
                  "AU (AU, solar mass, year; G = 39.477), pc or kpc (pc or kpc, solar mass, km/s; G = 4.3009e-3\n"
                  "or 4.3009e-6; a time is 0.978 million or billion years)")
      ->capture_default_str();
  law->add_option("--gravitational-constant", physics.gravitational_constant,
                  "G of --law gravity in other units (default: that of --units; 1 are N-body units)");
  law->add_option("--permittivity", physics.permittivity,
                  "Relative permittivity of electrostatics, by which C is divided: 80 of water")
      ->capture_default_str();
  law->add_option("--temperature", physics.temperature, "Temperature of --units kT, in kelvin")->capture_default_str();
  law->add_option("--softening", physics.softening,
                  "Length epsilon of Plummer's softening: K(sqrt(r^2 + epsilon^2)) for every kernel, near and far;\n"
                  "particles at the same place then count, with K(epsilon)")
      ->capture_default_str();
}

void check_physics(const PhysicsOptions& p) {
  const auto positive = [](const char* option, double value) {
    if (!std::isfinite(value) || value <= 0) bad_input("{} {}: expected more than 0", option, value);
  };
  if (!std::isfinite(p.softening) || p.softening < 0) bad_input("--softening {}: expected 0 or more", p.softening);
  positive("--permittivity", p.permittivity);
  positive("--temperature", p.temperature);
  if (p.gravitational_constant) {
    positive("--gravitational-constant", *p.gravitational_constant);
    if (!p.gravity()) bad_input("--gravitational-constant: expected --law gravity");
    if (p.units != "reduced") bad_input("--gravitational-constant: expected no --units, found {}", p.units);
  }
  if (p.gravity() && p.permittivity != 1) bad_input("--permittivity: expected --law electrostatics");
  static_cast<void>(units_of(p));
}

Units units_of(const PhysicsOptions& p) {
  Units units = asterism::fmm::units_of(p.law, p.units, p.permittivity, p.temperature);
  if (p.gravitational_constant) units.constant = *p.gravitational_constant;
  return units;
}

Interaction interaction_of(const PhysicsOptions& physics, const std::string& kernel, double kappa) {
  Interaction result = kernel == "inverse-square" ? softened(InverseSquare{}, physics.softening)
                       : kernel == "yukawa"       ? softened(Yukawa{kappa}, physics.softening)
                                                  : softened(Laplace{}, physics.softening);
  const double constant = units_of(physics).constant;
  result.coupling = physics.gravity() ? -constant : constant;
  return result;
}

std::string describe_law(const PhysicsOptions& p) {
  const Units units = units_of(p);
  const bool has_units = !units.length.empty();
  if (!p.gravity() && !has_units && units.constant == 1 && p.softening == 0) return "";
  std::string text = fmt::format("{} = {:.8g}", p.gravity() ? "gravity, G" : "electrostatics, C", units.constant);
  if (has_units && !p.gravity()) text += fmt::format(" {} {} / {}^2", units.energy, units.length, units.charge);
  if (p.units == "kT") text += fmt::format(" at {:g} K", p.temperature);
  if (p.softening > 0) text += fmt::format(", softening {:g}", p.softening);
  if (has_units && p.gravity())
    text += fmt::format("; lengths in {}, masses in {}, times in {}", units.length, units.charge, units.time);
  return text;
}

void use_masses(const PhysicsOptions& physics, const std::string& source, std::size_t first, Particles& particles) {
  if (physics.gravity() && !particles.mass.empty()) {
    particles.charge = std::move(particles.mass);
    particles.mass = {};
  }
  const std::span<const double> masses = physics.gravity() ? particles.charge : particles.mass;
  for (std::size_t i = 0; i < masses.size(); ++i)
    if (!(masses[i] > 0))
      bad_input("{}: particle {} has the mass {}; expected positive masses{}", source, first + i + 1, masses[i],
                physics.gravity() ? " with --law gravity" : "");
}

}  // namespace asterism::apps::fmm
