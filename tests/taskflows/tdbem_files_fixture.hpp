// Problems for tests of TD-BEM's files: no symmetries, a numbering other than the mesh's, two waves, two observers.
#pragma once

#include <vector>

#include "files_fixture.hpp"
#include "taskflows/tdbem/bodies.hpp"
#include "taskflows/tdbem/ordering.hpp"
#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

inline Problem files_problem(Boundary boundary, std::int32_t level = 1) {
  Problem p;
  const Surface s = prepare_surface(ellipsoid(level, {1, 0.7, 0.5}));
  p.surface = renumbered(s, order_of(s.vertices, Ordering::hilbert));
  p.boundary = boundary;
  p.speed = 1.3;
  p.dt = 0.5 * p.surface.edges.mean / p.speed;
  p.waves = {plane_wave(modulated_gaussian(3, 0.8, 2), {1, -2, 0.5}, p.speed),
             plane_wave(ricker(2.5, 3), {0, 0.3, -1}, p.speed)};
  p.observers = {{3, 0.2, -0.4}, {-1, 2, 2}};
  p.first_step = first_step_of(p);
  return p;
}

/// Values of the waves at a step that need every digit of a float, all different.
inline std::vector<std::vector<double>> surface_values(const Problem& p, int step) {
  std::vector<std::vector<double>> values(p.waves.size());
  for (std::size_t w = 0; w < values.size(); ++w)
    for (std::int32_t i = 0; i < p.surface.unknowns(); ++i)
      values[w].push_back(std::sin(1.0 + i + 1000.0 * static_cast<double>(w) + 0.1 * step));
  return values;
}

}  // namespace asterism::tdbem
