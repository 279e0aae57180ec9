// SPDX-License-Identifier: Apache-2.0
// Force and moment on solid cells as sums of integers. Sums of integers do not depend on their order, so that results
// are bit-identical on CPUs and GPUs and for every cut of the domain.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/host_device.hpp"
#include "codelets/lbm/kernels/brick.hpp"

namespace asterism::lbm {

/// Cell (0, 0, 0) of a brick in the domain.
struct Origin {
  std::int32_t x, y, z;
};

/// Three numbers of a force, three of a moment, each in three parts: value = sum over k of part[k] 2^(21 k - 62). With
/// 21 bits to a part, sums of 2^25 links whose coordinates are below 65536 fit. Signed integers modulo 2^64.
struct ForceSums {
  static constexpr int numbers = 6;
  static constexpr int parts = 3;
  static constexpr int bits = 21;
  static constexpr int fraction = 62;
  static constexpr int counters = numbers * parts + 1;
  using Counter = unsigned long long;  // what atomicAdd takes

  Counter counter[counters];  ///< parts of fx, fy, fz, mx, my, mz; then links whose population is not within (-1, 1)

  /// Adds a link in direction c at cell (x, y, z) of the domain, whose population f*_j - w_j is `value`: c_j value, and
  /// x cross c_j value. The half link from the cell to the wall is along c_j and adds nothing to the moment.
  ASTERISM_HOST_DEVICE void add(double value, const Velocity& c, const Origin& cell) {
    if (!(value > -1 && value < 1)) {
      ++counter[numbers * parts];
      return;
    }
    constexpr double scale = 4611686018427387904.0;  // 2^62
    const auto fixed = static_cast<std::int64_t>(value * scale);
    constexpr std::int64_t mask = (std::int64_t{1} << bits) - 1;
    const std::int64_t part[parts] = {fixed & mask, (fixed >> bits) & mask, fixed >> (2 * bits)};
    const std::int64_t factor[numbers] = {c.x,
                                          c.y,
                                          c.z,
                                          std::int64_t{cell.y} * c.z - std::int64_t{cell.z} * c.y,
                                          std::int64_t{cell.z} * c.x - std::int64_t{cell.x} * c.z,
                                          std::int64_t{cell.x} * c.y - std::int64_t{cell.y} * c.x};
    for (int a = 0; a < numbers; ++a)
      for (int k = 0; k < parts; ++k) counter[a * parts + k] += static_cast<Counter>(factor[a] * part[k]);
  }
  ASTERISM_HOST_DEVICE void add(const ForceSums& more) {
    for (int k = 0; k < counters; ++k) counter[k] += more.counter[k];
  }
  /// Force (0 to 2) or moment (3 to 5), 2 sum, correctly rounded but for the last bit; NaN when a population was out of
  /// range.
  [[nodiscard]] double number(int a) const {
    if (counter[numbers * parts] != 0) return std::numeric_limits<double>::quiet_NaN();
    constexpr std::int64_t mask = (std::int64_t{1} << bits) - 1;
    const auto low = static_cast<std::int64_t>(counter[a * parts]);
    const std::int64_t middle = static_cast<std::int64_t>(counter[a * parts + 1]) + (low >> bits);
    const std::int64_t high = static_cast<std::int64_t>(counter[a * parts + 2]) + (middle >> bits);
    const auto fine = static_cast<double>(((middle & mask) << bits) | (low & mask));
    return std::ldexp(std::ldexp(static_cast<double>(high), 2 * bits) + fine, 1 - fraction);
  }
};

/// The cell of a population at offset `at` of slot i, ghosts included, as a cell of the domain.
ASTERISM_HOST_DEVICE inline Origin cell_of(const Brick& brick, const Origin& origin, int i, std::int64_t at) {
  const std::int64_t from_ghost = at - i * brick.slot - brick.lead + 1;
  const std::int64_t row = from_ghost / brick.pitch;
  const std::int64_t layer = row / (brick.ny + 2);
  return {origin.x + static_cast<std::int32_t>(from_ghost - row * brick.pitch) - 1,
          origin.y + static_cast<std::int32_t>(row - layer * (brick.ny + 2)) - 1,
          origin.z + static_cast<std::int32_t>(layer) - 1};
}

}  // namespace asterism::lbm
