// SPDX-License-Identifier: Apache-2.0
// Places where the scattered pressure is wanted, and the weights with which the surface's values make it: Kirchhoff's
// retarded potentials (J. A. Stratton, Electromagnetic Theory (1941), section 8.1), r = |x - y|, n outward,
//   rigid:  p_s(x, t) = sum_T int n.(x - y) / (4 pi r^2) [phi / r + phi' / c](y, t - r/c) dS
//   soft:   p_s(x, t) = -sum_T int psi(y, t - r/c) / (4 pi r) dS,   psi = d_n p_total
// Linear in space on triangles. In time, phi and phi' are those of the parabola through the three values around or
// before t - r/c, at lags q, q + 1, q + 2 with q = floor(r / (c dt)): phi' of the trial functions themselves jumps at
// every step, which would cost an order of accuracy. psi belongs to the middles of steps: linear between them.
#pragma once

#include <span>
#include <vector>

#include "codelets/tdbem/kernels/assembly/boundary.hpp"
#include "codelets/tdbem/kernels/assembly/triangle_rules.hpp"
#include "codelets/tdbem/kernels/waves/observe.hpp"
#include "taskflows/tdbem/surface/surface.hpp"

namespace asterism::tdbem {

/// Row-vectors over lags for all observers and unknowns: about sizeof(T) * 8 bytes for each pair, and 12.
template <class T>
struct ObserverWeights {
  std::int32_t observers = 0;
  std::int32_t unknowns = 0;
  std::vector<std::uint64_t> start;
  std::vector<std::int32_t> first;
  std::vector<T> weight;
  std::int32_t smallest_lag = 0, largest_lag = 0;

  [[nodiscard]] ObserverView<T> view() const {
    return {observers, unknowns, start.data(), first.data(), weight.data()};
  }
};

/// Distance of a point from the surface, and the solid angle under which it sees it over 4 pi: 1 inside, 0 outside.
struct Situation {
  double distance = 0;
  double winding = 0;
};
Situation situation(const Surface& surface, const Point& x);

/// Throws Error (bad_input), naming the observer, for observers inside of a body, and for those nearer to the surface
/// than its mean edge or than the way of two steps: there the flat triangles and the steps are too coarse for what is
/// asked.
void check_observers(const Surface& surface, double speed, double dt, std::span<const Point> observers);

/// Throws Error (bad_input), naming it, for a monopole inside of a body, on it, or nearer to it than a mean edge, over
/// which its pressure would change too fast.
void check_monopole(const Surface& surface, std::size_t number, const Point& source);

/// `dt` and `speed` as in the solution. Triangles near an observer are cut into pieces smaller than half their
/// distance; `rule` is used on each. Throws as check_observers().
template <class T>
ObserverWeights<T> observer_weights(const Surface& surface, Boundary boundary, double speed, double dt,
                                    const TriangleRule& rule, std::span<const Point> observers);

}  // namespace asterism::tdbem
