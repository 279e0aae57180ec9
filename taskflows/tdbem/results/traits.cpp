// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/results/traits.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/fingerprint.hpp"
#include "io/text_words.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
std::string text_of(const T& number) {
  return fmt::format("{}", number);
}

void append(Traits& traits, const std::string& wave, const IncidentWave& of) {
  const Pulse& p = of.pulse;
  const Point& d = of.direction;
  traits.push_back({wave + "_pulse", p.shape == PulseShape::ricker ? "ricker" : "modulated gaussian"});
  const std::pair<const char*, double> numbers[] = {
      {"_centre", p.centre}, {"_width", p.width},   {"_frequency", p.frequency}, {"_direction_x", d.x},
      {"_direction_y", d.y}, {"_direction_z", d.z}, {"_speed", of.speed}};
  for (const auto& [name, value] : numbers) traits.push_back({wave + name, text_of(value)});
  if (of.kind == WaveKind::monopole)
    traits.push_back({wave + "_monopole", fmt::format("{}, {}, {}", of.source.x, of.source.y, of.source.z)});
}

}  // namespace

const char* name_of(Boundary boundary) {
  return boundary == Boundary::rigid ? "rigid" : "soft";
}

std::string fingerprint(const Surface& surface) {
  Fingerprint all;
  for (const Point& v : surface.vertices) all.numbers(v.x, v.y, v.z);
  for (const Triangle& t : surface.triangles) all.numbers(t.corner[0], t.corner[1], t.corner[2]);
  return all.text();
}

Traits matrix_traits(const Problem& problem, std::size_t bytes) {
  const PairRuleOptions& r = problem.rules;
  return {{"precision", bytes == sizeof(float) ? "single" : "double"},
          {"boundary", name_of(problem.boundary)},
          {"speed", text_of(problem.speed)},
          {"dt", text_of(problem.dt)},
          {"unknowns", text_of(problem.surface.unknowns())},
          {"surface", fingerprint(problem.surface)},
          {"far_points", text_of(r.far_points)},
          {"near_points", text_of(r.near_points)},
          {"touching_points", text_of(r.touching_points)},
          {"near_gap", text_of(r.near_gap)}};
}

Traits run_traits(const Problem& problem) {
  Traits traits{{"first_step", text_of(problem.first_step)}, {"waves", text_of(problem.waves.size())}};
  for (std::size_t w = 0; w < problem.waves.size(); ++w) append(traits, fmt::format("wave_{}", w), problem.waves[w]);
  Fingerprint places;
  for (const Point& x : problem.observers) places.numbers(x.x, x.y, x.z);
  traits.push_back({"observers", fmt::format("{}, {}", problem.observers.size(), places.text())});
  return traits;
}

void write(Hdf5Output& file, const Traits& traits) {
  for (const Trait& trait : traits) file.attribute("/", trait.name, trait.value);
}

void check_same(const Hdf5Input& file, const Traits& traits) {
  for (const Trait& trait : traits) {
    const std::string found = file.text_attribute("/", trait.name);
    if (found != trait.value)
      bad_input("{}: {}: found {}, expected {} as the run has", file.name, trait.name, in_quotes(found),
                in_quotes(trait.value));
  }
}

void check_format(const Hdf5Input& file, const char* mark, const char* what) {
  const std::string found = file.has_attribute("/", "format") ? file.text_attribute("/", "format") : "nothing";
  if (found != mark)
    bad_input("{}: is no file of {}: format: found {}, expected {}", file.name, what, in_quotes(found),
              in_quotes(mark));
}

}  // namespace asterism::tdbem
