// SPDX-License-Identifier: Apache-2.0
// The mathematics of one cell, for CPUs and GPUs: V is a scalar, or a GCC vector of as many cells. Only + - * / and the
// square root, in an order that is written here, and compiled without contraction: the same bits everywhere.
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

/// How the rates of relaxation come about. BGK with constant rates is TRT with two equal ones.
enum class Relaxation { constant, turbulent_bgk, turbulent_trt };

/// A Collision for cells of T, computed in double. `scale`, a power of two: factor of the populations (scale_of), and
/// so of all that is linear in them and of the force. A factor of this kind changes no digit, so that constants with it
/// are all that it takes.
template <class T, int scale = 1>
struct Parameters {
  T even, odd;         ///< constant rates
  T tau, tau_squared;  ///< of the even part, without turbulence
  T eddies;            ///< 18 sqrt(2) C_S^2
  T magic;
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
  p.magic = static_cast<T>(c.magic);
  for (int a = 0; a < 3; ++a) {
    p.force[a] = static_cast<T>(scale * c.force[a]);
    p.half_force[a] = static_cast<T>(scale * c.force[a] / 2);
  }
  return p;
}

inline Relaxation relaxation(const Collision& c) {
  return c.smagorinsky == 0                 ? Relaxation::constant
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

/// f_eq - w = w (rho - 1 + rho (3 c.u + 9/2 (c.u)^2 - 3/2 u^2)), as what its pairs are made of.
template <class V>
struct Equilibrium {
  V still;      ///< rho - 1 - 3/2 rho u^2
  V linear;     ///< 3 rho
  V quadratic;  ///< 9/2 rho
  V u[3];

  /// Sum and difference of a pair along whose first velocity u is cu.
  template <class T, int pair>
  ASTERISM_CELL void of(const V& cu, V& sum, V& difference) const {
    constexpr auto twice_w = static_cast<T>(2 * weight(2 * pair + 1));
    sum = twice_w * (still + quadratic * (cu * cu));
    difference = twice_w * (linear * cu);
  }
};

template <class T, int scale = 1, class V>
ASTERISM_CELL Equilibrium<V> equilibrium_of(const V& excess, const V& rho, const V (&u)[3]) {
  const V uu = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2];
  return {excess - static_cast<T>(1.5 * scale) * (rho * uu),
          static_cast<T>(3 * scale) * rho,
          static_cast<T>(4.5 * scale) * rho,
          {u[0], u[1], u[2]}};
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
    r.per_rho = static_cast<T>(1. / scale) / r.rho;
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

/// Frobenius norm of the momentum flux that is not in equilibrium: sum of c_a c_b (f - f_eq).
template <class T, class V>
ASTERISM_CELL V stress(const Flow<V>& now, const Pairs<V>& p) {
  const V(&s)[pairs] = p.sum;
  const V third = static_cast<T>(1. / 3) * now.excess;
  const V xx = (s[0] + ((s[3] + s[4]) + (s[5] + s[6]))) - (third + now.momentum[0] * now.u[0]);
  const V yy = (s[1] + ((s[3] + s[4]) + (s[7] + s[8]))) - (third + now.momentum[1] * now.u[1]);
  const V zz = (s[2] + ((s[5] + s[6]) + (s[7] + s[8]))) - (third + now.momentum[2] * now.u[2]);
  const V xy = (s[3] - s[4]) - now.momentum[0] * now.u[1];
  const V xz = (s[5] - s[6]) - now.momentum[0] * now.u[2];
  const V yz = (s[7] - s[8]) - now.momentum[1] * now.u[2];
  return root(((xx * xx + yy * yy) + zz * zz) + static_cast<T>(2) * ((xy * xy + xz * xz) + yz * yz));
}

/// Rates of the even and the odd part.
template <class V>
struct Rates {
  V even, odd;
};

/// Smagorinsky's eddies (Hou et al. 1996): tau = (tau_0 + sqrt(tau_0^2 + 18 sqrt(2) C_S^2 |Pi| / rho)) / 2. TRT adapts
/// the odd part so that `magic` stays.
template <class T, Relaxation relaxation, int scale, class V>
ASTERISM_CELL Rates<V> turbulent_rates(const Parameters<T, scale>& p, const Flow<V>& now, const Pairs<V>& pair) {
  constexpr auto half = static_cast<T>(0.5);
  const V pi = stress<T>(now, pair);
  const V tau = half * (p.tau + root(p.tau_squared + p.eddies * (pi * now.per_rho)));
  const V even = static_cast<T>(1) / tau;
  if constexpr (relaxation == Relaxation::turbulent_trt) {
    const V t = tau - half;
    return {even, t / (half * t + p.magic)};
  } else {
    return {even, even};
  }
}

/// Body force (Guo, Zheng and Shi 2002), w ((3 (c - u) + 9 (c.u) c).F), its even and odd part each with 1 - rate / 2.
template <class V, class W>
struct Source {
  V uf;         ///< 3 u.F
  W even, odd;  ///< 1 - rate / 2
};

template <class T, bool forced, int pair, int scale, class V, class W>
ASTERISM_CELL void relax(const Parameters<T, scale>& p, const Equilibrium<V>& equilibrium, const Rates<W>& rate,
                         const Source<V, W>& source, const Pairs<V>& before, V (&f)[q]) {
  const V cu = along<pair>(equilibrium.u);
  V sum, difference;
  equilibrium.template of<T, pair>(cu, sum, difference);
  sum = before.sum[pair] + rate.even * (sum - before.sum[pair]);
  difference = before.difference[pair] + rate.odd * (difference - before.difference[pair]);
  if constexpr (forced) {
    constexpr auto twice_w = static_cast<T>(2 * weight(2 * pair + 1));
    const T cf = along<pair>(p.force);
    sum = sum + (twice_w * source.even) * ((static_cast<T>(9) * cf) * cu - source.uf);
    difference = difference + (twice_w * source.odd) * (static_cast<T>(3) * cf);
  }
  constexpr auto half = static_cast<T>(0.5);
  f[2 * pair + 1] = half * (sum + difference);
  f[2 * pair + 2] = half * (sum - difference);
}

template <class T, bool forced, int scale, class V, class W>
ASTERISM_CELL void relax_all(const Parameters<T, scale>& p, const Flow<V>& now, const Rates<W>& rate,
                             const Pairs<V>& pair, V (&f)[q]) {
  constexpr auto half = static_cast<T>(0.5);
  const Equilibrium<V> e = equilibrium_of<T, scale>(now.excess, now.rho, now.u);
  Source<V, W> source;
  f[0] = f[0] + rate.even * (static_cast<T>(weight(0)) * e.still - f[0]);
  if constexpr (forced) {
    source.even = static_cast<T>(1) - half * rate.even;
    source.odd = static_cast<T>(1) - half * rate.odd;
    source.uf = static_cast<T>(3) * ((p.force[0] * now.u[0] + p.force[1] * now.u[1]) + p.force[2] * now.u[2]);
    f[0] = f[0] - (static_cast<T>(weight(0)) * source.even) * source.uf;
  }
  relax<T, forced, 0>(p, e, rate, source, pair, f);
  relax<T, forced, 1>(p, e, rate, source, pair, f);
  relax<T, forced, 2>(p, e, rate, source, pair, f);
  relax<T, forced, 3>(p, e, rate, source, pair, f);
  relax<T, forced, 4>(p, e, rate, source, pair, f);
  relax<T, forced, 5>(p, e, rate, source, pair, f);
  relax<T, forced, 6>(p, e, rate, source, pair, f);
  relax<T, forced, 7>(p, e, rate, source, pair, f);
  relax<T, forced, 8>(p, e, rate, source, pair, f);
}

/// One step of a cell: f_i - w_i before, f*_i - w_i after, times the scale.
template <class T, Relaxation relaxation, bool forced, int scale, class V>
ASTERISM_CELL void collide(const Parameters<T, scale>& p, V (&f)[q]) {
  const Pairs<V> pair = pairs_of(f);
  const Flow<V> now = flow<T, forced>(p, f[0], pair);
  if constexpr (relaxation == Relaxation::constant)
    relax_all<T, forced>(p, now, Rates<T>{p.even, p.odd}, pair, f);
  else
    relax_all<T, forced>(p, now, turbulent_rates<T, relaxation>(p, now, pair), pair, f);
}

template <class T, int pair, class V>
ASTERISM_CELL void set_pair(const Equilibrium<V>& e, V (&f)[q]) {
  V sum, difference;
  e.template of<T, pair>(along<pair>(e.u), sum, difference);
  f[2 * pair + 1] = static_cast<T>(0.5) * (sum + difference);
  f[2 * pair + 2] = static_cast<T>(0.5) * (sum - difference);
}

/// f_i - w_i in equilibrium at rho and u.
template <class T, class V>
ASTERISM_CELL void set_equilibrium(const V& rho, const V (&u)[3], V (&f)[q]) {
  const Equilibrium<V> e = equilibrium_of<T>(rho - static_cast<T>(1), rho, u);
  f[0] = static_cast<T>(weight(0)) * e.still;
  set_pair<T, 0>(e, f);
  set_pair<T, 1>(e, f);
  set_pair<T, 2>(e, f);
  set_pair<T, 3>(e, f);
  set_pair<T, 4>(e, f);
  set_pair<T, 5>(e, f);
  set_pair<T, 6>(e, f);
  set_pair<T, 7>(e, f);
  set_pair<T, 8>(e, f);
}

}  // namespace asterism::lbm
