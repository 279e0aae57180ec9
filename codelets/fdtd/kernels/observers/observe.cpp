// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/observers/sums.hpp"

namespace asterism::fdtd::cpu {
namespace {

struct Lanes {
  alignas(64) double lane[lanes] = {};

  ASTERISM_INLINE double total() {
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
    return lane[0];
  }
};

/// Adds value(i, j)(k) of the entries of a plane of cells.
template <class ValueOfRow>
ASTERISM_INLINE void add_entries(const Box& b, const ValueOfRow& value_of_row, Lanes& sum) {
  int next = 0;
  for (int i = b.x0; i < b.x1; ++i)
    for (int j = b.y0; j < b.y1; ++j) {
      const auto value = value_of_row(i, j);
      for (int k = b.z0; k < b.z1;) {
        const int run = std::min(lanes - next, b.z1 - k);
        double* const lane = sum.lane + next;
#pragma GCC ivdep
        for (int l = 0; l < run; ++l) lane[l] += value(k + l);
        k += run;
        next = (next + run) % lanes;
      }
    }
}

template <class T>
ASTERISM_INLINE void sum_planes(Field field, const Grid& grid, const Box& cells, int component, const T* values,
                                double* planes) {
  for (int x = cells.x0; x < cells.x1; ++x) {
    Lanes sum;
    add_entries(
        grid.entries(field, component, plane_of(cells, x)),
        [&](int i, int j) {
          const T* const row = values + grid.at(component, i, j, 0);
          return [row](int k) { return static_cast<double>(row[k]); };
        },
        sum);
    *planes++ = sum.total();
  }
}

template <Field field, class T>
ASTERISM_INLINE double energy_of_plane(const Energetic<T>& of, const Box& cells, int x, double density) {
  Lanes sum;
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c)
    add_entries(
        of.grid.entries(field, c, plane_of(cells, x)),
        [&, c](int i, int j) {
          const double part = density * share<field>(of, c, 0, i) * share<field>(of, c, 1, j);
          return [&of, c, i, j, part](int k) { return energy_of<field>(of, c, i, j, k, part); };
        },
        sum);
  return sum.total();
}

template <class T>
ASTERISM_INLINE void energy_planes(const Energetic<T>& of, const Box& cells, Energy* planes) {
  for (int x = cells.x0; x < cells.x1; ++x)
    *planes++ = {energy_of_plane<Field::electric>(of, cells, x, of.densities.electric),
                 energy_of_plane<Field::magnetic>(of, cells, x, of.densities.magnetic)};
}

}  // namespace

template <>
ASTERISM_CLONES void sum(Field field, const Grid& grid, const Box& cells, int component, const double* values,
                         double* planes) {
  sum_planes(field, grid, cells, component, values, planes);
}
template <>
ASTERISM_CLONES void sum(Field field, const Grid& grid, const Box& cells, int component, const float* values,
                         double* planes) {
  sum_planes(field, grid, cells, component, values, planes);
}

template <>
ASTERISM_CLONES void energy(const Grid& grid, const Box& cells, const Factors& h_factors, const Media<double>& h_media,
                            const Media<double>& e_media, const Densities& densities, const double* h, const double* e,
                            Energy* planes) {
  energy_planes(energetic(grid, h_factors, h_media, e_media, densities, h, e), cells, planes);
}
template <>
ASTERISM_CLONES void energy(const Grid& grid, const Box& cells, const Factors& h_factors, const Media<float>& h_media,
                            const Media<float>& e_media, const Densities& densities, const float* h, const float* e,
                            Energy* planes) {
  energy_planes(energetic(grid, h_factors, h_media, e_media, densities, h, e), cells, planes);
}

}  // namespace asterism::fdtd::cpu
