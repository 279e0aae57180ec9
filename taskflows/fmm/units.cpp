// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>

#include "base/error.hpp"

namespace asterism::fmm {
namespace {

// CODATA 2018: the first three are exact
constexpr double elementary_charge = 1.602176634e-19;     // C
constexpr double avogadro = 6.02214076e23;                // 1/mol
constexpr double boltzmann = 1.380649e-23;                // J/K
constexpr double vacuum_permittivity = 8.8541878128e-12;  // F/m
constexpr double gravitational = 6.67430e-11;             // m^3 / (kg s^2)
constexpr double joules_per_calorie = 4.184;
constexpr double angstrom = 1e-10;  // m

// IAU 2015: nominal G M of the sun, which is known better than either; astronomical unit and parsec are exact
constexpr double sun = 1.3271244e20;                  // m^3 / s^2
constexpr double astronomical_unit = 1.495978707e11;  // m
constexpr double parsec = astronomical_unit * 648000 / std::numbers::pi;
constexpr double julian_year = 365.25 * 86400;  // s

Units electrostatic_units(const std::string& name, double permittivity, double temperature) {
  const double joules =  // of two charges e at one angstrom
      elementary_charge * elementary_charge / (4 * std::numbers::pi * vacuum_permittivity * angstrom) / permittivity;
  const double molar = joules * avogadro;
  const double constant = name == "kcal/mol" ? molar / (1000 * joules_per_calorie)
                          : name == "kJ/mol" ? molar / 1000
                                             : joules / (boltzmann * temperature);
  return {.name = name,
          .constant = constant,
          .length = "A",
          .charge = "e",
          .potential = name + "/e",
          .force = name + "/A",
          .energy = name,
          .time = "",
          .speed = "",
          .acceleration = ""};
}

Units gravitational_units(const std::string& name) {
  if (name == "SI")
    return {.name = name,
            .constant = gravitational,
            .length = "m",
            .charge = "kg",
            .potential = "m^2/s^2",
            .force = "N",
            .energy = "J",
            .time = "s",
            .speed = "m/s",
            .acceleration = "m/s^2"};
  if (name == "AU")
    return {.name = name,
            .constant = sun * julian_year * julian_year / (astronomical_unit * astronomical_unit * astronomical_unit),
            .length = "AU",
            .charge = "Msun",
            .potential = "AU^2/yr^2",
            .force = "Msun AU/yr^2",
            .energy = "Msun AU^2/yr^2",
            .time = "yr",
            .speed = "AU/yr",
            .acceleration = "AU/yr^2"};
  const double length = name == "kpc" ? 1000 * parsec : parsec;
  return {.name = name,
          .constant = sun / length * 1e-6,
          .length = name,
          .charge = "Msun",
          .potential = "(km/s)^2",
          .force = fmt::format("Msun (km/s)^2/{}", name),
          .energy = "Msun (km/s)^2",
          .time = fmt::format("{}/(km/s)", name),
          .speed = "km/s",
          .acceleration = fmt::format("(km/s)^2/{}", name)};
}

}  // namespace

std::vector<std::string> unit_names(Law law) {
  if (law == Law::electrostatics) return {"reduced", "kcal/mol", "kJ/mol", "kT"};
  return {"reduced", "SI", "AU", "pc", "kpc"};
}

Units units_of(Law law, const std::string& name, double permittivity, double temperature) {
  const std::vector<std::string> known = unit_names(law);
  if (std::find(known.begin(), known.end(), name) == known.end())
    bad_input("--units {}: expected {} with --law {}", name, fmt::join(known, ", "),
              law == Law::gravity ? "gravity" : "electrostatics");
  if (name == "reduced") return {.name = name, .constant = 1 / (law == Law::gravity ? 1 : permittivity)};
  return law == Law::gravity ? gravitational_units(name) : electrostatic_units(name, permittivity, temperature);
}

}  // namespace asterism::fmm
