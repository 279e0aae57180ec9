// SPDX-License-Identifier: Apache-2.0
// What every collision begins with: density, velocity, momentum flux and rates of relaxation of a cell, for CPUs and
// GPUs. V is a scalar, or a GCC vector of as many cells. Only + - * / and the square root, in an order that is written
// here, and compiled without contraction: the same bits everywhere.
#pragma once

#include <cmath>
#include <type_traits>

#include "base/isa.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

#ifdef __CUDACC__
#define ASTERISM_CELL __host__ __device__ __forceinline__
#define ASTERISM_UNROLL _Pragma("unroll")
#else
#define ASTERISM_CELL ASTERISM_INLINE
#define ASTERISM_UNROLL _Pragma("GCC unroll 19")
#endif

namespace asterism::lbm {

/// How the rates of relaxation come about, and what they are rates of. BGK with constant rates is TRT with two equal
/// ones.
/// `third`: central moments whose third order has a rate of its own.
enum class Relaxation {
  constant,
  turbulent_bgk,
  turbulent_trt,
  central,
  turbulent_central,
  central_third,
  turbulent_central_third
};
ASTERISM_HOST_DEVICE constexpr bool is_third(Relaxation r) {
  return r == Relaxation::central_third || r == Relaxation::turbulent_central_third;
}

/// A Collision for cells of T, computed in double. `scale`, a power of two: factor of the populations (scale_of), and
/// so of all that is linear in them and of the force. A factor of this kind changes no digit, so that constants with it
/// are all that it takes.
template <class T, int scale = 1>
struct Parameters {
  T even, odd;         ///< constant rates
  T tau, tau_squared;  ///< of the even part, without turbulence
  T eddies;            ///< 18 sqrt(2) C_S^2
  T magic;
  T keep_third;  ///< 1 - the constant rate of third order
  T force[3];
  T half_force[3];
};

template <class T, int scale = 1>
Parameters<T, scale> parameters(const Collision& c) {
  const double tau_odd = c.model == Collision::Model::trt ? 0.5 + c.magic / (c.tau - 0.5) : c.tau;
  Parameters<T, scale> p{};
  p.even = static_cast<T>(1 / c.tau);
  p.odd = static_cast<T>(1 / tau_odd);
  p.tau = static_cast<T>(c.tau);
  p.tau_squared = static_cast<T>(c.tau * c.tau);
  p.eddies = static_cast<T>(18 * std::sqrt(2.0) * c.smagorinsky * c.smagorinsky);
  const bool central = c.model == Collision::Model::central_moments;
  p.magic = static_cast<T>(central ? c.third_magic : c.magic);
  p.keep_third = static_cast<T>(1 - 1 / (0.5 + c.third_magic / (c.tau - 0.5)));
  for (int a = 0; a < 3; ++a) {
    p.force[a] = static_cast<T>(scale * c.force[a]);
    p.half_force[a] = static_cast<T>(scale * c.force[a] / 2);
  }
  return p;
}

inline Relaxation relaxation(const Collision& c) {
  const bool turbulent = c.smagorinsky != 0;
  if (c.model == Collision::Model::central_moments && c.third_magic != 0)
    return turbulent ? Relaxation::turbulent_central_third : Relaxation::central_third;
  if (c.model == Collision::Model::central_moments)
    return turbulent ? Relaxation::turbulent_central : Relaxation::central;
  return !turbulent                         ? Relaxation::constant
         : c.model == Collision::Model::trt ? Relaxation::turbulent_trt
                                            : Relaxation::turbulent_bgk;
}

inline bool forced(const Collision& c) {
  return c.force[0] != 0 || c.force[1] != 0 || c.force[2] != 0;
}

template <class V>
ASTERISM_CELL V root(V v) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::sqrt(v);
  } else {
    V r;
    for (unsigned l = 0; l < sizeof(V) / sizeof(v[0]); ++l) r[l] = std::sqrt(v[l]);
    return r;
  }
}

/// Populations 2 k + 1 and 2 k + 2 are opposite: their sums and differences.
inline constexpr int pairs = (q - 1) / 2;
template <class V>
struct Pairs {
  V sum[pairs], difference[pairs];
};

template <class V>
ASTERISM_CELL Pairs<V> pairs_of(const V (&f)[q]) {
  Pairs<V> p;
  ASTERISM_UNROLL
  for (int k = 0; k < pairs; ++k) {
    p.sum[k] = f[2 * k + 1] + f[2 * k + 2];
    p.difference[k] = f[2 * k + 1] - f[2 * k + 2];
  }
  return p;
}

/// rho - 1 and sum of c_i f_i.
template <class V>
struct Moments {
  V excess;
  V momentum[3];
};

template <class V>
ASTERISM_CELL Moments<V> moments(const V& rest, const Pairs<V>& p) {
  const V(&s)[pairs] = p.sum;
  const V(&d)[pairs] = p.difference;
  return {(rest + ((s[0] + s[1]) + s[2])) + (((s[3] + s[4]) + (s[5] + s[6])) + (s[7] + s[8])),
          {d[0] + ((d[3] + d[4]) + (d[5] + d[6])), d[1] + ((d[3] - d[4]) + (d[7] + d[8])),
           d[2] + ((d[5] - d[6]) + (d[7] - d[8]))}};
}

/// c . a for the first population of a pair.
template <int pair, class V>
ASTERISM_CELL V along(const V (&a)[3]) {
  constexpr Velocity c = velocity(2 * pair + 1);
  if constexpr (c.x != 0 && c.y != 0) {
    return c.y > 0 ? a[0] + a[1] : a[0] - a[1];
  } else if constexpr (c.x != 0 && c.z != 0) {
    return c.z > 0 ? a[0] + a[2] : a[0] - a[2];
  } else if constexpr (c.y != 0 && c.z != 0) {
    return c.z > 0 ? a[1] + a[2] : a[1] - a[2];
  } else {
    return a[c.x != 0 ? 0 : c.y != 0 ? 1 : 2];
  }
}

/// Density and velocity; half of the body force is part of the momentum (Guo).
template <class V>
struct Flow {
  V excess;  ///< rho - 1, times the scale
  V rho;
  V per_rho;      ///< over the scale
  V momentum[3];  ///< times the scale
  V u[3];
};

template <class T, bool forced, int scale, class V>
ASTERISM_CELL Flow<V> flow(const Parameters<T, scale>& p, const V& rest, const Pairs<V>& pair) {
  const Moments<V> m = moments(rest, pair);
  Flow<V> r;
  r.excess = m.excess;
  if constexpr (scale == 1) {
    r.rho = static_cast<T>(1) + m.excess;
    r.per_rho = static_cast<T>(1) / r.rho;
  } else {
    r.rho = static_cast<T>(1) + static_cast<T>(1. / scale) * m.excess;
    r.per_rho = static_cast<T>(1. / scale) * (static_cast<T>(1) / r.rho);  // a reciprocal is cheaper on GPUs
  }
  ASTERISM_UNROLL
  for (int a = 0; a < 3; ++a) {
    if constexpr (forced)
      r.momentum[a] = m.momentum[a] + p.half_force[a];
    else
      r.momentum[a] = m.momentum[a];
    r.u[a] = r.momentum[a] * r.per_rho;
  }
  return r;
}

/// Momentum flux that is not in equilibrium: sum of c_a c_b (f - f_eq).
template <class V>
struct Stress {
  V xx, yy, zz, xy, xz, yz;
};

template <class T, class V>
ASTERISM_CELL Stress<V> stress(const Flow<V>& now, const Pairs<V>& p) {
  const V(&s)[pairs] = p.sum;
  const V third = static_cast<T>(1. / 3) * now.excess;
  Stress<V> r;
  r.xx = (s[0] + ((s[3] + s[4]) + (s[5] + s[6]))) - (third + now.momentum[0] * now.u[0]);
  r.yy = (s[1] + ((s[3] + s[4]) + (s[7] + s[8]))) - (third + now.momentum[1] * now.u[1]);
  r.zz = (s[2] + ((s[5] + s[6]) + (s[7] + s[8]))) - (third + now.momentum[2] * now.u[2]);
  r.xy = (s[3] - s[4]) - now.momentum[0] * now.u[1];
  r.xz = (s[5] - s[6]) - now.momentum[0] * now.u[2];
  r.yz = (s[7] - s[8]) - now.momentum[1] * now.u[2];
  return r;
}

/// Frobenius norm.
template <class T, class V>
ASTERISM_CELL V norm(const Stress<V>& s) {
  return root(((s.xx * s.xx + s.yy * s.yy) + s.zz * s.zz) +
              static_cast<T>(2) * ((s.xy * s.xy + s.xz * s.xz) + s.yz * s.yz));
}

/// Rates of the even and the odd part.
template <class V>
struct Rates {
  V even, odd;
};

/// Smagorinsky's eddies (Hou et al. 1996): tau = (tau_0 + sqrt(tau_0^2 + 18 sqrt(2) C_S^2 |Pi| / rho)) / 2. TRT adapts
/// the odd part so that `magic` stays, central moments the third order.
template <class T, Relaxation relaxation, int scale, class V>
ASTERISM_CELL Rates<V> turbulent_rates(const Parameters<T, scale>& p, const Flow<V>& now, const Stress<V>& pi) {
  constexpr auto half = static_cast<T>(0.5);
  const V tau = half * (p.tau + root(p.tau_squared + p.eddies * (norm<T>(pi) * now.per_rho)));
  const V even = static_cast<T>(1) / tau;
  if constexpr (relaxation == Relaxation::turbulent_trt || relaxation == Relaxation::turbulent_central_third) {
    const V t = tau - half;
    return {even, t / (half * t + p.magic)};
  } else {
    return {even, even};
  }
}

}  // namespace asterism::lbm
