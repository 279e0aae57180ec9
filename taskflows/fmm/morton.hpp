// Morton indices: the bits of three coordinates interleaved, x lowest.
#pragma once

#include <cstdint>

#include "codelets/fmm/far_field.hpp"

namespace asterism::fmm {

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
constexpr std::uint64_t morton(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}
constexpr CellIndex cell_of(std::uint64_t key) {
  return {static_cast<std::int32_t>(collect_bits(key)), static_cast<std::int32_t>(collect_bits(key >> 1)),
          static_cast<std::int32_t>(collect_bits(key >> 2))};
}

}  // namespace asterism::fmm
