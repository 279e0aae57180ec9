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
