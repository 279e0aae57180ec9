// SPDX-License-Identifier: Apache-2.0
// The collision of one cell and its equilibrium, for CPUs and GPUs; what it begins with is in moments.hpp.
#pragma once

#include "codelets/lbm/kernels/central_moments.hpp"
#include "codelets/lbm/kernels/moments.hpp"

namespace asterism::lbm {

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

/// Half of what the sum and the difference of a pair relax to, by the weight of the pair: even' = keep sum + weight
/// (still + c.u (quadratic c.u + push c.F)), odd' = keep difference + weight (linear c.u + pull c.F). The body force is
/// that of Guo, Zheng and Shi (2002), w ((3 (c - u) + 9 (c.u) c).F), its even and odd part each with 1 - rate / 2.
/// [0]: velocities along an axis, [1]: diagonals, which weigh half as much.
template <class V, class W>
struct Relaxed {
  W keep_even, keep_odd;
  V still[2], quadratic[2], linear[2];
  W push[2], pull[2];
};

template <class T, bool forced, int pair, int scale, class V, class W>
ASTERISM_CELL void relax(const Parameters<T, scale>& p, const Flow<V>& now, const Relaxed<V, W>& to,
                         const Pairs<V>& before, V (&f)[q]) {
  constexpr int diagonal = pair < 3 ? 0 : 1;
  const V cu = along<pair>(now.u);
  V even, odd;
  if constexpr (forced) {
    const T cf = along<pair>(p.force);
    even = to.keep_even * before.sum[pair] +
           (to.still[diagonal] + cu * (to.quadratic[diagonal] * cu + to.push[diagonal] * cf));
    odd = to.keep_odd * before.difference[pair] + (to.linear[diagonal] * cu + to.pull[diagonal] * cf);
  } else {
    even = to.keep_even * before.sum[pair] + (to.still[diagonal] + to.quadratic[diagonal] * (cu * cu));
    odd = to.keep_odd * before.difference[pair] + to.linear[diagonal] * cu;
  }
  f[2 * pair + 1] = even + odd;
  f[2 * pair + 2] = even - odd;
}

template <class T, bool forced, int scale, class V, class W>
ASTERISM_CELL void relax_all(const Parameters<T, scale>& p, const Flow<V>& now, const Rates<W>& rate,
                             const Pairs<V>& pair, V (&f)[q]) {
  constexpr auto half = static_cast<T>(0.5);
  constexpr auto w = static_cast<T>(weight(1));
  const Equilibrium<V> e = equilibrium_of<T, scale>(now.excess, now.rho, now.u);
  Relaxed<V, W> to;
  to.keep_even = half - half * rate.even;
  to.keep_odd = half - half * rate.odd;
  const W even = w * rate.even, odd = w * rate.odd;
  to.still[0] = even * e.still;
  to.quadratic[0] = even * e.quadratic;
  to.linear[0] = odd * e.linear;
  f[0] = f[0] + rate.even * (static_cast<T>(weight(0)) * e.still - f[0]);
  if constexpr (forced) {
    const W pushed = static_cast<T>(1) - half * rate.even, pulled = static_cast<T>(1) - half * rate.odd;
    const V uf = static_cast<T>(3) * ((p.force[0] * now.u[0] + p.force[1] * now.u[1]) + p.force[2] * now.u[2]);
    f[0] = f[0] - (static_cast<T>(weight(0)) * pushed) * uf;
    to.still[0] = to.still[0] - (w * pushed) * uf;
    to.push[0] = (9 * w) * pushed;
    to.pull[0] = (3 * w) * pulled;
    to.push[1] = half * to.push[0];
    to.pull[1] = half * to.pull[0];
  }
  to.still[1] = half * to.still[0];
  to.quadratic[1] = half * to.quadratic[0];
  to.linear[1] = half * to.linear[0];
  relax<T, forced, 0>(p, now, to, pair, f);
  relax<T, forced, 1>(p, now, to, pair, f);
  relax<T, forced, 2>(p, now, to, pair, f);
  relax<T, forced, 3>(p, now, to, pair, f);
  relax<T, forced, 4>(p, now, to, pair, f);
  relax<T, forced, 5>(p, now, to, pair, f);
  relax<T, forced, 6>(p, now, to, pair, f);
  relax<T, forced, 7>(p, now, to, pair, f);
  relax<T, forced, 8>(p, now, to, pair, f);
}

/// One step of a cell: f_i - w_i before, f*_i - w_i after, times the scale.
template <class T, Relaxation relaxation, bool forced, int scale, class V>
ASTERISM_CELL void collide(const Parameters<T, scale>& p, V (&f)[q]) {
  const Pairs<V> pair = pairs_of(f);
  const Flow<V> now = flow<T, forced>(p, f[0], pair);
  if constexpr (relaxation == Relaxation::constant) {
    relax_all<T, forced>(p, now, Rates<T>{p.even, p.odd}, pair, f);
  } else {
    const Stress<V> pi = stress<T>(now, pair);
    constexpr bool third = is_third(relaxation);
    if constexpr (relaxation == Relaxation::central || relaxation == Relaxation::central_third)
      relax_central<T, forced, third>(p, now, p.even, p.keep_third, pi, pair, f);
    else if constexpr (relaxation == Relaxation::turbulent_central || third) {
      const Rates<V> rates = turbulent_rates<T, relaxation>(p, now, pi);
      V keep_third{};
      if constexpr (third) keep_third = static_cast<T>(1) - rates.odd;
      relax_central<T, forced, third>(p, now, rates.even, keep_third, pi, pair, f);
    } else
      relax_all<T, forced>(p, now, turbulent_rates<T, relaxation>(p, now, pi), pair, f);
  }
}

template <class T, int pair, class V>
ASTERISM_CELL void set_pair(const Equilibrium<V>& e, V (&f)[q]) {
  V sum, difference;
  e.template of<T, pair>(along<pair>(e.u), sum, difference);
  f[2 * pair + 1] = static_cast<T>(0.5) * (sum + difference);
  f[2 * pair + 2] = static_cast<T>(0.5) * (sum - difference);
}

template <class T, class V>
ASTERISM_CELL void set_equilibrium(const Equilibrium<V>& e, V (&f)[q]) {
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

/// f_i - w_i in equilibrium at rho and u.
template <class T, class V>
ASTERISM_CELL void set_equilibrium(const V& rho, const V (&u)[3], V (&f)[q]) {
  set_equilibrium<T>(equilibrium_of<T>(rho - static_cast<T>(1), rho, u), f);
}

}  // namespace asterism::lbm
