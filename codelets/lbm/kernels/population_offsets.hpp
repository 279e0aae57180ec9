// SPDX-License-Identifier: Apache-2.0
// Where the nineteen populations of a cell lie. One rule serves both halves of the A-A pattern, the walls and the
// observation: f*_i is left where f_opposite(i) was taken, and the other half takes from elsewhere.
#pragma once

#include <cstdint>
#include <type_traits>

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

/// The same in bytes: on a GPU an address then is a sum.
struct PopulationBytes {
  std::int64_t offset[q];

  template <class T>
  [[nodiscard]] ASTERISM_HOST_DEVICE T& at(T* cell, int i) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(cell) + offset[i]);
  }
};
template <class T>
constexpr PopulationBytes population_bytes(Half half, const Brick& brick) {
  const PopulationOffsets elements = population_offsets(half, brick);
  PopulationBytes p{};
  for (int i = 0; i < q; ++i) p.offset[i] = elements.offset[i] * static_cast<std::int64_t>(sizeof(T));
  return p;
}

constexpr Half other(Half half) {
  return half == Half::alpha ? Half::beta : Half::alpha;
}

}  // namespace asterism::lbm
