// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace asterism::fdtd {

std::vector<int> cuts_of(int n, const std::vector<double>& weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const int parts = static_cast<int>(weights.size());
  std::vector<int> cuts{0};
  double sum = 0;
  for (int p = 1; p <= parts; ++p) {
    sum += weights[static_cast<std::size_t>(p - 1)];
    const int wanted = static_cast<int>(std::lround(n * (sum / total)));
    cuts.push_back(std::clamp(wanted, cuts.back() + 1, n - (parts - p)));
  }
  cuts.back() = n;
  return cuts;
}

std::vector<BrickPlace> decompose(const Problem& problem, const Cut& cut) {
  std::array<std::vector<int>, 3> cuts;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int parts = cut.parts[axis];
    if (parts < 1 || parts > problem.cells[axis])
      bad_input("{} parts along {} of {} cells: expected 1 to {}", parts, "xyz"[axis], problem.cells[axis],
                problem.cells[axis]);
    std::vector<double> weights(static_cast<std::size_t>(parts), 1);
    if (axis == 0 && !cut.weights.empty()) weights = cut.weights;
    if (weights.size() != static_cast<std::size_t>(parts))
      bad_input("{} weights for {} parts along x", weights.size(), parts);
    for (const double w : weights)
      if (!(w > 0) || !std::isfinite(w)) bad_input("a part of weight {}: expected more than 0", w);
    cuts[axis] = cuts_of(problem.cells[axis], weights);
  }
  std::vector<BrickPlace> bricks;
  const std::array<int, 3>& parts = cut.parts;
  for (int i = 0; i < parts[0]; ++i)
    for (int j = 0; j < parts[1]; ++j)
      for (int k = 0; k < parts[2]; ++k) {
        const std::array<int, 3> at{i, j, k};
        BrickPlace brick;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          brick.begin[axis] = cuts[axis][static_cast<std::size_t>(at[axis])];
          brick.end[axis] = cuts[axis][static_cast<std::size_t>(at[axis]) + 1];
        }
        for (std::size_t face = 0; face < 6; ++face) {
          const std::size_t axis = face / 2;
          std::array<int, 3> beyond = at;
          beyond[axis] += face % 2 == 0 ? -1 : 1;
          if (beyond[axis] < 0 || beyond[axis] >= parts[axis]) {
            if (problem.face[face] != Face::neighbour) continue;
            beyond[axis] = (beyond[axis] + parts[axis]) % parts[axis];
          }
          brick.neighbour[face] = (beyond[0] * parts[1] + beyond[1]) * parts[2] + beyond[2];
        }
        bricks.push_back(brick);
      }
  return bricks;
}

}  // namespace asterism::fdtd
