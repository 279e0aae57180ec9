// SPDX-License-Identifier: Apache-2.0
// Sets of cells as lists of boxes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd {

inline Box common(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
}
/// With so many cells more on each side.
inline Box widened(const Box& b, int by) {
  return {b.x0 - by, b.x1 + by, b.y0 - by, b.y1 + by, b.z0 - by, b.z1 + by};
}
/// The smallest box that has both.
inline Box hull(const Box& a, const Box& b) {
  return {std::min(a.x0, b.x0), std::max(a.x1, b.x1), std::min(a.y0, b.y0),
          std::max(a.y1, b.y1), std::min(a.z0, b.z0), std::max(a.z1, b.z1)};
}
/// The cells with which entries go: what lies on a magnetic conductor goes with the last ones.
inline Box cells_of_entries(const Grid& grid, const Box& b) {
  const std::int32_t(&n)[3] = grid.n;
  return {std::min(b.x0, n[0] - 1), std::min(b.x1, n[0]),     std::min(b.y0, n[1] - 1),
          std::min(b.y1, n[1]),     std::min(b.z0, n[2] - 1), std::min(b.z1, n[2])};
}
inline std::int64_t cells_of(const std::vector<Box>& boxes) {
  std::int64_t sum = 0;
  for (const Box& b : boxes) sum += b.cells();
  return sum;
}

/// What is left of boxes without the cells of another one, which go to `taken` where that is given.
inline std::vector<Box> without(const std::vector<Box>& boxes, const Box& hole, std::vector<Box>* taken = nullptr) {
  std::vector<Box> left;
  const auto add = [&](const Box& b) {
    if (!b.empty()) left.push_back(b);
  };
  for (const Box& b : boxes) {
    const Box cut = common(b, hole);
    if (cut.empty()) {
      left.push_back(b);
      continue;
    }
    if (taken != nullptr) taken->push_back(cut);
    add({b.x0, cut.x0, b.y0, b.y1, b.z0, b.z1});
    add({cut.x1, b.x1, b.y0, b.y1, b.z0, b.z1});
    add({cut.x0, cut.x1, b.y0, cut.y0, b.z0, b.z1});
    add({cut.x0, cut.x1, cut.y1, b.y1, b.z0, b.z1});
    add({cut.x0, cut.x1, cut.y0, cut.y1, b.z0, cut.z0});
    add({cut.x0, cut.x1, cut.y0, cut.y1, cut.z1, b.z1});
  }
  return left;
}

/// The cells of all boxes, each in one box only.
inline std::vector<Box> disjoint(const std::vector<Box>& boxes) {
  std::vector<Box> all;
  for (const Box& b : boxes) {
    if (b.empty()) continue;
    std::vector<Box> more{b};
    for (const Box& known : all) more = without(more, known);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// `most` boxes at most that have all the cells: two that have the fewest others around them become one.
inline std::vector<Box> in_few(std::vector<Box> boxes, std::size_t most) {
  while (boxes.size() > most) {
    std::pair<std::size_t, std::size_t> best{0, 1};
    std::int64_t least = -1;
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = a + 1; b < boxes.size(); ++b) {
        const std::int64_t more = hull(boxes[a], boxes[b]).cells() - boxes[a].cells() - boxes[b].cells();
        if (least >= 0 && more >= least) continue;
        least = more;
        best = {a, b};
      }
    boxes[best.first] = hull(boxes[best.first], boxes[best.second]);
    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(best.second));
  }
  return boxes;
}

}  // namespace asterism::fdtd
