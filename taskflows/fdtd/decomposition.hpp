// SPDX-License-Identifier: Apache-2.0
// The domain in bricks: strips along x, whose planes weigh as fast as the units are that get them (section 3.3 of the
// thesis), or boxes. All cuts go through the whole domain, so bricks meet face to face.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

/// Cells [begin[axis], end[axis]) of the domain.
struct BrickPlace {
  std::array<int, 3> begin{}, end{};
  /// Number of the brick beyond a face, itself when it is alone along a periodic axis; none: a conductor.
  std::array<std::optional<int>, 6> neighbour;
  std::optional<int> rank;  ///< of the cluster, that has the brick; none: this one
  [[nodiscard]] int size(std::size_t axis) const { return end[axis] - begin[axis]; }
};

struct Cut {
  std::array<int, 3> parts{1, 1, 1};
  std::vector<double> weights;  ///< of the parts along x; empty: equal
};

/// Where a row of `n` is cut into as many parts as there are weights, in proportion to them and at least one each: the
/// first of each part, and n. n >= weights.size() > 0, weights are positive.
std::vector<int> cuts_of(int n, const std::vector<double>& weights);

/// Bricks with z fastest: those that follow one another are neighbours. Throws Error (bad input) when there are more
/// parts along an axis than cells, or weights that are not positive.
std::vector<BrickPlace> decompose(const Problem& problem, const Cut& cut);

}  // namespace asterism::fdtd
