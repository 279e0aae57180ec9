// SPDX-License-Identifier: Apache-2.0
// Physical laws and the units of their numbers: the factor between sum_j q_j K(|x_i - x_j|) and the potential.
#pragma once

#include <string>
#include <vector>

namespace asterism::fmm {

enum class Law {
  electrostatics,  ///< phi = C sum q_j K, like charges repel
  gravity,         ///< phi = -G sum m_j K, masses attract
};

/// Names of units; empty where numbers have none.
struct Units {
  std::string name = {};
  double constant = 1;  ///< C or G, in these units
  std::string length = {}, charge = {}, potential = {}, force = {}, energy = {};
  std::string time = {}, speed = {}, acceleration = {};  ///< of motions
};

/// Names of --units for a law.
std::vector<std::string> unit_names(Law law);

/// reduced: numbers without units, constant 1.
/// Electrostatics, lengths in angstrom and charges in e, with relative permittivity: kcal/mol, kJ/mol, or kT at a
/// temperature in kelvin. C = e^2 / (4 pi epsilon_0 epsilon_r) from CODATA 2018: 332.06371 kcal/mol angstrom / e^2.
/// Gravity: SI (m, kg, s); AU (astronomical unit, solar mass, year); pc and kpc (parsec or kiloparsec, solar mass,
/// km/s). Throws Error (bad_input) for a name that the law does not have.
Units units_of(Law law, const std::string& name, double permittivity = 1, double temperature = 298.15);

}  // namespace asterism::fmm
