// SPDX-License-Identifier: Apache-2.0
// Random numbers by their place in a sequence, so that any of them is made without the others.
#pragma once

#include <cstdint>

namespace asterism::fmm {

/// The k-th number of SplitMix64's sequence, computed directly (Steele, Lea, Flood, OOPSLA 2014). A seed selects a
/// place in the sequence by its own hash.
class Random {
 public:
  explicit Random(std::uint64_t seed) : start_(mix(seed + gamma)) {}

  [[nodiscard]] std::uint64_t bits(std::uint64_t k) const { return mix(start_ + (k + 1) * gamma); }
  /// Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double uniform(std::uint64_t k) const { return static_cast<double>(bits(k) >> 11U) * 0x1p-53; }

 private:
  static constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27U) * 0x94d049bb133111eb;
    return z ^ z >> 31U;
  }

  std::uint64_t start_;
};

}  // namespace asterism::fmm
