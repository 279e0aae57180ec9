// SPDX-License-Identifier: Apache-2.0
// Bodies on a lattice of cells: which centres of cells lie inside a closed surface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/graded_axis.hpp"
#include "io/mesh/mesh.hpp"

namespace asterism::mesh {

/// Part of a lattice of cells, or all of it. Where a centre is depends on its place in the whole lattice only, so
/// parts that are filled separately are bit-identical to the whole.
struct Lattice {
  std::array<std::int32_t, 3> cells;                       ///< of the part
  std::array<double, 3> origin = {}, spacing = {1, 1, 1};  ///< lowest corner of cell (0, 0, 0) of the whole; edges
  std::array<std::int32_t, 3> first = {};                  ///< cell of the whole with which the part begins
  /// Coordinates of all planes of the whole, along axes whose cells have several lengths, in place of origin and
  /// spacing.
  std::array<std::vector<double>, 3> planes = {};

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) * static_cast<std::size_t>(cells[2]);
  }
  /// index: of the part.
  [[nodiscard]] double centre(std::size_t axis, std::int32_t index) const {
    if (!planes[axis].empty()) {
      const auto cell = static_cast<std::size_t>(first[axis] + index);
      return planes[axis][cell] + 0.5 * (planes[axis][cell + 1] - planes[axis][cell]);
    }
    return origin[axis] + (first[axis] + index + 0.5) * spacing[axis];
  }
  /// Where x is in cells of the part: 0 at the centre of its first one.
  [[nodiscard]] double index(std::size_t axis, double x) const {
    const double of_whole = planes[axis].empty() ? (x - origin[axis]) / spacing[axis] : index_of(planes[axis], x);
    return of_whole - 0.5 - first[axis];
  }
};

/// One byte per cell, x fastest, 1 where the centre lies inside a closed surface of either orientation. Signs are
/// exact: rays along x through edges and vertices meet a closed surface an even number of times, and a centre on the
/// surface counts as inside where the body begins in the direction of x and as outside where it ends. Throws Error
/// (bad_input), naming the row of cells, when a ray meets it an odd number of times: it is not closed. Parts of the
/// mesh may lie outside of the lattice.
std::vector<std::uint8_t> voxelise(const TriangleMesh& body, const Lattice& lattice);

}  // namespace asterism::mesh
