// SPDX-License-Identifier: Apache-2.0
// Relaxation of central moments, k_abc = sum of (c_x - u_x)^a (c_y - u_y)^b (c_z - u_z)^c f, as in Fei, Luo and Li,
// Physical Review E 97, 053309 (2018): of their simplified set, the nineteen moments that D3Q19 has. These are 1; a;
// aa, ab; aab; aabb for axes a and b, since one component of every c is 0.
//
//   density, momentum               kept; k_a = F_a / 2 after collision, u having half of the force F
//   k_ab, k_aa - k_bb (shear)       relaxed by 1 / tau; a rate that the eddies of Smagorinsky change
//   k_xx + k_yy + k_zz              relaxed by 1: equal to rho afterwards, 3 rho c_s^2
//   k_aab                           relaxed by 1: equal to F_b c_s^2 / 2 afterwards; or, with Collision::third_magic,
//   by
//                                   w = 1 / tau_third: (1 - w) k_aab + (1 - w / 2) F_b c_s^2
//   k_aabb - (k_aa + k_bb) / 3 + k_cc / 6    relaxed by 1; c is the third axis
//
// The last ones are orthogonal to all of second order in the weights of D3Q19. Afterwards k_aabb = rho c_s^4 - s_c / 2,
// s_c = k_cc - rho c_s^2. With k_aabb alone relaxed by 1 a fluid at rest is unstable at tau below 0.501: eigenvalues of
// 1.004 in a von Neumann analysis, of 1 as it is here.
//
// Equilibrium is that of Maxwell's distribution, the force the consistent one: F_a and F_b c_s^2 are its only central
// moments. Rates of 1 forget what the moments were, so only the second-order ones have to be computed before, and those
// of third order where they have a rate: k_aab = m_aab - 2 u_a m_ab - u_b m_aa + 2 u_a u_b m_a + u_a^2 m_b - rho u_a^2
// u_b. Where third_magic is 3/16, a straight wall is half-way between cells, as with TRT. After
// collision the shift by u gives moments about 0, and these the populations, which is exact for D3Q19:
//   m_aab  = 2 u_a m_ab - u_a^2 m_b + u_b k_aa + k_aab
//   m_aabb = k_aabb + u_a^2 k_bb + u_b^2 k_aa + 4 u_a u_b k_ab + rho u_a^2 u_b^2 + 2 u_a k_abb + 2 u_b k_aab
//   f(c_a = s, c_b = r) = (m_aabb + s m_abb + r m_aab + s r m_ab) / 4
//   f(c_a = s)          = (m_aa - m_aabb - m_aacc + s (m_a - m_abb - m_acc)) / 2
#pragma once

#include "codelets/lbm/kernels/moments.hpp"

namespace asterism::lbm {

/// After collision, moments of f_i - w_i, times the scale of populations.
template <class V>
struct CentralState {
  V m[3];         ///< m_a
  V mm[3];        ///< m_aa
  V k[3];         ///< k_aa of f_i
  V fourth[3];    ///< of the two other axes, k_bbcc of f_i - w_i
  V momentum[3];  ///< rho u_a
  V u[3];
  V uu[3];      ///< u_a u_a
  V force[3];   ///< F_a u_a: with a body force
  V before[3];  ///< with rates of third order: k_aa before collision, less F_a u_a
};

/// The moments m_aab, m_abb and m_aabb in the plane of two axes.
template <class V>
struct PlaneMoments {
  V aab, abb, aabb;
};

/// What is left of k_aab after collision, beyond what rates of 1 leave. `raw`: m_aab; `pi`: of Stress, along a and b.
template <class T, bool forced, int a, int b, int scale, class V, class W>
ASTERISM_CELL V kept_third(const Parameters<T, scale>& p, const CentralState<V>& now, const W& keep, const V& pi,
                           const V& raw) {
  V k = (raw - (static_cast<T>(2) * now.u[a]) * pi) - now.u[b] * (now.before[a] + now.momentum[a] * now.u[a]);
  if constexpr (forced)
    k = (k - now.uu[a] * p.half_force[b]) +
        (static_cast<T>(1. / 3) * p.half_force[b] - (static_cast<T>(2) * (now.u[a] * now.u[b])) * p.half_force[a]);
  return keep * k;
}

/// Populations along the diagonals of the plane of axes a < b, of which the first pair has number `pair`. `pi`: of
/// Stress, along a and b.
template <class T, bool forced, bool third, int a, int b, int pair, int scale, class V, class W>
ASTERISM_CELL PlaneMoments<V> relax_plane(const Parameters<T, scale>& p, const CentralState<V>& now, const W& keep,
                                          const W& keep_third, const V& pi, const Pairs<V>& before, V (&f)[q]) {
  constexpr auto one_third = static_cast<T>(1. / 3);
  const V flux = now.momentum[a] * now.u[b];  // rho u_a u_b
  PlaneMoments<V> m;
  V ab, fourth;
  if constexpr (forced) {
    const V work = now.u[a] * p.half_force[b] + now.u[b] * p.half_force[a];
    ab = (keep * (pi + work) + work) + flux;
    fourth = static_cast<T>(4) * ab - (static_cast<T>(3) * flux + static_cast<T>(2) * work);
  } else {
    ab = keep * pi + flux;
    fourth = static_cast<T>(4) * ab - static_cast<T>(3) * flux;
  }
  m.aab = (static_cast<T>(2) * now.u[a]) * ab + (now.u[b] * now.k[a] - now.uu[a] * now.m[b]);
  m.abb = (static_cast<T>(2) * now.u[b]) * ab + (now.u[a] * now.k[b] - now.uu[b] * now.m[a]);
  m.aabb = (now.fourth[3 - a - b] + (now.uu[a] * now.k[b] + now.uu[b] * now.k[a])) + (now.u[a] * now.u[b]) * fourth;
  if constexpr (forced) {
    m.aab = m.aab + one_third * p.half_force[b];
    m.abb = m.abb + one_third * p.half_force[a];
    m.aabb = m.aabb + one_third * (now.force[a] + now.force[b]);
  }
  if constexpr (third) {
    const V along = before.difference[pair], across = before.difference[pair + 1];
    const V aab = kept_third<T, forced, a, b>(p, now, keep_third, pi, along - across);
    const V abb = kept_third<T, forced, b, a>(p, now, keep_third, pi, along + across);
    m.aab = m.aab + aab;
    m.abb = m.abb + abb;
    m.aabb = m.aabb + static_cast<T>(2) * (now.u[a] * abb + now.u[b] * aab);
  }
  constexpr auto quarter = static_cast<T>(0.25);
  const V along_even = m.aabb + ab;
  const V along_odd = m.abb + m.aab;
  const V across_even = m.aabb - ab;
  const V across_odd = m.abb - m.aab;
  f[2 * pair + 1] = quarter * (along_even + along_odd);
  f[2 * pair + 2] = quarter * (along_even - along_odd);
  f[2 * pair + 3] = quarter * (across_even + across_odd);
  f[2 * pair + 4] = quarter * (across_even - across_odd);
  return m;
}

template <class T, int axis, class V>
ASTERISM_CELL void set_axis(const V& even, const V& odd, V (&f)[q]) {
  constexpr auto half = static_cast<T>(0.5);
  f[2 * axis + 1] = half * (even + odd);
  f[2 * axis + 2] = half * (even - odd);
}

/// `rate`: 1 / tau of the shear moments; `keep_third`: where `third` says so, 1 - the rate of those of third order.
/// `before`: of the populations.
template <class T, bool forced, bool third, int scale, class V, class W>
ASTERISM_CELL void relax_central(const Parameters<T, scale>& p, const Flow<V>& now, const W& rate, const W& keep_third,
                                 const Stress<V>& pi, const Pairs<V>& before, V (&f)[q]) {
  constexpr auto one_third = static_cast<T>(1. / 3);
  const W keep = static_cast<T>(1) - rate;
  const V pressure = static_cast<T>(scale / 3.) * now.rho;
  CentralState<V> s;
  const V ninth = static_cast<T>(1. / 9) * now.excess;
  V shear[3] = {pi.xx, pi.yy, pi.zz};
  ASTERISM_UNROLL
  for (int a = 0; a < 3; ++a) {
    s.u[a] = now.u[a];
    s.momentum[a] = now.momentum[a];
    s.uu[a] = now.u[a] * now.u[a];
    if constexpr (third) s.before[a] = pressure + shear[a];
    if constexpr (forced) {
      s.m[a] = now.momentum[a] + p.half_force[a];
      s.force[a] = p.force[a] * now.u[a];
      shear[a] = shear[a] + s.force[a];
    } else {
      s.m[a] = now.momentum[a];
    }
  }
  const V trace = one_third * ((shear[0] + shear[1]) + shear[2]);
  ASTERISM_UNROLL
  for (int a = 0; a < 3; ++a) {
    const V relaxed = keep * (shear[a] - trace);
    s.k[a] = pressure + relaxed;
    s.fourth[a] = ninth - static_cast<T>(0.5) * relaxed;
    s.mm[a] = (one_third * now.excess + relaxed) + now.momentum[a] * now.u[a];
    if constexpr (forced) s.mm[a] = s.mm[a] + s.force[a];
  }
  const PlaneMoments<V> xy = relax_plane<T, forced, third, 0, 1, 3>(p, s, keep, keep_third, pi.xy, before, f);
  const PlaneMoments<V> xz = relax_plane<T, forced, third, 0, 2, 5>(p, s, keep, keep_third, pi.xz, before, f);
  const PlaneMoments<V> yz = relax_plane<T, forced, third, 1, 2, 7>(p, s, keep, keep_third, pi.yz, before, f);
  f[0] = (now.excess - ((s.mm[0] + s.mm[1]) + s.mm[2])) + ((xy.aabb + xz.aabb) + yz.aabb);
  set_axis<T, 0>(s.mm[0] - (xy.aabb + xz.aabb), s.m[0] - (xy.abb + xz.abb), f);
  set_axis<T, 1>(s.mm[1] - (xy.aabb + yz.aabb), s.m[1] - (xy.aab + yz.abb), f);
  set_axis<T, 2>(s.mm[2] - (xz.aabb + yz.aabb), s.m[2] - (xz.aab + yz.aab), f);
}

}  // namespace asterism::lbm
