// SPDX-License-Identifier: Apache-2.0
// Space-filling curves: one number for three coordinates of up to 21 bits, such that near numbers are near places.
#pragma once

#include <array>
#include <cstdint>

namespace asterism {

inline constexpr int curve_bits = 21;  ///< per coordinate

/// Spreads the 21 low bits of v to every third bit.
constexpr std::uint64_t spread_bits(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffff;
  v = (v | v << 16) & 0x1f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  v = (v | v << 2) & 0x1249249249249249;
  return v;
}
constexpr std::uint64_t collect_bits(std::uint64_t v) {
  v &= 0x1249249249249249;
  v = (v | v >> 2) & 0x10c30c30c30c30c3;
  v = (v | v >> 4) & 0x100f00f00f00f00f;
  v = (v | v >> 8) & 0x1f0000ff0000ff;
  v = (v | v >> 16) & 0x1f00000000ffff;
  v = (v | v >> 32) & 0x1fffff;
  return v;
}

/// Morton's index: the bits of the coordinates interleaved, x lowest.
constexpr std::uint64_t morton(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}

/// Hilbert's index of a cell of a cube of 2^bits cells per side: consecutive cells have a face in common. After
/// J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707 (2004): undo the turns and mirrorings of the curve
/// in each octant from the largest down, then Gray's code of what is left.
constexpr std::uint64_t hilbert(std::array<std::uint32_t, 3> x, int bits) {
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1U) {
    for (std::uint32_t& coordinate : x) {
      if ((coordinate & q) != 0) {
        x[0] ^= q - 1;
      } else {
        const std::uint32_t exchanged = (x[0] ^ coordinate) & (q - 1);
        x[0] ^= exchanged;
        coordinate ^= exchanged;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t flipped = 0;
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1U)
    if ((x[2] & q) != 0) flipped ^= q - 1;
  return morton(x[2] ^ flipped, x[1] ^ flipped, x[0] ^ flipped);
}

}  // namespace asterism
