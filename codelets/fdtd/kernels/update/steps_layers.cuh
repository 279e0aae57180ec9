// SPDX-License-Identifier: Apache-2.0
// Absorbing layers in a tile of several steps at once. psi concerns no other entry: a thread has that of its column.
#pragma once

#include "codelets/fdtd/kernels/update/steps_tile.cuh"

namespace asterism::fdtd::cuda {

/// What a column of the tile has of layers. psi of a plane stays where it is while one step after the other takes it:
/// in shared memory where the column and the plane are in layers along one axis, two numbers of each field; elsewhere,
/// at edges of the layers, with the thread, two numbers of each field and axis. The first one is of component axis + 2,
/// whose first term it is, the second one of component axis + 1.
template <int steps, class T>
struct ColumnLayers {
  const StretchOfTile<T>* y;  ///< of E and, tile_side further, H
  const StretchOfTile<T>* z;
  T* psi;
  int in = 0;  ///< layers that the column is in: 2 along y, 4 along z
  T kept[steps][2][6] = {};

  __device__ ColumnLayers(const StepsLayers<T>& s, const std::int32_t (&cells)[3], const TileColumn<steps>& column,
                          T* shared)
      : psi(shared + Layout<steps>::psi_begin + column.t) {
    auto* const of_tile = reinterpret_cast<StretchOfTile<T>*>(shared + Layout<steps>::stretch_begin);
    y = of_tile + column.t / tile_side;
    z = of_tile + 2 * tile_side + column.t % tile_side;
    const bool in_y = column.j >= 0 && column.j < cells[1] && s.layers.axis[1].has(column.j);
    const bool in_z = column.k >= 0 && column.k < cells[2] && s.layers.axis[2].has(column.k);
    if (column.exists) in = (in_y ? 2 : 0) | (in_z ? 4 : 0);
    for (int f = 0; f < 2; ++f) {
      if (in_y && column.t % tile_side == 0) fill(s, 1, column.j, f, of_tile[f * tile_side + column.t / tile_side]);
      if (in_z && column.t / tile_side == 0) fill(s, 2, column.k, f, of_tile[(2 + f) * tile_side + column.t]);
    }
  }

 private:
  static __device__ void fill(const StepsLayers<T>& s, int along, int place, int f, StretchOfTile<T>& entry) {
    const AxisLayers& axis = s.layers.axis[along];
    entry = {s.stretches[f][axis.row(place)], axis.slot(place)};
  }
};

/// The layers in the entries of a column after their update: psi comes from memory in the first step and goes there
/// after the last one.
template <Field field, int steps, class T>
struct AbsorbedEntries {
  static constexpr int f = static_cast<int>(field);
  const StepsLayers<T>& s;
  int cells;  ///< along x
  const TileColumn<steps>& column;
  ColumnLayers<steps, T>& layers;
  int step, plane;
  const Terms<T>& curl;
  const Advanced<T> (&advanced_by)[3];
  Three<T>& u;
  bool writes;  ///< after the last step

  __device__ void absorb() const {
    const bool in_x = plane >= 0 && plane < cells && s.layers.axis[0].has(plane);
    const int in = layers.in | (in_x ? 1 : 0);
    if (in == 0) return;
    const unsigned slot = static_cast<unsigned>(plane - column.first + 2 * steps + 1) % steps;
    if (in == 4)
      one_axis<2>(slot);
    else if (in == 2)
      one_axis<1>(slot);
    else if (in == 1)
      one_axis<0>(slot);
    else
      edges(in, layers.kept[slot][f]);
  }
  template <int along>
  __device__ StretchOfTile<T> stretch() const {
    if constexpr (along == 0) return {s.stretches[f][s.layers.axis[0].row(plane)], s.layers.axis[0].slot(plane)};
    if constexpr (along == 1) return layers.y[f * tile_side];
    return layers.z[f * tile_side];
  }
  /// Where psi of the second number, or with half an array more of the first one, stands in arrays of an axis.
  template <int along>
  __device__ std::int64_t place(std::int32_t slot) const {
    const std::int32_t(&n)[3] = s.layers.n[along];
    const int i = along == 0 ? slot : plane;
    const int j = along == 1 ? slot : column.j;
    const int k = along == 2 ? slot : column.k;
    return (static_cast<std::int64_t>(i) * n[1] + j) * n[2] + k;
  }
  template <int along>
  __device__ void one_axis(unsigned slot) const {
    const StretchOfTile<T> at = stretch<along>();
    T* const psi = layers.psi + (4 * slot + 2 * f) * tile_columns;
    term<along, 1>(at, psi[0]);
    term<along, 2>(at, psi[tile_columns]);
  }
  /// In the order of components and terms.
  __device__ void edges(int in, T (&kept)[6]) const {
    if ((in & 2) != 0) term<1, 1>(stretch<1>(), kept[2]);
    if ((in & 4) != 0) term<2, 2>(stretch<2>(), kept[5]);
    if ((in & 4) != 0) term<2, 1>(stretch<2>(), kept[4]);
    if ((in & 1) != 0) term<0, 2>(stretch<0>(), kept[1]);
    if ((in & 1) != 0) term<0, 1>(stretch<0>(), kept[0]);
    if ((in & 2) != 0) term<1, 2>(stretch<1>(), kept[3]);
  }
  template <int along, int number>
  __device__ void term(const StretchOfTile<T>& at, T& kept) const {
    constexpr int c = (along + 3 - number) % 3;
    if (!advanced_by[c].is) return;
    const T g = number == 1 ? curl.first.c[c] : curl.second.c[c];
    const std::int64_t half = c == (along + 1) % 3 ? 0 : s.half[along];
    T value = kept;
    if (step == 0) value = s.from[f].along[along][half + place<along>(at.slot)];
    u.c[c] = absorbed<sign_of_term(field, number)>(u.c[c], g, at.stretch, advanced_by[c].b, value);
    if (step < steps - 1)
      kept = value;
    else if (writes)
      s.to[f].along[along][half + place<along>(at.slot)] = value;
  }
};

}  // namespace asterism::fdtd::cuda
