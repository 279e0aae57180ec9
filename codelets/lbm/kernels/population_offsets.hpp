// SPDX-License-Identifier: Apache-2.0
// Where the nineteen populations of a cell lie. One rule serves both halves of the A-A pattern, the walls and the
// observation: f*_i is left where f_opposite(i) was taken, and the other half takes from elsewhere.
#pragma once

#include <cstdint>

#include "codelets/lbm/kernels/brick.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {

/// Offsets from slot 0 of a cell: a half-step takes f_i from offset[i] and leaves f*_i at offset[opposite(i)].
struct PopulationOffsets {
  std::int64_t offset[q];
};

/// alpha takes f_i from slot i of the cell, beta from slot opposite(i) of its neighbour at -c_i.
constexpr PopulationOffsets population_offsets(Half half, const Brick& brick) {
  PopulationOffsets p{};
  for (int i = 0; i < q; ++i)
    p.offset[i] = half == Half::alpha ? i * brick.slot : opposite(i) * brick.slot - brick.step(i);
  return p;
}

constexpr Half other(Half half) {
  return half == Half::alpha ? Half::beta : Half::alpha;
}

}  // namespace asterism::lbm
