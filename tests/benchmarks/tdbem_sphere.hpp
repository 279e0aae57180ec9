// SPDX-License-Identifier: Apache-2.0
// Slices as a mesh of the unit sphere has them, without the mesh: points in Morton order, first lags from distances,
// lengths 2 to 15 (9.5 on average, as the paper's airplane) that shrink as the direction between two points turns from
// the surface to its normal.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/codelets/tdbem/tiles.hpp"

namespace asterism::tdbem {

class PointsOnSphere {
 public:
  explicit PointsOnSphere(std::int32_t unknowns) : step_(std::sqrt(4 * std::numbers::pi / unknowns) / 2) {
    std::vector<std::pair<std::uint64_t, std::array<double, 3>>> points;
    for (std::int32_t n = 0; n < unknowns; ++n) {  // the golden spiral
      const double z = 1 - (2 * n + 1.0) / unknowns;
      const double r = std::sqrt(1 - z * z);
      const double angle = n * std::numbers::pi * (3 - std::sqrt(5.0));
      const std::array<double, 3> x{r * std::cos(angle), r * std::sin(angle), z};
      points.emplace_back(morton(x), x);
    }
    std::sort(points.begin(), points.end());
    for (const auto& p : points) points_.push_back(p.second);
  }
  [[nodiscard]] Extent extent(std::int32_t i, std::int32_t j) const {
    double square = 0;
    for (int a = 0; a < 3; ++a) square += (points_[i][a] - points_[j][a]) * (points_[i][a] - points_[j][a]);
    const auto middle = static_cast<std::int32_t>(std::sqrt(square) / step_);
    const auto length = std::clamp(2 + static_cast<std::int32_t>(std::ceil(14 * (1 - square / 4))), 2, 15);
    return {std::max(1, middle - length / 2 + 1), length};
  }

 private:
  static std::uint64_t morton(const std::array<double, 3>& x) {
    std::uint64_t code = 0;
    for (int bit = 20; bit >= 0; --bit)
      for (int a = 0; a < 3; ++a) code = 2 * code + (static_cast<std::uint64_t>((x[a] + 1) * (1 << 20)) >> bit & 1);
    return code;
  }
  double step_;  ///< c dt, half of the distance of neighbours
  std::vector<std::array<double, 3>> points_;
};

/// A value for a pair and lag, without meaning but not zero.
inline double some_value(std::int64_t i, std::int64_t k, std::int64_t j) {
  return static_cast<double>((i * 7 + k * 13 + j * 5) % 31 - 15) / 16 + 1.0 / 64;
}

}  // namespace asterism::tdbem
