// SPDX-License-Identifier: Apache-2.0
// Right-hand sides: what the incident wave does to the tested equation of unknown i in step n, t_n = n dt.
// the time integral over the step of the incident wave's normal derivative (rigid) or of its derivative in time (soft).
// Plane waves, s_n = t_n - d.x/c:
//   rigid:  l_i^n = -1/c sum_T (n_T . d) int_T b_i [f(s_n) - f(s_(n-1))] dS
//   soft:   l_i^n = int b_i [f(s_n) - f(s_(n-1))] dS
// Monopoles, r = |x - x_0|, e = (x - x_0) / r, s_n = t_n - r/c:
//   rigid:  l_i^n = -sum_T int_T b_i n_T.e { 1/(c r) [f(s_n) - f(s_(n-1))] + 1/r^2 int_(s_(n-1))^(s_n) f ds } dS
//   soft:   l_i^n = int b_i 1/r [f(s_n) - f(s_(n-1))] dS
// The difference is taken of values of f that are the same in both steps that need them, so that the sum over steps
// telescopes: the constant mode of a rigid body, which nothing damps, is not driven. The integral of f, by Gauss's
// rule, does not telescope. There the integral of n.e / r^2 over each triangle is made the solid angle that the source
// sees, and the solid angles of a closed surface add up to zero. f counts as 0 where it is below 1e-16.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/assembly/boundary.hpp"
#include "codelets/tdbem/kernels/assembly/surface_view.hpp"
#include "codelets/tdbem/kernels/assembly/triangle_rules.hpp"
#include "codelets/tdbem/kernels/waves/pulse.hpp"

namespace asterism::tdbem {

/// Consecutive time steps.
struct Steps {
  double dt = 1;           ///< s
  std::int64_t first = 0;  ///< n: at t_n = n dt
  std::int32_t count = 1;
};

/// Plain data, for arguments of tasks and kernels.
struct Illumination {
  Boundary boundary = Boundary::rigid;
  IncidentWave wave;
  TriangleRule rule;  ///< of 7 points or more
  double half_duration = 0;
};
inline Illumination illumination(Boundary boundary, const IncidentWave& wave, const TriangleRule& rule) {
  return {boundary, wave, rule, half_duration(wave.pulse)};
}

namespace cpu {

/// l of rows [begin, end): out[(i - begin) * steps.count + g] is that of step steps.first + g. Sums are taken in
/// double.
template <class T>
void illuminate(const SurfaceView& surface, const Illumination& incident, const Steps& steps, std::int32_t begin,
                std::int32_t end, T* out);

}  // namespace cpu
}  // namespace asterism::tdbem
