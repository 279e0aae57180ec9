// SPDX-License-Identifier: Apache-2.0
// A tile of several steps at once: which columns and planes a block of threads has, what it keeps of them in shared
// memory, and the plain scheme in a plane of it.
#pragma once

#include <type_traits>

#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/beside_steps.hpp"
#include "codelets/fdtd/kernels/update/curl.hpp"
#include "codelets/fdtd/kernels/update/staging.cuh"

namespace asterism::fdtd::cuda {

/// Columns of a tile: one thread for each.
inline constexpr int tile_columns = tile_side * tile_side;
inline constexpr int most_steps = 4;

template <class T>
struct StepsSource {
  std::int32_t component, i, j, k;
  T values[most_steps];
};

/// What a tile knows beside the plain scheme, from what is fast to what is slow.
enum class TilesWith : std::int8_t {
  nothing,     ///< all entries of all columns and planes that it computes are updated
  sides,       ///< electric conductors along y and z
  ends,        ///< the same and layers along x
  conductors,  ///< along all axes
  layers_y,    ///< layers along y
  layers_z,    ///< along z
  layers_xy,   ///< along x, or conductors, and y
  layers_zx,   ///< along z and x, or conductors
  layers_yz,   ///< along y and z
  more,        ///< those, layers along all axes, sources, probes and cells apart
  faces,       ///< as more, and faces that are no electric conductors
};
inline constexpr int kinds_of_tiles = 11;
/// Has the kind a kernel for other media than the background?
ASTERISM_HOST_DEVICE constexpr bool takes_media(TilesWith with) {
  return with == TilesWith::nothing || with == TilesWith::conductors || with == TilesWith::more ||
         with == TilesWith::faces;
}

/// Tiles, counted along y and z, and planes that blocks of `chunk` of them advance.
struct StepsRegion {
  std::int16_t y, z;
  std::uint16_t along_y, along_z;
  Planes planes;
  std::int32_t chunk;
  std::uint32_t first_block;
  TilesWith with;
  bool media;  ///< other than the background?
};
inline constexpr int most_regions = 80;

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
  StepsLayers<T> absorbing;
  StepsProbes<T> probes;
  Box apart[most_boxes_apart];  ///< cells whose results are there already
  std::int32_t boxes_apart;
  std::int32_t columns_before[2];  ///< the first ones along y and z, where tiles begin
  StepsRegion region[most_regions];
  std::int32_t regions;
};

/// Three components of an entry's place.
template <class T>
struct Three {
  T c[3];
};

/// Planes along x of a block beside layers along x, at most, with those that it computes for its neighbours.
inline constexpr int most_planes_at_ends = 96;

/// Planes of a tile in shared memory: those that neighbouring columns read, and what is on its way from memory. Between
/// them are rows that nobody writes, so that threads at the rim of the tile may read beyond it.
template <int steps>
struct Layout {
  static constexpr int columns = tile_columns;
  static constexpr int plane = columns + tile_side;
  static_assert(steps >= 2, "the barriers of one step do not separate all that they have to");
  /// H is needed between two barriers: two arrays take turns, if they still do from one plane to the next.
  static constexpr int h_arrays = steps % 2 == 0 ? 2 : steps;
  static constexpr int e_begin = tile_side;
  static constexpr int h_begin = e_begin + 3 * steps * plane;
  static constexpr int staged_begin = h_begin + 3 * h_arrays * plane;
  static constexpr int stretch_begin = staged_begin + 6 * columns;
  static constexpr int stretches_of_columns = 2 * 2 * tile_side;  ///< along y and z; behind them those of planes
  static constexpr int psi_begin = stretch_begin + 4 * (stretches_of_columns + 2 * most_planes_at_ends);
  /// Tiles in layers along two axes have as much of each; those with more have a part of the whole.
  static constexpr int psi_of_axis = 4 * (steps - 1) * columns;
  static constexpr int elements =
      psi_begin + (2 * psi_of_axis > 4 * steps * columns ? 2 * psi_of_axis : 4 * steps * columns);
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

/// The boxes apart that a column goes through, as bits.
template <class T>
inline __device__ unsigned apart_in_column(const Steps<T>& s, int j, int k) {
  unsigned boxes = 0;
  for (int n = 0; n < s.boxes_apart; ++n) {
    const Box& b = s.apart[n];
    if (j >= b.y0 && j < b.y1 && k >= b.z0 && k < b.z1) boxes |= 1U << static_cast<unsigned>(n);
  }
  return boxes;
}
/// Is a plane of the column in one of them?
template <class T>
inline __device__ bool is_apart(const Steps<T>& s, unsigned boxes, int plane) {
  if (boxes == 0) return false;
  for (int n = 0; n < s.boxes_apart; ++n)
    if ((boxes >> static_cast<unsigned>(n) & 1U) != 0 && plane >= s.apart[n].x0 && plane < s.apart[n].x1) return true;
  return false;
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

/// What a thread of a block knows of its column of the tile. with_faces: of tiles at faces that are no electric
/// conductors. Beyond periodic ones the columns are those of the other end.
template <int steps>
struct TileColumn {
  int t;           ///< its place in arrays in shared memory
  int j, k;        ///< its place in the grid
  int first, end;  ///< planes that the block advances
  bool exists;     ///< beyond is nothing, or an electric conductor with no tangential E
  bool own;        ///< its results are right after all steps and are written

  template <bool with_faces, class T>
  __device__ TileColumn(const Steps<T>& s, const StepsRegion& region, std::bool_constant<with_faces> /*unused*/) {
    t = static_cast<int>(threadIdx.x);
    const int tz = t % tile_side;
    const int ty = t / tile_side;
    const std::uint32_t block = blockIdx.x - region.first_block;
    const std::uint32_t row_of_tiles = block / region.along_z;
    const std::uint32_t chunk = row_of_tiles / region.along_y;
    const int own_side = tile_side - 2 * steps;
    k = (region.z + static_cast<int>(block - row_of_tiles * region.along_z)) * own_side - steps + tz -
        s.columns_before[1];
    j = (region.y + static_cast<int>(row_of_tiles - chunk * region.along_y)) * own_side - steps + ty -
        s.columns_before[0];
    first = region.planes.first + static_cast<int>(chunk) * region.chunk;
    end = first + region.chunk < region.planes.end ? first + region.chunk : region.planes.end;
    if constexpr (with_faces)
      exists = j >= 0 && j < s.grid.planes_along(1) && k >= 0 && k < s.grid.planes_along(2);
    else
      exists = j >= 0 && j < s.grid.n[1] && k >= 0 && k < s.grid.n[2];
    own = exists && tz >= steps && tz < tile_side - steps && ty >= steps && ty < tile_side - steps;
    if constexpr (with_faces) {
      j = around<1>(s.grid, j);
      k = around<2>(s.grid, k);
      exists = j >= 0 && j < s.grid.planes_along(1) && k >= 0 && k < s.grid.planes_along(2);
    }
  }

 private:
  template <int axis>
  static __device__ int around(const Grid& grid, int at) {
    if (grid.face[2 * axis] != Face::neighbour) return at;
    const int n = grid.n[axis];
    return (at % n + n) % n;
  }
};

/// Begins to bring a plane of all components of the tile from memory, whose entry of the first component in this column
/// is `at`: zeros where there is nothing.
template <int steps, class T>
inline __device__ void stage_plane(T* staged, const Grid& grid, const TileColumn<steps>& column, std::int64_t at,
                                   bool there, const T* __restrict__ e_from, const T* __restrict__ h_from) {
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    stage(staged + c * tile_columns + column.t, e_from + at + c * grid.component, there);
    stage(staged + (3 + c) * tile_columns + column.t, h_from + at + c * grid.component, there);
  }
  commit_staged();
}

/// Columns beside one in a plane in shared memory.
inline constexpr int y_above = tile_side, z_above = 1, y_below = -tile_side, z_below = -1;

/// Curl of E in a column: `at` is the column in its plane in shared memory, `next` the entries of the plane after it.
template <int steps, class T>
inline __device__ Terms<T> curl_of_e(const T (&f)[3], const T* at, const Three<T>& e, const Three<T>& next) {
  constexpr int plane = Layout<steps>::plane;
  return {{f[1] * (at[2 * plane + y_above] - e.c[2]), f[2] * (at[z_above] - e.c[0]), f[0] * (next.c[1] - e.c[1])},
          {f[2] * (at[plane + z_above] - e.c[1]), f[0] * (next.c[2] - e.c[2]), f[1] * (at[y_above] - e.c[0])}};
}

/// Curl of H in a column: `before` are the entries of the plane before it.
template <int steps, class T>
inline __device__ Terms<T> curl_of_h(const T (&f)[3], const T* at, const Three<T>& h, const Three<T>& before) {
  constexpr int plane = Layout<steps>::plane;
  return {{f[1] * (h.c[2] - at[2 * plane + y_below]), f[2] * (h.c[0] - at[z_below]), f[0] * (h.c[1] - before.c[1])},
          {f[2] * (h.c[1] - at[plane + z_below]), f[0] * (h.c[2] - before.c[2]), f[1] * (h.c[0] - at[y_below])}};
}

/// The same in a column and plane beside magnetic conductors: tangential H behind one is the image of that before.
template <int steps, class T>
inline __device__ Terms<T> curl_of_h_at_faces(const T (&f)[3], const T* at, const TileColumn<steps>& column,
                                              const Grid& grid, int i, const Three<T>& h, const Three<T>& before) {
  constexpr int plane = Layout<steps>::plane;
  const int place[3] = {i, column.j, column.k};
  const T own[3][2] = {{h.c[1], h.c[2]}, {h.c[2], h.c[0]}, {h.c[0], h.c[1]}};
  T below[3][2] = {
      {before.c[1], before.c[2]}, {at[2 * plane + y_below], at[y_below]}, {at[z_below], at[plane + z_below]}};
  T difference[3][2];  // along an axis, of the components after it
#pragma unroll
  for (int a = 0; a < 3; ++a)
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      T here = own[a][m];
      if (grid.face[2 * a] == Face::magnetic && place[a] == 0) below[a][m] = -here;
      if (grid.face[2 * a + 1] == Face::magnetic && place[a] == grid.n[a]) here = -below[a][m];
      difference[a][m] = f[a] * (here - below[a][m]);
    }
  return {{difference[1][0], difference[2][0], difference[0][0]},
          {difference[2][1], difference[0][1], difference[1][1]}};
}

}  // namespace asterism::fdtd::cuda
