// SPDX-License-Identifier: Apache-2.0
// Bytes and floating-point operations of the kernels.
#pragma once

#include <cstdint>

namespace asterism::heat {

/// A point takes two differences of three terms, two products, two sums.
inline constexpr double flops_per_point = 10;
/// A point reads u and writes v; the rows between are in a cache.
inline constexpr double bytes_per_point = 2 * sizeof(double);

constexpr double points(std::int32_t rows, std::int32_t columns) {
  return static_cast<double>(rows) * columns;
}

}  // namespace asterism::heat
