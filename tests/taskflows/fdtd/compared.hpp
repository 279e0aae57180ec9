// SPDX-License-Identifier: Apache-2.0
// A run of the flow beside one of the simple solver.
#pragma once

#include <starpu.h>

#include "runtime/session.hpp"
#include "taskflows/fdtd/reference/reference.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {

struct Compared {
  double error = 0;    ///< largest difference of any entry of E and H at the end, by `largest`
  double largest = 0;  ///< entry of E, or of H times the impedance of the background, so far, V/m
};

/// Steps of the simple solver, which refers to the problem.
inline void advance(Reference& reference, long steps) {
  starpu_task_wait_for_all();
  const Pause pause;
  for (long t = 0; t < steps; ++t) reference.advance();
}

/// After `steps` of `p` in the flow, and as many in the simple solver.
inline Compared compare(const Problem& p, const Reference& reference, const Cut& cut, long steps) {
  const std::vector<BrickPlace> bricks = decompose(p, cut);
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  s.advance(steps);
  Compared found;
  const std::array<int, 3> n = extents(p);
  for (const Field field : {Field::electric, Field::magnetic}) {
    const Array<char> all = gather(s, p, field);
    const double scale = field == Field::electric ? 1 : std::sqrt(p.mu0 / p.eps0);
    found.largest = std::max(found.largest, scale * reference.largest(field));
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < n[0]; ++i)
        for (int j = 0; j < n[1]; ++j)
          for (int k = 0; k < n[2]; ++k) {
            const double error = scale * std::abs(entry(all, p, c, i, j, k) - reference.at(field, c, i, j, k));
            if (!(error <= found.error)) found.error = error;  // NaN stays
          }
  }
  found.error /= found.largest;
  return found;
}
/// `expected`: what the simple solver sees.
inline Compared compare(const Problem& p, const Problem& expected, const Cut& cut, long steps) {
  Reference reference(expected);
  advance(reference, steps);
  return compare(p, reference, cut, steps);
}
inline Compared compare(const Problem& p, const Cut& cut, long steps) {
  return compare(p, p, cut, steps);
}

}  // namespace asterism::fdtd
