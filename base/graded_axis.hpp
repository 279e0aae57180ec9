// SPDX-License-Identifier: Apache-2.0
// Coordinates of planes along an axis that are not at equal distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace asterism {

/// Where x is among ascending planes, two at least, in indices: between two of them in proportion, beyond the ends as
/// in the first and the last interval.
inline double index_of(const std::vector<double>& planes, double x) {
  const auto above = std::upper_bound(planes.begin() + 1, planes.end() - 1, x);
  const double low = above[-1];
  return static_cast<double>(above - planes.begin() - 1) + (x - low) / (*above - low);
}

}  // namespace asterism
