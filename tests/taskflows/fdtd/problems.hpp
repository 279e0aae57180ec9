// SPDX-License-Identifier: Apache-2.0
// Problems and runs that the tests of the finite-difference time-domain flow share.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "taskflows/fdtd/fields/gather.hpp"
#include "tests/runtime/starpu_environment.hpp"

namespace asterism::fdtd {

inline constexpr Face pec = Face::electric, pmc = Face::magnetic, periodic = Face::neighbour;

struct Named {
  const char* name;
  std::array<Face, 6> face;
  bool materials;
};
inline const std::vector<Named> boundaries{
    {"electric", {pec, pec, pec, pec, pec, pec}, false},
    {"electric with materials", {pec, pec, pec, pec, pec, pec}, true},
    {"periodic", {periodic, periodic, periodic, periodic, periodic, periodic}, true},
    {"magnetic", {pmc, pmc, pmc, pmc, pmc, pmc}, true},
    {"periodic x", {periodic, periodic, pec, pmc, pmc, pec}, false},
    {"periodic y", {pmc, pec, periodic, periodic, pec, pmc}, true},
    {"periodic z", {pec, pmc, pmc, pmc, periodic, periodic}, false},
};

/// Any value in [-1, 1) for any integers.
inline double noise(int a, int b, int c, int d) {
  const double x = std::sin(12.9898 * a + 78.233 * b + 37.719 * c + 4.581 * d) * 43758.5453;
  return 2 * (x - std::floor(x)) - 1;
}

/// Random fields, three sources at odd places, and probes.
inline Problem problem_of(const Named& kind, const std::array<int, 3>& cells, bool single = false) {
  Problem p;
  p.cells = cells;
  p.spacing = {1e-3, 1.3e-3, 0.8e-3};
  p.dt = 0.9 * largest_time_step(p);
  p.face = kind.face;
  p.precision = single ? Precision::single_precision : Precision::double_precision;
  p.initial = [](Field field, int c, int i, int j, int k) {
    return noise(i, j, k, c) * (field == Field::electric ? 1 : 1 / 376.7);
  };
  if (kind.materials) {
    p.materials = {{}, {4, 1, 0, 0}, {2.5, 3, 0.8, 3e4}, {1, 1, INFINITY, 0}, {6, 2, 0, 1e5}};
    for (int i = 0; i < cells[0]; ++i)
      for (int j = 0; j < cells[1]; ++j)
        for (int k = 0; k < cells[2]; ++k)
          p.material.push_back(static_cast<std::uint16_t>(2 * i < cells[0] ? (noise(i, j, k, 9) + 1) * 2.5 : 0));
  }
  const double dt = p.dt;
  const auto pulse = [dt](double t) { return 1e-7 * std::cos(0.4 * t / dt) * t / dt; };
  for (int s = 0; s < 3; ++s) {
    CurrentSource source{s, {}, pulse};
    for (std::size_t a = 0; a < 3; ++a) source.cell[a] = std::max(cells[a] * (s + 1) / 4, cells[a] > 1 ? 1 : 0);
    p.sources.push_back(source);
  }
  for (int c = 0; c < 3; ++c)
    for (const Field field : {Field::electric, Field::magnetic})
      p.probes.push_back({field, c, {cells[0] - 1, cells[1] - 1, cells[2] - 1}});
  return p;
}

inline Placement anywhere(const std::vector<BrickPlace>& bricks) {
  return Placement(bricks.size(), -1);
}

/// Units one after the other.
inline Placement fixed(const std::vector<BrickPlace>& bricks) {
  Placement placement;
  const std::vector<Unit>& units = Runtime::session().units();
  for (std::size_t b = 0; b < bricks.size(); ++b) placement.push_back(units[b % units.size()].worker);
  return placement;
}

/// The first and the last unit in turn: where there is a GPU, on a core and on it.
inline Placement in_turn(const std::vector<BrickPlace>& bricks) {
  Placement placement;
  const std::vector<Unit>& units = Runtime::session().units();
  for (std::size_t b = 0; b < bricks.size(); ++b)
    placement.push_back((b % 2 == 0 ? units.back() : units.front()).worker);
  return placement;
}

/// What a run has to show for itself, to the last bit.
struct Outcome {
  std::vector<char> fields;
  std::vector<double> probes;
};

inline bool operator==(const Outcome& a, const Outcome& b) {
  return a.fields == b.fields && a.probes.size() == b.probes.size() &&
         std::memcmp(a.probes.data(), b.probes.data(), 8 * a.probes.size()) == 0;
}

inline Outcome outcome(Simulation& s, const Problem& p) {
  Outcome o;
  for (const Field field : {Field::electric, Field::magnetic}) {
    const Array<char> all = gather(s, p, field);
    o.fields.insert(o.fields.end(), all.begin(), all.end());
  }
  o.probes = s.probe_values();
  return o;
}

inline Outcome run(const Problem& p, const Cut& cut, long steps, Placement (*place)(const std::vector<BrickPlace>&),
                   int overlap = 0) {
  const std::vector<BrickPlace> bricks = decompose(p, cut);
  Simulation s(p, bricks, place(bricks), overlap);
  s.initialise();
  s.advance(steps);
  return outcome(s, p);
}

/// Value of an entry in what gather() returns.
inline double entry(const Array<char>& all, const Problem& p, int c, int i, int j, int k) {
  const std::array<int, 3> n = extents(p);
  const auto at = static_cast<std::size_t>(((c * n[0] + i) * n[1] + j) * n[2] + k);
  return p.precision == Precision::single_precision
             ? static_cast<double>(reinterpret_cast<const float*>(all.data())[at])
             : reinterpret_cast<const double*>(all.data())[at];
}

}  // namespace asterism::fdtd
