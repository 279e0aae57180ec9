// SPDX-License-Identifier: Apache-2.0
// Materials on a grid that is finer than the scene's, around edges and nodes that surfaces cross.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "taskflows/fdtd/scene/voxelise.hpp"

namespace asterism::fdtd::scene {

inline constexpr int fine = 8;          ///< points along an edge of a cell
inline constexpr int coarse = 2;        ///< to find the cells that surfaces cross
inline constexpr int rows_at_once = 8;  ///< cells along y

/// Points [x0, x1) x ... of a grid that is `times` finer than the scene's, some of them beyond its faces: those of the
/// other end along periodic axes, and none elsewhere.
class Samples {
 public:
  static constexpr std::int32_t none = -1;

  Samples(const Scene& scene, int times) : geometry_(scene, times) {
    for (std::size_t a = 0; a < 3; ++a) {
      cells_[a] = scene.grid.cells[a] * times;
      low_[a] = scene.grid.origin[a];
      high_[a] = scene.grid.end(a);
      periodic_[a] = scene.boundary[2 * a] == Boundary::periodic;
    }
  }

  void fill(const Box& box) {
    box_ = box;
    values_.assign(static_cast<std::size_t>(box.cells()), none);
    const std::array<std::vector<Range>, 3> ranges{ranges_of(0, box.x0, box.x1), ranges_of(1, box.y0, box.y1),
                                                   ranges_of(2, box.z0, box.z1)};
    for (const Range& x : ranges[0])
      for (const Range& y : ranges[1])
        for (const Range& z : ranges[2]) copy(x, y, z);
  }
  [[nodiscard]] std::int32_t at(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return values_[static_cast<std::size_t>(place(i, j, k))];
  }

  /// Geometry::at, beyond periodic faces too; none beyond others.
  [[nodiscard]] std::optional<std::uint16_t> exactly_at(Vector point) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const double length = high_[a] - low_[a];
      if (periodic_[a]) point[a] -= std::floor((point[a] - low_[a]) / length) * length;
      if (point[a] < low_[a] || point[a] > high_[a]) return std::nullopt;
    }
    return geometry_.at(point);
  }

 private:
  /// In the grid, and how far beyond its faces that is asked for.
  struct Range {
    std::int32_t first, end, shift;
  };
  [[nodiscard]] std::vector<Range> ranges_of(std::size_t axis, std::int32_t first, std::int32_t end) const {
    const std::int32_t n = cells_[axis];
    std::vector<Range> ranges;
    for (const std::int32_t shift : {-n, 0, n}) {
      if (shift != 0 && !periodic_[axis]) continue;
      const Range range{std::max(first - shift, 0), std::min(end - shift, n), shift};
      if (range.first < range.end) ranges.push_back(range);
    }
    return ranges;
  }
  [[nodiscard]] std::int64_t place(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (static_cast<std::int64_t>(i - box_.x0) * (box_.y1 - box_.y0) + (j - box_.y0)) * (box_.z1 - box_.z0) +
           (k - box_.z0);
  }
  void copy(const Range& x, const Range& y, const Range& z) {
    const Box part{x.first, x.end, y.first, y.end, z.first, z.end};
    painted_.resize(static_cast<std::size_t>(part.cells()));
    const Canvas canvas{part, painted_.data()};
    geometry_.fill(canvas);
    for (std::int32_t i = x.first; i < x.end; ++i)
      for (std::int32_t j = y.first; j < y.end; ++j)
        std::copy_n(canvas.row(i, j), z.end - z.first,
                    values_.begin() + place(i + x.shift, j + y.shift, z.first + z.shift));
  }

  Geometry geometry_;
  std::array<std::int32_t, 3> cells_{};
  std::array<bool, 3> periodic_{};
  Vector low_{}, high_{};
  Box box_{};
  std::vector<std::int32_t> values_;
  std::vector<std::uint16_t> painted_;
};

inline Box wider(const Box& b, std::int32_t by) {
  return {b.x0 - by, b.x1 + by, b.y0 - by, b.y1 + by, b.z0 - by, b.z1 + by};
}

inline bool is_mixed(const Samples& samples, const Box& b) {
  std::int32_t first = Samples::none;
  for (std::int32_t i = b.x0; i < b.x1; ++i)
    for (std::int32_t j = b.y0; j < b.y1; ++j)
      for (std::int32_t k = b.z0; k < b.z1; ++k) {
        const std::int32_t material = samples.at(i, j, k);
        if (material == Samples::none) continue;
        if (first == Samples::none) first = material;
        if (material != first) return true;
      }
  return false;
}

/// To 12 significant bits, so that large surfaces have few media.
inline double rounded(double x) {
  constexpr int bits = 12;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, bits)), exponent - bits);
}

}  // namespace asterism::fdtd::scene
