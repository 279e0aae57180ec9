// SPDX-License-Identifier: Apache-2.0
// Small problems in the box, their runs and their fields, for the tests of the lattice Boltzmann method.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "taskflows/lbm/simulation.hpp"
#include "tests/runtime/starpu_environment.hpp"

namespace asterism::lbm {

inline Flow somewhere(int x, int y, int z) {
  return {1 + 0.01 * std::sin(0.3 * x + 0.5 * y),
          {0.03 * std::sin(0.7 * y + z), 0.02 * std::cos(0.9 * x), 0.02 * std::sin(x + 0.4 * z)}};
}

inline Problem problem_of(int nx, int ny, int nz) {
  Problem p;
  p.cells = {nx, ny, nz};
  p.initial = somewhere;
  return p;
}

inline Problem cavity(int nx, int ny, int nz) {
  Problem p = problem_of(nx, ny, nz);
  p.face[5].wall.u[0] = 0.08;
  return p;
}

inline Problem periodic(int nx, int ny, int nz) {
  Problem p = problem_of(nx, ny, nz);
  for (Face& f : p.face) f.periodic = true;
  return p;
}

/// An inlet, an outlet, walls, and bodies that touch walls, each other and the borders of bricks.
inline Problem channel(int nx, int ny, int nz) {
  Problem p = problem_of(nx, ny, nz);
  p.face[0].wall.u[0] = 0.05;
  p.face[1].wall.kind = Wall::Kind::pressure;
  p.face[1].wall.rho = 1.001;
  p.face[4].periodic = p.face[5].periodic = true;
  p.collision.model = Collision::Model::trt;
  p.collision.smagorinsky = 0.12;
  p.collision.force[1] = 1e-4;
  p.solid.assign(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz), 0);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const bool ball = (x - nx / 2) * (x - nx / 2) + (y - ny / 2) * (y - ny / 2) + (z - nz / 2) * (z - nz / 2) <= 6;
        const bool step = x > nx / 3 && x < nx / 3 + 3 && y == 0;
        const bool seam = z == 0 && x == nx - 3 && y > 1 && y < 4;
        if (ball || step || seam) p.solid[static_cast<std::size_t>(x + nx * (y + ny * z))] = 1;
      }
  return p;
}

/// The channel with a parabola at its inlet, a sponge where it is long enough for one, and surfaces anywhere along the
/// links of its bodies.
inline Problem interpolated(int nx, int ny, int nz) {
  Problem p = channel(nx, ny, nz);
  p.face[0].wall.kind = Wall::Kind::parabola;
  p.face[0].wall.u[1] = 0.01;
  if (nx > 12) p.sponge = 12;
  for (std::int64_t link = 0; link < q * static_cast<std::int64_t>(p.solid.size()); ++link)
    if (link % 7 != 0) p.distances.push_back({link, static_cast<double>(link * 37 % 101) / 100});
  return p;
}

/// The interpolated channel as a cylinder in a channel is computed: central moments whose third order has a rate.
inline Problem third_order(int nx, int ny, int nz) {
  Problem p = interpolated(nx, ny, nz);
  p.collision = {Collision::Model::central_moments, 0.52};
  p.collision.third_magic = 0.25;
  return p;
}

/// A stream of a high Reynolds number past a body: central moments with Smagorinsky's model, tau near 1/2.
inline Problem eddies(int nx, int ny, int nz) {
  Problem p = channel(nx, ny, nz);
  p.collision = {Collision::Model::central_moments, 0.5003};
  p.collision.smagorinsky = 0.1;
  return p;
}

inline Placement anywhere(const std::vector<BrickPlace>& bricks) {
  return Placement(bricks.size(), scheduler_decides);
}

/// rho, u, v, w of the domain, as bytes of the run's arithmetic.
inline std::vector<char> fields(Simulation& s, const Problem& p) {
  const auto element = static_cast<std::size_t>(size_of(arithmetic_of(p.precision)));
  const auto n = static_cast<std::size_t>(p.cells[0]) * static_cast<std::size_t>(p.cells[1]) *
                 static_cast<std::size_t>(p.cells[2]);
  std::vector<char> out(4 * n * element);
  s.observe([&](const DomainBox& box, const void* slots) {
    const char* from = static_cast<const char*>(slots);
    const auto row = static_cast<std::size_t>(box.x1 - box.x0) * element;
    for (std::size_t i = 0; i < 4; ++i)
      for (int z = box.z0; z < box.z1; ++z)
        for (int y = box.y0; y < box.y1; ++y, from += row) {
          const auto cell = static_cast<std::size_t>(box.x0 + p.cells[0] * (y + p.cells[1] * z));
          std::memcpy(&out[(i * n + cell) * element], from, row);
        }
  });
  return out;
}

inline std::vector<double> numbers(const std::vector<char>& bytes, bool single) {
  std::vector<double> v(bytes.size() / (single ? 4 : 8));
  for (std::size_t i = 0; i < v.size(); ++i) {
    float f = 0;
    double d = 0;
    if (single)
      std::memcpy(&f, &bytes[4 * i], 4);
    else
      std::memcpy(&d, &bytes[8 * i], 8);
    v[i] = single ? f : d;
  }
  return v;
}

inline std::vector<char> run(const Problem& p, const Cut& cut, int steps) {
  const std::vector<BrickPlace> bricks = decompose(p, cut);
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  for (int t = 0; t < steps; ++t) s.advance();
  EXPECT_EQ(s.time(), steps);
  return fields(s, p);
}

/// Fields, forces, moments and values of probes.
struct Seen {
  std::vector<char> fields;
  std::vector<std::array<double, 3>> values;
  bool operator==(const Seen&) const = default;
};
inline Seen seen(const Problem& p, const Cut& cut, bool scheduler_decides) {
  const std::vector<BrickPlace> bricks = decompose(p, cut);
  Simulation s(p, bricks, scheduler_decides ? anywhere(bricks) : place(bricks, Runtime::session()));
  s.initialise();
  Seen all;
  for (int t = 0; t < 6; ++t) {
    s.advance();
    const ForceAndMoment force = s.force_and_moment({11.5, 8, 3});
    all.values.insert(all.values.end(), {force.force, force.moment});
    for (const Flow& probe : s.probe({{0, 15, 5}, {22, 0, 0}, {10, 4, 2}}))
      all.values.insert(all.values.end(), {{probe.rho, 0, 0}, probe.u});
  }
  all.fields = fields(s, p);
  return all;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= largest)) largest = std::abs(a[i] - b[i]);
  }
  return largest;
}

}  // namespace asterism::lbm
