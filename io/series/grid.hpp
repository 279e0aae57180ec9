// SPDX-License-Identifier: Apache-2.0
// Rectilinear grids as writers of files see them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace asterism::output {

/// Where values are: at centres of cells, or at nodes between them.
enum class Centre { cell, node };

/// Units of lengths and times, as files say them; "1": none.
struct Units {
  std::string length = "1";
  std::string time = "1";
  friend bool operator==(const Units&, const Units&) = default;
};

/// n[0] x n[1] x n[2] values along x, y, z; arrays over them have x fastest.
struct Grid {
  std::array<std::int32_t, 3> n;
  std::array<double, 3> origin = {};  ///< lowest corner of cell (0, 0, 0), or node (0, 0, 0)
  std::array<double, 3> spacing = {1, 1, 1};
  Centre centre = Centre::cell;
  Units units = {};
  /// Nodes along an axis whose cells have several lengths, in place of origin and spacing, of values at centres of
  /// cells; else none.
  std::array<std::vector<double>, 3> planes = {};

  [[nodiscard]] bool graded() const { return !planes[0].empty() || !planes[1].empty() || !planes[2].empty(); }
  /// Coordinate of a node.
  [[nodiscard]] double node(std::size_t axis, std::int32_t index) const {
    return planes[axis].empty() ? origin[axis] + index * spacing[axis] : planes[axis][static_cast<std::size_t>(index)];
  }
  /// Coordinates of all nodes.
  [[nodiscard]] std::vector<double> nodes(std::size_t axis) const {
    std::vector<double> all;
    for (std::int32_t i = 0; i < points(axis); ++i) all.push_back(node(axis, i));
    return all;
  }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
  }
  /// The number of nodes along an axis: one more than there are cells.
  [[nodiscard]] std::int32_t points(std::size_t axis) const { return n[axis] + (centre == Centre::cell ? 1 : 0); }
  friend bool operator==(const Grid&, const Grid&) = default;
};

}  // namespace asterism::output
