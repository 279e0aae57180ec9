// SPDX-License-Identifier: Apache-2.0
// Populations in half precision: conversions against the definition of IEEE 754 binary16, by every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/lbm/kernels/float16.hpp"
#include "codelets/lbm/kernels/lanes.hpp"

namespace asterism::lbm {
namespace {

/// Sign, five bits of the exponent, ten of the mantissa.
double definition(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10U & 31U);
  const double mantissa = bits & 1023U;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24) : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

/// Nearest of all finite numbers, the even one of two; infinity from half a step beyond the largest.
unsigned nearest(float value) {
  const double wanted = std::abs(static_cast<double>(value));
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  if (wanted >= 65520) return sign | 0x7c00U;
  unsigned low = 0, high = 0x7bffU;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (definition(middle) <= wanted ? low : high) = middle;
  }
  const double below = wanted - definition(low), above = definition(high) - wanted;
  const bool up = above < below || (above == below && high % 2 == 0);
  return sign | (up ? high : low);
}

/// Around every number and every middle of two, and of every size.
std::vector<float> samples() {
  std::vector<float> all = {0.F, -0.F, 65519.99F, 65520.F, 65536.F, -1e30F, INFINITY, -INFINITY, 1e-30F};
  for (unsigned bits = 0; bits < 0x7bffU; bits += 7) {
    const auto number = static_cast<float>(definition(bits));
    const auto middle = static_cast<float>((definition(bits) + definition(bits + 1)) / 2);
    for (const float v : {number, middle})
      for (const float w : {v, std::nextafterf(v, 1e9F), std::nextafterf(v, -1e9F), -v}) all.push_back(w);
  }
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> exponent(-30, 17), mantissa(-1, 1);
  for (int k = 0; k < 4000; ++k) all.push_back(mantissa(generator) * std::exp2(exponent(generator)));
  while (all.size() % 16 != 0) all.push_back(1);
  return all;
}

TEST(LbmFloat16, EveryNumberIsRead) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const double expected = definition(bits) / 32768;
    const float found = value_of(Float16{static_cast<std::uint16_t>(bits)});
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(found)) << bits;
    } else {
      EXPECT_EQ(static_cast<double>(found), expected) << bits;
      EXPECT_EQ(stored<Float16>(found).bits, bits);
    }
    EXPECT_EQ(std::signbit(found), bits >= 32768) << bits;
  }
}

TEST(LbmFloat16, RoundsToTheNearest) {
  for (const float v : samples()) EXPECT_EQ(stored<Float16>(v / half_scale).bits, nearest(v)) << v;
  EXPECT_TRUE(std::isnan(value_of(stored<Float16>(NAN))));
}

/// Loads and stores of vectors.
using Copy = void (*)(const std::uint16_t* from, float* values, std::uint16_t* to, const float* stored_values);

template <cpu::Conversion conversion>
ASTERISM_INLINE void convert(const std::uint16_t* from, float* values, std::uint16_t* to, const float* stored_values) {
  const auto* const halves = reinterpret_cast<const Float16*>(from);
  cpu::Cells<Float16> value = cpu::load_cells<conversion>(halves);
  std::memcpy(values, &value, sizeof(value));
  std::memcpy(&value, stored_values, sizeof(value));
  cpu::store_cells<conversion>(value, reinterpret_cast<Float16*>(to));
}
void by_integers(const std::uint16_t* from, float* values, std::uint16_t* to, const float* stored_values) {
  convert<cpu::Conversion::integers>(from, values, to, stored_values);
}
#ifdef ASTERISM_HAS_CLONES
[[gnu::target("arch=x86-64-v3")]] void by_f16c(const std::uint16_t* from, float* values, std::uint16_t* to,
                                               const float* stored_values) {
  convert<cpu::Conversion::f16c>(from, values, to, stored_values);
}
[[gnu::target("arch=x86-64-v4")]] void by_avx512(const std::uint16_t* from, float* values, std::uint16_t* to,
                                                 const float* stored_values) {
  convert<cpu::Conversion::avx512>(from, values, to, stored_values);
}
#endif

TEST(LbmFloat16, VectorsGiveTheBitsOfScalars) {
  std::vector<Copy> all = {by_integers};
#ifdef ASTERISM_HAS_CLONES
  if (__builtin_cpu_supports("x86-64-v3") != 0) all.push_back(by_f16c);
  if (__builtin_cpu_supports("x86-64-v4") != 0) all.push_back(by_avx512);
#endif
  const std::vector<float> numbers = samples();
  for (std::size_t version = 0; version < all.size(); ++version) {
    SCOPED_TRACE(version);
    for (std::size_t at = 0; at < numbers.size(); at += 16) {
      std::uint16_t from[16], to[16];
      float values[16], given[16];
      for (std::size_t l = 0; l < 16; ++l) {
        from[l] = stored<Float16>(numbers[at + l] / half_scale).bits;
        given[l] = numbers[at + l];
      }
      all[version](from, values, to, given);
      for (std::size_t l = 0; l < 16; ++l) {
        EXPECT_EQ(values[l], half_scale * value_of(Float16{from[l]})) << numbers[at + l];
        EXPECT_EQ(to[l], from[l]) << numbers[at + l];
      }
    }
  }
}

}  // namespace
}  // namespace asterism::lbm
