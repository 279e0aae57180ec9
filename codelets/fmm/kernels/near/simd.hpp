// SPDX-License-Identifier: Apache-2.0
// Vectors of doubles for the CPU kernels of the FMM, in the instruction set that the compiler was told to use:
// 8 lanes with AVX-512, 4 with AVX2, otherwise 2. Each instruction set has a namespace of its own, as one program
// holds all three (CMakeLists.txt) and its inline functions must not be mixed up by the linker.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "codelets/fmm/kernels/near/kernel_function.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>
#define ASTERISM_FMM_ISA avx512
#define ASTERISM_FMM_AVX512
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define ASTERISM_FMM_ISA avx2
#define ASTERISM_FMM_AVX2
#else
#define ASTERISM_FMM_ISA portable
#endif
#define ASTERISM_FMM_INLINE __attribute__((always_inline)) inline

namespace asterism::fmm::ASTERISM_FMM_ISA {

#if defined(ASTERISM_FMM_AVX512)
inline constexpr int width = 8;
#elif defined(ASTERISM_FMM_AVX2)
inline constexpr int width = 4;
#else
inline constexpr int width = 2;
#endif

using Doubles [[gnu::vector_size(8 * width)]] = double;
using Bits [[gnu::vector_size(8 * width)]] = std::int64_t;
using UnalignedDoubles [[gnu::vector_size(8 * width), gnu::aligned(8), gnu::may_alias]] = double;

/// `width` doubles. A double converts to all lanes.
struct Vector {
  Doubles v;

  Vector() = default;
  ASTERISM_FMM_INLINE Vector(Doubles a) : v(a) {}
  ASTERISM_FMM_INLINE Vector(double a) : v(a - Doubles{}) {}  // a - 0 is a, and becomes a broadcast

  friend ASTERISM_FMM_INLINE Vector operator+(Vector a, Vector b) { return a.v + b.v; }
  friend ASTERISM_FMM_INLINE Vector operator-(Vector a, Vector b) { return a.v - b.v; }
  friend ASTERISM_FMM_INLINE Vector operator*(Vector a, Vector b) { return a.v * b.v; }
  friend ASTERISM_FMM_INLINE Vector operator/(Vector a, Vector b) { return a.v / b.v; }
  friend ASTERISM_FMM_INLINE Vector operator-(Vector a) {
    return 0.0 - a.v;
  }  // one instruction with a product before it
};

#if defined(ASTERISM_FMM_AVX512)

struct Mask {
  __mmask8 m;
  friend ASTERISM_FMM_INLINE Mask operator&(Mask a, Mask b) { return {static_cast<__mmask8>(a.m & b.m)}; }
};
ASTERISM_FMM_INLINE Vector fma(Vector a, Vector b, Vector c) {
  return _mm512_fmadd_pd(a.v, b.v, c.v);
}
ASTERISM_FMM_INLINE Vector sqrt(Vector x) {
  return _mm512_maskz_sqrt_pd(0xff, x.v);  // the plain intrinsic warns in GCC 12
}
/// c - a b
ASTERISM_FMM_INLINE Vector fnma(Vector a, Vector b, Vector c) {
  return _mm512_fnmadd_pd(a.v, b.v, c.v);
}
ASTERISM_FMM_INLINE Vector rsqrt_estimate(Vector x) {
  return _mm512_maskz_rsqrt14_pd(0xff, x.v);  // 14 bits; the plain intrinsic warns in GCC 12
}
/// Lanes 0 .. n-1.
ASTERISM_FMM_INLINE Mask first(std::int64_t n) {
  return {static_cast<__mmask8>(n >= 8 ? 0xff : (1u << n) - 1)};
}
/// Lanes n .. width-1.
ASTERISM_FMM_INLINE Mask from(std::int64_t n) {
  return {static_cast<__mmask8>(n <= 0 ? 0xff : n >= 8 ? 0 : 0xffu << n)};
}
ASTERISM_FMM_INLINE Mask nonzero(Vector x) {
  return {_mm512_cmp_pd_mask(x.v, _mm512_setzero_pd(), _CMP_NEQ_UQ)};
}
/// 0 in the lanes that are not loaded.
ASTERISM_FMM_INLINE Vector load(const double* p, Mask m) {
  return _mm512_maskz_loadu_pd(m.m, p);
}
ASTERISM_FMM_INLINE void store(double* p, Vector x, Mask m) {
  _mm512_mask_storeu_pd(p, m.m, x.v);
}
/// c + a b in the lanes of m, c in the others whatever a is there.
ASTERISM_FMM_INLINE Vector add_product(Mask m, Vector a, Vector b, Vector c) {
  return _mm512_mask3_fmadd_pd(a.v, b.v, c.v, m.m);
}
/// a b in the lanes of m, 0 in the others whatever a is there.
ASTERISM_FMM_INLINE Vector product(Mask m, Vector a, Vector b) {
  return _mm512_maskz_mul_pd(m.m, a.v, b.v);
}

#else

struct Mask {
  Bits m;
  friend ASTERISM_FMM_INLINE Mask operator&(Mask a, Mask b) { return {a.m & b.m}; }
};
ASTERISM_FMM_INLINE Bits lane_numbers() {
  Bits n;
  for (int l = 0; l < width; ++l) n[l] = l;
  return n;
}
ASTERISM_FMM_INLINE Mask first(std::int64_t n) {
  return {lane_numbers() < n};
}
ASTERISM_FMM_INLINE Mask from(std::int64_t n) {
  return {lane_numbers() >= n};
}
ASTERISM_FMM_INLINE Mask nonzero(Vector x) {
  return {x.v != 0.0};
}
ASTERISM_FMM_INLINE Vector keep(Mask m, Vector x) {
  return reinterpret_cast<Doubles>(reinterpret_cast<Bits>(x.v) & m.m);
}
#if defined(ASTERISM_FMM_AVX2)
ASTERISM_FMM_INLINE Vector fma(Vector a, Vector b, Vector c) {
  return _mm256_fmadd_pd(a.v, b.v, c.v);
}
ASTERISM_FMM_INLINE Vector fnma(Vector a, Vector b, Vector c) {
  return _mm256_fnmadd_pd(a.v, b.v, c.v);
}
ASTERISM_FMM_INLINE Vector sqrt(Vector x) {
  return _mm256_sqrt_pd(x.v);
}
ASTERISM_FMM_INLINE Vector load(const double* p, Mask m) {
  return _mm256_maskload_pd(p, reinterpret_cast<__m256i>(m.m));
}
ASTERISM_FMM_INLINE void store(double* p, Vector x, Mask m) {
  _mm256_maskstore_pd(p, reinterpret_cast<__m256i>(m.m), x.v);
}
#else
ASTERISM_FMM_INLINE Vector fma(Vector a, Vector b, Vector c) {
  return a * b + c;
}
ASTERISM_FMM_INLINE Vector fnma(Vector a, Vector b, Vector c) {
  return c - a * b;
}
ASTERISM_FMM_INLINE Vector sqrt(Vector x) {
  for (int l = 0; l < width; ++l) x.v[l] = ::sqrt(x.v[l]);
  return x;
}
ASTERISM_FMM_INLINE Vector load(const double* p, Mask m) {
  Vector x = 0.0;
  for (int l = 0; l < width; ++l)
    if (m.m[l] != 0) x.v[l] = p[l];
  return x;
}
ASTERISM_FMM_INLINE void store(double* p, Vector x, Mask m) {
  for (int l = 0; l < width; ++l)
    if (m.m[l] != 0) p[l] = x.v[l];
}
#endif
ASTERISM_FMM_INLINE Vector add_product(Mask m, Vector a, Vector b, Vector c) {
  return fma(keep(m, a), b, c);
}
ASTERISM_FMM_INLINE Vector product(Mask m, Vector a, Vector b) {
  return keep(m, a) * b;
}

#endif

ASTERISM_FMM_INLINE Vector load(const double* p) {
  return static_cast<Doubles>(*reinterpret_cast<const UnalignedDoubles*>(p));
}
ASTERISM_FMM_INLINE void store(double* p, Vector x) {
  *reinterpret_cast<UnalignedDoubles*>(p) = x.v;
}
/// x_0 + x_1 + ..., pairwise
ASTERISM_FMM_INLINE double sum(Vector x) {
#if defined(ASTERISM_FMM_AVX512)
  const auto four = __builtin_shufflevector(x.v, x.v, 0, 1, 2, 3) + __builtin_shufflevector(x.v, x.v, 4, 5, 6, 7);
  const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
#elif defined(ASTERISM_FMM_AVX2)
  const auto two = __builtin_shufflevector(x.v, x.v, 0, 1) + __builtin_shufflevector(x.v, x.v, 2, 3);
  return two[0] + two[1];
#else
  return x.v[0] + x.v[1];
#endif
}

ASTERISM_FMM_INLINE Vector clamp(Vector x, double low, double high) {
  const Doubles above = x.v < low ? Vector(low).v : x.v;
  return above > high ? Vector(high).v : above;
}
/// 2^n p for p near 1, n in the low bits of `shifted`
ASTERISM_FMM_INLINE Vector scale(Vector p, Vector shifted) {
  return reinterpret_cast<Doubles>(reinterpret_cast<Bits>(p.v) + (reinterpret_cast<Bits>(shifted.v) << 52));
}

/// `count` vectors on which every operation works in turn: a kernel evaluated on a pack interleaves that many chains of
/// dependent instructions, more than a processor would find by looking ahead.
template <int count>
struct Pack {
  Vector v[count];

  Pack() = default;
  ASTERISM_FMM_INLINE Pack(double a) {
#pragma GCC unroll 8
    for (int t = 0; t < count; ++t) v[t] = a;
  }
  template <class F>
  static ASTERISM_FMM_INLINE Pack each(F f) {
    Pack r;
#pragma GCC unroll 8
    for (int t = 0; t < count; ++t) r.v[t] = f(t);
    return r;
  }
#define ASTERISM_FMM_EACH(expression) return each([&](int t) __attribute__((always_inline)) { return expression; })
  friend ASTERISM_FMM_INLINE Pack operator+(Pack a, Pack b) {
    ASTERISM_FMM_EACH(a.v[t] + b.v[t]);
  }
  friend ASTERISM_FMM_INLINE Pack operator-(Pack a, Pack b) {
    ASTERISM_FMM_EACH(a.v[t] - b.v[t]);
  }
  friend ASTERISM_FMM_INLINE Pack operator*(Pack a, Pack b) {
    ASTERISM_FMM_EACH(a.v[t] * b.v[t]);
  }
  friend ASTERISM_FMM_INLINE Pack operator/(Pack a, Pack b) {
    ASTERISM_FMM_EACH(a.v[t] / b.v[t]);
  }
  friend ASTERISM_FMM_INLINE Pack operator-(Pack a) {
    ASTERISM_FMM_EACH(-a.v[t]);
  }
  friend ASTERISM_FMM_INLINE Pack fma(Pack a, Pack b, Pack c) {
    ASTERISM_FMM_EACH(fma(a.v[t], b.v[t], c.v[t]));
  }
  friend ASTERISM_FMM_INLINE Pack fnma(Pack a, Pack b, Pack c) {
    ASTERISM_FMM_EACH(fnma(a.v[t], b.v[t], c.v[t]));
  }
  friend ASTERISM_FMM_INLINE Pack sqrt(Pack a) {
    ASTERISM_FMM_EACH(sqrt(a.v[t]));
  }
#if defined(ASTERISM_FMM_AVX512)
  friend ASTERISM_FMM_INLINE Pack rsqrt_estimate(Pack a) {
    ASTERISM_FMM_EACH(rsqrt_estimate(a.v[t]));
  }
#endif
  friend ASTERISM_FMM_INLINE Pack clamp(Pack a, double l, double h) {
    ASTERISM_FMM_EACH(clamp(a.v[t], l, h));
  }
  friend ASTERISM_FMM_INLINE Pack scale(Pack a, Pack b) {
    ASTERISM_FMM_EACH(scale(a.v[t], b.v[t]));
  }
#undef ASTERISM_FMM_EACH
};

/// x^(-1/2) for normal x. AVX-512: 14 bits and the series of (1 - e)^(-1/2), e = 1 - x y^2, to third order, whose
/// remainder 5/16 e^3 is 6e-13 at most: a thousandth of the best accuracy of the far field (the fourth order reaches
/// rounding, for one multiply-add and 5 % of the time more). Otherwise the divider
/// twice: no slower than an approximation in single precision with its conversions and steps, and without its range.
template <class V>
ASTERISM_FMM_INLINE V rsqrt_of(V x) {
#if defined(ASTERISM_FMM_AVX512)
  const V y = rsqrt_estimate(x);
  const V e = fnma(x * y, y, 1.0);
  const V g = y * e;
  return fma(g, fma(e, 0.375, 0.5), y);
#else
  return 1.0 / sqrt(x);
#endif
}

/// e^x to 1e-15 (relative): x = n ln 2 + r with |r| <= ln 2 / 2, Taylor's series of e^r to r^12 (remainder 2e-16) and n
/// added to the exponent. Arguments are cut to [-708, 709]: below, the result stays at 3e-308 instead of falling to 0.
template <class V>
ASTERISM_FMM_INLINE V exp_of(V x) {
  x = clamp(x, -708, 709);
  constexpr double shift = 0x1.8p52;  // adding it rounds to an integer, in the low bits of the sum
  const V shifted = fma(x, 1.4426950408889634, shift);
  const V n = shifted - shift;
  // ln 2 in two parts, n times the first is exact
  const V r = fma(n, -0x1.7f7d1cf79abcap-20, fma(n, -0x1.62e4p-1, x));
  V p = 1.0 / 479001600;
  for (const double c : {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                         1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    p = fma(p, r, c);
  return scale(p, shifted);
}
ASTERISM_FMM_INLINE Vector rsqrt(Vector x) {
  return rsqrt_of(x);
}
ASTERISM_FMM_INLINE Vector exp(Vector x) {
  return exp_of(x);
}
template <int count>
ASTERISM_FMM_INLINE Pack<count> rsqrt(Pack<count> x) {
  return rsqrt_of(x);
}
template <int count>
ASTERISM_FMM_INLINE Pack<count> exp(Pack<count> x) {
  return exp_of(x);
}

}  // namespace asterism::fmm::ASTERISM_FMM_ISA
