// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary16 numbers in memory. Nothing is computed in them.
#pragma once

#include <cstdint>

namespace asterism {

/// Sign, five bits of the exponent, ten of the mantissa.
struct Float16 {
  std::uint16_t bits;

  /// As numbers: zero has two signs, and NaN equals nothing.
  friend constexpr bool operator==(Float16 a, Float16 b) {
    const auto magnitude = [](Float16 v) { return v.bits & 0x7fffU; };
    return a.bits == b.bits ? magnitude(a) <= 0x7c00U : magnitude(a) == 0 && magnitude(b) == 0;
  }
};

}  // namespace asterism
