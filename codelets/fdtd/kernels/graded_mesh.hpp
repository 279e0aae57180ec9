// SPDX-License-Identifier: Apache-2.0
// A mesh whose cells have lengths of their own along its axes. E of the scheme then takes differences of H over the
// distance of the centres beside a plane, H those of E over the length of its cell (Monk and Sueli, SIAM Journal on
// Numerical Analysis 31, 1994: of second order, though a difference alone is of first order where lengths change).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd {

/// Lengths are in units of the spacing along each axis, which is that of the smallest cell.
struct GradedMesh {
  std::array<std::vector<double>, 3> planes;  ///< the first at 0, one more than cells; empty: all cells have length 1
  std::array<bool, 3> periodic{};

  [[nodiscard]] bool graded() const {
    return std::any_of(planes.begin(), planes.end(), [](const auto& p) { return !p.empty(); });
  }
  /// Length of a cell; beyond a face that of its image, or of the cell at the other end.
  [[nodiscard]] double cell(std::size_t axis, std::int32_t i) const {
    const std::vector<double>& p = planes[axis];
    if (p.empty()) return 1;
    const auto n = static_cast<std::int32_t>(p.size()) - 1;
    if (i < 0 || i >= n) i = (i < 0) == periodic[axis] ? n - 1 : 0;
    return p[static_cast<std::size_t>(i) + 1] - p[static_cast<std::size_t>(i)];
  }
  /// Distance of the centres beside a plane.
  [[nodiscard]] double across(std::size_t axis, std::int32_t plane) const {
    return planes[axis].empty() ? 1 : (cell(axis, plane - 1) + cell(axis, plane)) / 2;
  }
  /// Length that an entry of a component stands for along an axis, its place along that axis being `at`.
  [[nodiscard]] double of_entry(Field field, int component, int axis, std::int32_t at) const {
    const auto a = static_cast<std::size_t>(axis);
    return on_planes(field, component, axis) ? across(a, at) : cell(a, at);
  }
  /// Where plane halves / 2 is, or, of an odd number, the centre of a cell.
  [[nodiscard]] double place(std::size_t axis, std::int32_t halves) const {
    const std::vector<double>& p = planes[axis];
    if (p.empty()) return 0.5 * halves;
    const auto below = static_cast<std::size_t>(halves / 2);
    return halves % 2 == 0 ? p[below] : (p[below] + p[below + 1]) / 2;
  }
};

/// The inverse of the lengths over which `field` takes differences along each axis, one array after the other: at
/// entries 0 to n of a sub-domain whose cell (0, 0, 0) is `origin` in the domain. Behind them is room for a vector.
template <class T>
std::vector<T> inverse_lengths(const GradedMesh& mesh, Field field, const Grid& grid,
                               const std::array<int, 3>& origin) {
  constexpr std::size_t room = 64;
  std::vector<T> all;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::int32_t i = 0; i <= grid.n[a]; ++i) {
      const std::int32_t at = origin[a] + i;
      all.push_back(static_cast<T>(1 / (field == Field::electric ? mesh.across(a, at) : mesh.cell(a, at))));
    }
  all.insert(all.end(), room, T{1});
  return all;
}

}  // namespace asterism::fdtd
