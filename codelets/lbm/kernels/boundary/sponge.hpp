// SPDX-License-Identifier: Apache-2.0
// The layer before an outlet that takes up eddies and sound, for CPUs and GPUs. At t L cells, 0 < t < 1, from where the
// layer of L cells begins, populations after collision are changed by
//   f_i = f_i + t^2 (f_i^eq - f_i)                  viscosity: relaxation times rise from tau to 1, which keeps the
//   outlet
//                                                   stable at tau near 1/2
//   f_i = f_i + 3 w_i c_i.F,  F = s (rho U - rho u)  friction, s = 3 c_s t^2 / L, towards the velocity U of the inlet
// The integral of s over the layer is c_s.
// So sound that is long against the layer, rho u' = p' / c_s where it comes in, finds behind it the outlet's p' = 0 and
// in between a loss of pressure of c_s rho u' = p': nothing is left to be reflected. Short sound loses a factor of e on
// its way to the outlet and back, eddies a factor of exp(c_s / U) until they are at the outlet.
#pragma once

#include "codelets/lbm/kernels/boundary/walls.hpp"

namespace asterism::lbm {

/// A Sponge for cells of T, computed in double; `scale`: as in Parameters.
template <class T, int scale = 1>
struct Friction {
  std::int32_t begin;  ///< first cell along x
  T per_half;          ///< 1 / (2 L)
  T most;              ///< 9 c_s / L: 3 s at the outlet
  T inlet[3];          ///< U, or its mean, times the scale
  Profile<T> profile;
};

template <class T, int scale = 1>
Friction<T, scale> friction(const Sponge& sponge) {
  Friction<T, scale> f{};
  f.begin = sponge.cells > 0 ? sponge.outlet - sponge.cells : INT32_MAX;
  if (sponge.cells == 0) return f;
  f.per_half = static_cast<T>(0.5 / sponge.cells);
  f.most = static_cast<T>(9 * std::sqrt(1. / 3) / sponge.cells);
  for (int a = 0; a < 3; ++a) f.inlet[a] = static_cast<T>(scale * sponge.inlet.u[a]);
  f.profile = profile<T>(sponge.inlet);
  return f;
}

/// t^2 from twice the distance from where the layer begins.
template <class T, int scale, class V>
ASTERISM_CELL V strength_at(const Friction<T, scale>& sponge, const V& halves) {
  const V t = sponge.per_half * halves;
  return t * t;
}

template <class T, int pair, class V>
ASTERISM_CELL void push(const V (&force)[3], V (&f)[q]) {
  const V change = static_cast<T>(weight(2 * pair + 1)) * along<pair>(force);
  f[2 * pair + 1] = f[2 * pair + 1] + change;
  f[2 * pair + 2] = f[2 * pair + 2] - change;
}

/// Changes f_i - w_i after collision. `strength`: t^2; `share`: of the mean of U, at the cell.
template <class T, int scale, class V>
ASTERISM_CELL void rub(const Friction<T, scale>& sponge, const V& strength, const T& share, V (&f)[q]) {
  const Moments<V> m = moments(f[0], pairs_of(f));
  const V rho = static_cast<T>(1) + static_cast<T>(1. / scale) * m.excess;
  const V per_rho = static_cast<T>(1. / scale) / rho;
  const V friction = sponge.most * strength;
  V u[3], force[3];
  ASTERISM_UNROLL
  for (int a = 0; a < 3; ++a) {
    u[a] = m.momentum[a] * per_rho;
    force[a] = friction * ((share * sponge.inlet[a]) * rho - m.momentum[a]);
  }
  V equilibrium[q];
  set_equilibrium<T>(equilibrium_of<T, scale>(m.excess, rho, u), equilibrium);
  ASTERISM_UNROLL
  for (int i = 0; i < q; ++i) f[i] = f[i] + strength * (equilibrium[i] - f[i]);
  push<T, 0>(force, f);
  push<T, 1>(force, f);
  push<T, 2>(force, f);
  push<T, 3>(force, f);
  push<T, 4>(force, f);
  push<T, 5>(force, f);
  push<T, 6>(force, f);
  push<T, 7>(force, f);
  push<T, 8>(force, f);
}

}  // namespace asterism::lbm
