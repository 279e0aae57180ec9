// SPDX-License-Identifier: Apache-2.0
// State and fields on their way between bricks and main memory: slabs of whole planes of a brick, two taking turns.
#pragma once

#include <algorithm>
#include <array>

#include "taskflows/lbm/bricks/bricks.hpp"

namespace asterism::lbm {

inline constexpr std::int64_t slab_bytes = std::int64_t{64} << 20;

struct Slab {
  HostBuffer<char> memory;
  Handle handle;
};

/// `body(brick, box in the brick, slab with room for `values` numbers of each cell)` for all bricks of this
/// rank.
template <class Body>
void for_slabs(Bricks& bricks, int values, int bytes_of_value, const Body& body) {
  const auto element = static_cast<std::size_t>(bytes_of_value);
  std::array<Slab, 2> slabs;
  std::size_t turn = 0;
  for (BrickData* const brick : bricks.own) {
    const Brick& layout = brick->descriptor.layout;
    const std::int64_t plane = static_cast<std::int64_t>(layout.nx) * layout.ny * values * bytes_of_value;
    const auto planes = static_cast<int>(std::clamp<std::int64_t>(slab_bytes / plane, 1, layout.nz));
    for (auto& slab : slabs) {
      const auto bytes = static_cast<std::size_t>(plane) * static_cast<std::size_t>(planes);
      if (slab.memory.size() == bytes) continue;
      slab.handle = Handle();
      slab.memory = HostBuffer<char>(bytes);
      slab.handle = Handle::temporary(slab.memory.data(), bytes / element, element, "slab");
    }
    for (int z = 0; z < layout.nz; z += planes, turn ^= 1U)
      body(*brick, Box{0, layout.nx, 0, layout.ny, z, std::min(z + planes, layout.nz)}, slabs[turn]);
  }
}

/// A box of a brick, as a box of the domain.
inline Box in_domain(const BrickPlace& place, const Box& box) {
  const std::array<int, 3>& b = place.begin;
  return {box.x0 + b[0], box.x1 + b[0], box.y0 + b[1], box.y1 + b[1], box.z0 + b[2], box.z1 + b[2]};
}

}  // namespace asterism::lbm
