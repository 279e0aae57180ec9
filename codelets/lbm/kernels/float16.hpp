// SPDX-License-Identifier: Apache-2.0
// How populations are stored, and the type that they are computed in. Half precision stores 2^15 (f_i - w_i) as an IEEE
// 754 binary16 number and computes in float (FP16S of Lehmann et al., Physical Review E 106, 015308, 2022): values up
// to 2 in steps of 2^-11 of the value, not below 2^-39. Conversions round to nearest, ties to even, on CPUs and GPUs
// alike.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/float16.hpp"
#include "base/host_device.hpp"
#include "base/isa.hpp"
#include "base/precision.hpp"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#define ASTERISM_STORAGE __host__ __device__ __forceinline__
#else
#define ASTERISM_STORAGE ASTERISM_INLINE
#endif

namespace asterism::lbm {

/// The type that stored populations are computed in.
template <class T>
using Arithmetic = std::conditional_t<std::is_same_v<T, Float16>, float, T>;

/// Factor of stored populations of half precision.
inline constexpr float half_scale = 32768;
/// Factor of stored populations.
template <class T>
inline constexpr int scale_of = std::is_same_v<T, Float16> ? 32768 : 1;

/// IEEE 754 binary16 numbers, each in the lower half of a 32-bit integer, to float. Real and Bits: float and
/// std::uint32_t, or GCC vectors of them.
template <class Real, class Bits>
ASTERISM_STORAGE Real real_of_half(const Bits& half) {
  const Bits magnitude = half & 0x7fffU;
  // the exponent's bias is 127 in place of 15; a product is right for numbers below the normal ones, too
  const Real finite = __builtin_bit_cast(Real, static_cast<Bits>(magnitude << 13U)) * 0x1p112F;
  const Bits special = (magnitude << 13U) | 0x7f800000U;
  const Bits value = magnitude >= 0x7c00U ? special : __builtin_bit_cast(Bits, finite);
  return __builtin_bit_cast(Real, static_cast<Bits>(value | ((half & 0x8000U) << 16U)));
}

/// float to IEEE 754 binary16, rounded to nearest, ties to even.
template <class Real, class Bits>
ASTERISM_STORAGE Bits half_of_real(const Real& real) {
  const auto bits = __builtin_bit_cast(Bits, real);
  const Bits magnitude = bits & 0x7fffffffU;
  // below the normal numbers: the spacing of float at 1/2 is that of binary16 there
  const Real shifted = __builtin_bit_cast(Real, magnitude) + 0.5F;
  const Bits small = __builtin_bit_cast(Bits, shifted) - 0x3f000000U;
  const Bits normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13U) & 1U)) >> 13U;
  const Bits zero = magnitude & 0U;
  const Bits not_finite = magnitude > 0x7f800000U ? zero + 0x7e00U : zero + 0x7c00U;
  const Bits finite = magnitude < 0x38800000U ? small : normal;
  return (magnitude >= 0x47800000U ? not_finite : finite) | ((bits >> 16U) & 0x8000U);
}

/// scale_of<T> (f_i - w_i) of a stored population: what a collision computes with.
template <class T>
ASTERISM_STORAGE Arithmetic<T> scaled_value_of(const T& stored) {
  if constexpr (!std::is_same_v<T, Float16>) {
    return stored;
  } else {
#ifdef __CUDA_ARCH__
    return __half2float(__ushort_as_half(stored.bits));
#else
    return real_of_half<float>(std::uint32_t{stored.bits});
#endif
  }
}
template <class T>
ASTERISM_STORAGE T stored_scaled(const Arithmetic<T>& scaled) {
  if constexpr (!std::is_same_v<T, Float16>) {
    return scaled;
  } else {
#ifdef __CUDA_ARCH__
    return {__half_as_ushort(__float2half_rn(scaled))};
#else
    return {static_cast<std::uint16_t>(half_of_real<float, std::uint32_t>(scaled))};
#endif
  }
}

/// f_i - w_i of a stored population.
template <class T>
ASTERISM_STORAGE Arithmetic<T> value_of(const T& stored) {
  if constexpr (!std::is_same_v<T, Float16>)
    return stored;
  else
    return (1 / half_scale) * scaled_value_of(stored);
}
/// The stored population of f_i - w_i.
template <class T>
ASTERISM_STORAGE T stored(const Arithmetic<T>& value) {
  if constexpr (!std::is_same_v<T, Float16>)
    return value;
  else
    return stored_scaled<T>(half_scale * value);
}

/// Calls `body(T{})` with the type that populations are stored in, and returns what it returns.
template <class Body>
decltype(auto) with_populations(Precision precision, Body&& body) {
  if (precision == Precision::half_precision) return std::forward<Body>(body)(Float16{});
  return with_precision(precision, std::forward<Body>(body));
}

}  // namespace asterism::lbm
