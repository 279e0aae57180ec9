// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "base/error.hpp"
#include "taskflows/fmm/particles/generate.hpp"

namespace asterism::fmm {
namespace {

constexpr const char* tilted = "tilted-ellipsoid";

constexpr std::pair<const char*, Lattice> crystals[] = {{"salt", Lattice::sodium_chloride},
                                                        {"caesium-chloride", Lattice::caesium_chloride}};

using Generator = Particles (*)(std::size_t, std::uint64_t, Charges, Part);

const std::map<std::string, Generator>& distributions() {
  static const std::map<std::string, Generator> named{
      {"cube", cube}, {"ellipsoid", ellipsoid}, {"sphere", sphere}, {"plummer", plummer}, {tilted, tilted_ellipsoid}};
  return named;
}

const std::map<std::string, Charges>& charges() {
  static const std::map<std::string, Charges> named{{"signs", Charges::random_signs},
                                                    {"uniform", Charges::uniform01},
                                                    {"ones", Charges::ones},
                                                    {"shares", Charges::shares},
                                                    {"neutral", Charges::neutral}};
  return named;
}

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

template <class Map>
const auto& find(const Map& map, const std::string& name, const char* what) {
  const auto found = map.find(name);
  if (found == map.end()) bad_input("{} {}: expected one of {}", what, name, fmt::join(names_of(map), ", "));
  return found->second;
}

}  // namespace

std::vector<std::string> distribution_names() {
  std::vector<std::string> names = names_of(distributions());
  for (const auto& [name, lattice] : crystals) names.emplace_back(name);
  return names;
}

std::vector<std::string> charge_names() {
  return names_of(charges());
}

std::optional<Crystal> crystal_of(const GeneratedCase& g) {
  for (const auto& [name, lattice] : crystals)
    if (g.distribution == name) return Crystal{lattice, g.particles, g.spacing, g.displacement};
  return std::nullopt;
}

bool is_crystal(const GeneratedCase& generated) {
  return crystal_of(generated).has_value();
}

std::optional<double> period_of(const GeneratedCase& generated) {
  if (const auto c = crystal_of(generated)) return width_of(*c);
  if (generated.distribution == "cube") return 1;
  return std::nullopt;
}

Particles generate(const GeneratedCase& generated, const Part& part) {
  if (const auto c = crystal_of(generated)) return crystal(*c, generated.seed, part);
  const Generator generator = find(distributions(), generated.distribution, "distribution");
  return generator(generated.particles, generated.seed, find(charges(), generated.charges, "charges"), part);
}

std::optional<Box> box_of(const GeneratedCase& generated) {
  if (generated.distribution == tilted) return Box{0, 0, 0, 1};
  return std::nullopt;
}

}  // namespace asterism::fmm
