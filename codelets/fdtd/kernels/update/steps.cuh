// SPDX-License-Identifier: Apache-2.0
// Several time steps in one pass through memory. A block of threads has a tile of columns along x and marches along it;
// in each plane that it comes to, it advances by one step the plane that it came to before, by another step the plane
// before that, and so on (temporal blocking as of Nguyen et al., SC 2010, "3.5-D"). Each step makes the part of the
// tile that is right smaller by one column on each side, so tiles overlap by twice the steps, and what one reads
// another may not have changed: results go to other arrays, and so does psi of absorbing layers. It concerns no
// other entry, so a thread keeps that of its column; only columns and planes in layers take time for it.
#pragma once

#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/beside_steps.hpp"
#include "codelets/fdtd/kernels/update/curl.hpp"
#include "codelets/fdtd/kernels/update/staging.cuh"

namespace asterism::fdtd::cuda {

/// Size of a tile, in columns: one thread for each.
inline constexpr int tile_side = 32;
inline constexpr int tile_columns = tile_side * tile_side;
inline constexpr int most_steps = 4;

template <class T>
struct StepsSource {
  std::int32_t component, i, j, k;
  T values[most_steps];
};

/// Tiles, counted along y and z, and planes that blocks of `chunk` of them advance.
struct StepsRegion {
  std::int32_t y, z;
  std::uint32_t along_y, along_z;
  Planes planes;
  std::int32_t chunk;
  std::uint32_t first_block;
};
inline constexpr int most_regions = 32;

/// Absorbing layers on the way of several steps; arrays of two have the electric field first.
template <class T>
struct StepsLayers {
  Layers layers;
  std::int64_t half[3];  ///< of the elements of each axis
  const Stretch<T>* stretches[2];
  Psi<T> from[2], to[2];
};

template <class T>
struct Steps {
  Grid grid;
  Box e_entries[3], h_entries[3];
  T e_factor[3], h_factor[3];
  Media<T> e_media, h_media;
  StepsSource<T> source[most_steps_sources];
  std::int32_t sources;
  StepsLayers<T> absorbing;  ///< of kernels with more than the plain scheme and sources
  StepsProbes<T> probes;     ///< likewise
  StepsRegion region[most_regions];
  std::int32_t regions;
};

/// Three components of an entry's place.
template <class T>
struct Three {
  T c[3];
};

/// Planes of a tile in shared memory: those that neighbouring columns read, and what is on its way from memory.
template <int steps, bool with_more>
struct Layout {
  static constexpr int columns = tile_columns;
  static_assert(steps >= 2, "the barriers of one step do not separate all that they have to");
  /// H is needed between two barriers: two arrays take turns, if they still do from one plane to the next.
  static constexpr int h_arrays = steps % 2 == 0 ? 2 : steps;
  static constexpr int e_begin = 0;
  static constexpr int h_begin = 3 * steps * columns;
  static constexpr int staged_begin = h_begin + 3 * h_arrays * columns;
  static constexpr int stretch_begin = staged_begin + 6 * columns;
  static constexpr int psi_begin = stretch_begin + (with_more ? 2 * 2 * 4 * tile_side : 0);
  static constexpr int elements = psi_begin + (with_more ? 4 * steps * columns : 0);
};

/// A stretch and the slot of psi of a row or column of the tile that is in layers along y or z.
template <class T>
struct alignas(4 * sizeof(T)) StretchOfTile {
  Stretch<T> stretch;
  std::int32_t slot;
};

/// Which components of a column are updated.
struct UpdatedBox {
  bool of[3];
};
inline __device__ UpdatedBox in_column(const Box (&entries)[3], int j, int k) {
  UpdatedBox u{};
#pragma unroll
  for (int c = 0; c < 3; ++c)
    u.of[c] = j >= entries[c].y0 && j < entries[c].y1 && k >= entries[c].z0 && k < entries[c].z1;
  return u;
}

/// The two terms of each component of a curl, as in curl.hpp.
template <class T>
struct Terms {
  Three<T> first, second;
};

/// A component that is updated, and b of its medium.
template <class T>
struct Advanced {
  bool is;
  T b;
};

/// All components that are updated in a plane.
template <Field field, bool materials, class T>
inline __device__ Three<T> advanced_entries(const Three<T>& old, const Terms<T>& curl, const Box (&entries)[3],
                                            const UpdatedBox& column, const Media<T>& media, const Grid& grid,
                                            int plane, std::int64_t column_at, Advanced<T> (&advanced_by)[3]) {
  Three<T> next = old;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    advanced_by[c] = {column.of[c] && plane >= entries[c].x0 && plane < entries[c].x1, T{1}};
    if (!advanced_by[c].is) continue;
    if constexpr (materials) {
      const Coefficients<T> m = media.table[media.index[column_at + c * grid.component + plane * grid.plane]];
      next.c[c] = advanced<field>(old.c[c], curl.first.c[c] - curl.second.c[c], m.a, m.b);
      advanced_by[c].b = m.b;
    } else {
      next.c[c] = advanced<field>(old.c[c], curl.first.c[c] - curl.second.c[c]);
    }
  }
  return next;
}

/// What a thread of a block knows of its column of the tile.
template <int steps>
struct TileColumn {
  int t;                                   ///< its place in arrays in shared memory
  int j, k;                                ///< its place in the grid
  int first, end;                          ///< planes that the block advances
  bool exists;                             ///< beyond is nothing, or an electric conductor with no tangential E
  bool own;                                ///< its results are right after all steps and are written
  int y_above, z_above, y_below, z_below;  ///< columns beside this one; at the rim of the tile any will do

  template <class T>
  __device__ explicit TileColumn(const Steps<T>& s) {
    t = static_cast<int>(threadIdx.x);
    const int tz = t % tile_side;
    const int ty = t / tile_side;
    int r = s.regions - 1;
    while (blockIdx.x < s.region[r].first_block) --r;
    const StepsRegion& region = s.region[r];
    const std::uint32_t block = blockIdx.x - region.first_block;
    const std::uint32_t row_of_tiles = block / region.along_z;
    const std::uint32_t chunk = row_of_tiles / region.along_y;
    const int own_side = tile_side - 2 * steps;
    k = (region.z + static_cast<int>(block - row_of_tiles * region.along_z)) * own_side - steps + tz;
    j = (region.y + static_cast<int>(row_of_tiles - chunk * region.along_y)) * own_side - steps + ty;
    first = region.planes.first + static_cast<int>(chunk) * region.chunk;
    end = first + region.chunk < region.planes.end ? first + region.chunk : region.planes.end;
    exists = j >= 0 && j < s.grid.n[1] && k >= 0 && k < s.grid.n[2];
    own = exists && tz >= steps && tz < tile_side - steps && ty >= steps && ty < tile_side - steps;
    y_above = ty + 1 < tile_side ? t + tile_side : t;
    z_above = tz + 1 < tile_side ? t + 1 : t;
    y_below = ty > 0 ? t - tile_side : t;
    z_below = tz > 0 ? t - 1 : t;
  }
};

/// Begins to bring a plane of all components of the tile from memory: zeros where there is nothing.
template <int steps, class T>
inline __device__ void stage_plane(T* staged, const Grid& grid, const TileColumn<steps>& column, std::int64_t column_at,
                                   int plane, const T* __restrict__ e_from, const T* __restrict__ h_from) {
  const bool there = column.exists && plane >= 0 && plane < grid.n[0];
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const std::int64_t at = column_at + c * grid.component + plane * grid.plane;
    stage(staged + c * tile_columns + column.t, e_from + at, there);
    stage(staged + (3 + c) * tile_columns + column.t, h_from + at, there);
  }
  commit_staged();
}

/// Curl of E in a column: `plane` is its plane in shared memory, `next` the entries of the plane after it.
template <int steps, class T>
inline __device__ Terms<T> curl_of_e(const T (&f)[3], const T* plane, const TileColumn<steps>& at, const Three<T>& e,
                                     const Three<T>& next) {
  constexpr int columns = tile_columns;
  return {{f[1] * (plane[2 * columns + at.y_above] - e.c[2]), f[2] * (plane[at.z_above] - e.c[0]),
           f[0] * (next.c[1] - e.c[1])},
          {f[2] * (plane[columns + at.z_above] - e.c[1]), f[0] * (next.c[2] - e.c[2]),
           f[1] * (plane[at.y_above] - e.c[0])}};
}

/// Curl of H in a column: `before` are the entries of the plane before it.
template <int steps, class T>
inline __device__ Terms<T> curl_of_h(const T (&f)[3], const T* plane, const TileColumn<steps>& at, const Three<T>& h,
                                     const Three<T>& before) {
  constexpr int columns = tile_columns;
  return {{f[1] * (h.c[2] - plane[2 * columns + at.y_below]), f[2] * (h.c[0] - plane[at.z_below]),
           f[0] * (h.c[1] - before.c[1])},
          {f[2] * (h.c[1] - plane[columns + at.z_below]), f[0] * (h.c[2] - before.c[2]),
           f[1] * (h.c[0] - plane[at.y_below])}};
}

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
                          StretchOfTile<T>* of_tile, T* psi_of_tile)
      : y(of_tile + column.t / tile_side),
        z(of_tile + 2 * tile_side + column.t % tile_side),
        psi(psi_of_tile + column.t) {
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

struct Nothing {
  template <class... Arguments>
  __device__ explicit Nothing(const Arguments&... /*unused*/) {}
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
    else if (column.own && plane >= column.first)
      s.to[f].along[along][half + place<along>(at.slot)] = value;
  }
};

template <class T>
inline __device__ void add_sources(const Steps<T>& s, int j, int k, int plane, int step, Three<T>& e) {
  for (int n = 0; n < s.sources; ++n) {
    const StepsSource<T>& source = s.source[n];
    if (source.j == j && source.k == k && source.i == plane) e.c[source.component] += source.values[step];
  }
}
/// Probes in a column, after a step.
template <class T>
inline __device__ void record_probes(const Steps<T>& s, std::int64_t column_at, int plane, int step, const Three<T>& e,
                                     const Three<T>& h) {
  for (int n = 0; n < s.probes.count; ++n)
#pragma unroll
    for (int c = 0; c < 3; ++c)
      if (s.probes.places[n].at == column_at + c * s.grid.component + plane * s.grid.plane)
        s.probes.record[step * s.probes.count + n] = s.probes.places[n].field == Field::electric ? e.c[c] : h.c[c];
}

template <int steps, bool materials, bool with_more, class T>
__global__ void __launch_bounds__(tile_columns)
    steps_kernel(const __grid_constant__ Steps<T> s, const T* __restrict__ e_from, const T* __restrict__ h_from,
                 T* __restrict__ e_to, T* __restrict__ h_to) {
  constexpr int columns = tile_columns;
  using Shared = Layout<steps, with_more>;
  T* const shared = dynamic_shared<T>();
  T* const staged = shared + Shared::staged_begin;
  const TileColumn<steps> column(s);
  const int t = column.t, j = column.j, k = column.k, end = column.end;
  const UpdatedBox e_column = in_column(s.e_entries, j, k);
  const UpdatedBox h_column = in_column(s.h_entries, j, k);
  const std::int64_t column_at = s.grid.at(0, 0, j, k);
  bool has_some = false;  // sources or probes
  for (int n = 0; n < s.sources; ++n) has_some = has_some || (s.source[n].j == j && s.source[n].k == k);
  [[maybe_unused]] std::conditional_t<with_more, ColumnLayers<steps, T>, Nothing> layers(
      s.absorbing, s.grid.n, column, reinterpret_cast<StretchOfTile<T>*>(shared + Shared::stretch_begin),
      shared + Shared::psi_begin);
  if constexpr (with_more) {
    for (int n = 0; n < s.probes.count; ++n)
      has_some = has_some || (s.probes.places[n].at % s.grid.component - column_at) % s.grid.plane == 0;
  }

  Three<T> e_here[steps] = {};  // after 0, 1, .. steps, each a plane behind the one before
  Three<T> h_here[steps] = {};
  Three<T> h_before[steps] = {};  // after 1, 2, .. steps, a plane further behind
  for (int n = 0; n < 3 * steps; ++n) shared[Shared::e_begin + n * columns + t] = 0;
  stage_plane(staged, s.grid, column, column_at, column.first - steps, e_from, h_from);
  __syncthreads();
  for (int i = column.first - steps; i < end + steps; ++i) {
    wait_for_staged();
    Three<T> e_next;  // after the steps so far, in the plane after the one that is advanced
    Three<T> h_next;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      e_next.c[c] = staged[c * columns + t];
      h_next.c[c] = staged[(3 + c) * columns + t];
    }
    if (i + 1 < end + steps) stage_plane(staged, s.grid, column, column_at, i + 1, e_from, h_from);
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const int plane = i - 1 - step;
      T* const e_plane = shared + Shared::e_begin + 3 * step * columns;
      T* const h_plane = shared + Shared::h_begin + 3 * (step % Shared::h_arrays) * columns;
      const Three<T> e = e_here[step];
      Advanced<T> by[3];
      const Terms<T> e_curl = curl_of_e(s.h_factor, e_plane, column, e, e_next);
      Three<T> h = advanced_entries<Field::magnetic, materials>(h_here[step], e_curl, s.h_entries, h_column, s.h_media,
                                                                s.grid, plane, column_at, by);
      if constexpr (with_more)
        AbsorbedEntries<Field::magnetic, steps, T>{s.absorbing, s.grid.n[0], column, layers, step, plane, e_curl, by, h}
            .absorb();
#pragma unroll
      for (int c = 0; c < 3; ++c) h_plane[c * columns + t] = h.c[c];
      __syncthreads();
#pragma unroll
      for (int c = 0; c < 3; ++c) e_plane[c * columns + t] = e_next.c[c];
      const Terms<T> h_curl = curl_of_h(s.e_factor, h_plane, column, h, h_before[step]);
      Three<T> e_new = advanced_entries<Field::electric, materials>(e, h_curl, s.e_entries, e_column, s.e_media, s.grid,
                                                                    plane, column_at, by);
      if constexpr (with_more)
        AbsorbedEntries<Field::electric, steps, T>{s.absorbing, s.grid.n[0], column, layers, step,
                                                   plane,       h_curl,      by,     e_new}
            .absorb();
      if (has_some) {
        add_sources(s, j, k, plane, step, e_new);
        if constexpr (with_more)
          if (column.own && plane >= column.first && plane < end) record_probes(s, column_at, plane, step, e_new, h);
      }
      h_before[step] = h;
      e_here[step] = e_next;
      h_here[step] = h_next;
      e_next = e_new;
      h_next = h;
    }
    const int plane = i - steps;
    if (!column.own || plane < column.first) continue;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      const std::int64_t at = column_at + c * s.grid.component + plane * s.grid.plane;
      e_to[at] = e_next.c[c];
      h_to[at] = h_next.c[c];
    }
  }
}

}  // namespace asterism::fdtd::cuda
