// SPDX-License-Identifier: Apache-2.0
// Sums over planes of cells in an order that CPUs and GPUs share: entry number m of a component in a plane of cells, z
// fastest, goes to lane m mod `lanes`, components one after the other; then the lanes are added by halves.
#pragma once

#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd {

inline constexpr int lanes = 256;

/// Cells of plane i of a box.
ASTERISM_HOST_DEVICE constexpr Box plane_of(const Box& cells, int i) {
  return {i, i + 1, cells.y0, cells.y1, cells.z0, cells.z1};
}

/// What the energies of entries are made of.
template <class T>
struct Energetic {
  Grid grid;
  T factor[3];  ///< of H
  Media<T> h_media, e_media;
  Densities densities;
  const T* h;
  const T* e;
};

/// Length of an entry along `axis`; half of it on a magnetic conductor, as half of its volume is in the domain.
template <Field field, class T>
ASTERISM_FDTD_ENTRY double share(const Energetic<T>& of, int component, int axis, int at) {
  const bool lower = at == 0 && of.grid.face[2 * axis] == Face::magnetic;
  const bool upper = at == of.grid.n[axis] && of.grid.face[2 * axis + 1] == Face::magnetic;
  const bool plane = on_planes(field, component, axis);
  const double inside = plane && (lower || upper) ? 0.5 : 1.0;
  const T* const inverse = (plane ? of.e_media : of.h_media).inverse_length[axis];
  return inverse == nullptr ? inside : inside / static_cast<double>(inverse[at]);
}

/// Times `density` and the shares of the entry along x and y.
template <Field field, class T>
ASTERISM_FDTD_ENTRY double energy_of(const Energetic<T>& of, int a, int i, int j, int k, double density) {
  const std::int64_t at = of.grid.at(0, i, j, k);
  const std::int64_t here = at + a * of.grid.component;
  const double part = density * share<field>(of, a, 2, k);
  if constexpr (field == Field::electric) {
    const double relative = of.densities.eps_r == nullptr ? 1.0 : of.densities.eps_r[of.e_media.index[here]];
    const auto e = static_cast<double>(of.e[here]);
    return part * (relative * (e * e));
  } else {
    const double relative = of.densities.mu_r == nullptr ? 1.0 : of.densities.mu_r[of.h_media.index[here]];
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    const T* const eb = of.e + at + b * of.grid.component;
    const T* const ec = of.e + at + c * of.grid.component;
    T factor[3] = {of.factor[0], of.factor[1], of.factor[2]};
    const int place[3] = {i, j, k};
    for (int axis = 0; axis < 3 && of.h_media.graded(); ++axis)
      factor[axis] *= of.h_media.inverse_length[axis][place[axis]];
    const T rotation = curl(factor[b], ec[of.grid.stride(b)], ec[0], factor[c], eb[of.grid.stride(c)], eb[0]);
    T next;
    if (of.h_media.index == nullptr) {
      next = advanced<field>(of.h[here], rotation);
    } else {
      const Coefficients<T> m = of.h_media.table[of.h_media.index[here]];
      next = advanced<field>(of.h[here], rotation, m.a, m.b);
    }
    return part * (relative * (static_cast<double>(of.h[here]) * static_cast<double>(next)));
  }
}

template <class T>
Energetic<T> energetic(const Grid& grid, const Factors& h_factors, const Media<T>& h_media, const Media<T>& e_media,
                       const Densities& densities, const T* h, const T* e) {
  Energetic<T> of{grid, {}, h_media, e_media, densities, h, e};
  for (int a = 0; a < 3; ++a) of.factor[a] = static_cast<T>(h_factors.along[a]);
  return of;
}

}  // namespace asterism::fdtd
