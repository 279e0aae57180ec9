// SPDX-License-Identifier: Apache-2.0
// The cube that the tree divides, and the cells of its levels by their Morton indices.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace asterism::fmm {

/// The cube that the tree divides.
struct Box {
  double x = 0, y = 0, z = 0;  ///< lower corner
  double width = 1;            ///< of its sides
};

/// The smallest and largest coordinates of points; without points: plus and minus infinity.
struct Extent {
  double low[3] = {INFINITY, INFINITY, INFINITY};
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  void add(const Extent& other);
};
Extent extent(std::span<const double> x, std::span<const double> y, std::span<const double> z);

/// Smallest cube, slightly enlarged, around an extent; of width 1 around a single place.
Box box_around(const Extent& extent);
/// The same box, so many times as wide, with the same lower corner.
Box widened(const Box& box, double widening);
/// The box_around() of the extent of points.
Box bounding_box(std::span<const double> x, std::span<const double> y, std::span<const double> z);

/// Morton index of the cell of `level` in which a point of the box lies.
std::uint64_t key_of(const Box& box, int level, double x, double y, double z);

}  // namespace asterism::fmm
