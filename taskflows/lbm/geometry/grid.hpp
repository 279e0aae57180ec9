// SPDX-License-Identifier: Apache-2.0
// Where the cells of a lattice lie in space.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace asterism::lbm {

/// nx x ny x nz cubes; arrays over them have x fastest.
struct Grid {
  std::int32_t nx, ny, nz;
  std::array<double, 3> origin = {};  ///< lowest corner of cell (0, 0, 0)
  double spacing = 1;                 ///< edge of a cell

  [[nodiscard]] std::size_t cells() const {
    return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
  }
  [[nodiscard]] double centre(std::size_t axis, std::int32_t index) const {
    return origin[axis] + (index + 0.5) * spacing;
  }
  friend bool operator==(const Grid&, const Grid&) = default;
};

}  // namespace asterism::lbm
