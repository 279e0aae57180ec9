// SPDX-License-Identifier: Apache-2.0
// Fingerprints of what files hold, to tell whether two are the same: no protection against intent.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace asterism {

/// FNV-1a of bytes, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo).
class Fingerprint {
 public:
  Fingerprint& add(const void* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      hash_ = (hash_ ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3U;
    return *this;
  }
  /// Each as a double.
  template <class... Numbers>
  Fingerprint& numbers(Numbers... values) {
    for (const double value : {static_cast<double>(values)...}) add(&value, sizeof value);
    return *this;
  }
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

/// A checksum for gigabytes, computed a word at a time: each step is one-to-one, so that a change of any single word
/// changes the sum.
inline std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t sum = 0xcbf29ce484222325U) {
  const auto step = [](std::uint64_t before, std::uint64_t word) {
    const std::uint64_t mixed = std::rotl(before ^ word, 29) * 0x9e3779b97f4a7c15U;
    return mixed ^ (mixed >> 32U);
  };
  const auto* at = static_cast<const unsigned char*>(data);
  for (; bytes >= sizeof sum; bytes -= sizeof sum, at += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    sum = step(sum, word);
  }
  for (; bytes > 0; --bytes, ++at) sum = step(sum, *at);
  return sum;
}

}  // namespace asterism
