// SPDX-License-Identifier: Apache-2.0
// How large the solid cells of a domain are, and how much of the stream they block.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace asterism::lbm {

struct BodySize {
  std::array<int, 3> extent{};  ///< of the box around all solid cells
  std::int64_t frontal = 0;     ///< rows along x with a solid cell: the frontal area in cells^2
  /// of each axis: cells at both ends of the domain are solid, so that a body may reach through a periodic face
  std::array<bool, 3> at_both_ends{};
};

/// `solid`: nx ny nz bytes, x fastest, as Problem::solid; not empty.
BodySize body_size(const std::vector<std::uint8_t>& solid, const std::array<int, 3>& cells);

}  // namespace asterism::lbm
