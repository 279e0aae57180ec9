// SPDX-License-Identifier: Apache-2.0
// A thread per column of cells along x, neighbouring threads along z. The two components whose differences are along x
// stay in registers from plane to plane, and what rows share comes from the first-level cache.
#pragma once

#include "codelets/fdtd/kernels/media/materials.hpp"
#include "codelets/fdtd/kernels/update/curl.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int most_update_threads = 256;

/// Which thread has which cells: tiles of 2^log_z x 2^log_y columns, z fastest, `march` planes of each.
struct Tiles {
  std::int32_t log_z, log_y, march;
  std::uint32_t along_z, along_y;  ///< tiles
  Box covered;                     ///< cells, and plane n where there are entries on it
};

inline constexpr int most_updated_boxes = 12;

/// A box of cells of an update, whose blocks are those from `first_block` on.
struct UpdatedCells {
  Box entries[3];
  Tiles tiles;
  std::uint32_t first_block;
};

template <class T>
struct Update {
  Grid grid;
  T factor[3];
  Media<T> media;
  std::int32_t boxes;
  UpdatedCells box[most_updated_boxes];
};

template <Field field, bool materials, class T>
inline __device__ void advance(const Update<T>& u, std::int64_t at, T curl, T* to) {
  if constexpr (materials) {
    const Coefficients<T> m = u.media.table[u.media.index[at]];
    to[at] = advanced<field>(to[at], curl, m.a, m.b);
  } else {
    to[at] = advanced<field>(to[at], curl);
  }
}

template <Field field, bool materials, bool graded, class T>
__global__ void __launch_bounds__(most_update_threads)
    update_kernel(const __grid_constant__ Update<T> u, const T* __restrict__ from, T* __restrict__ to) {
  int b = u.boxes - 1;
  while (blockIdx.x < u.box[b].first_block) --b;
  const UpdatedCells& box = u.box[b];
  const Tiles& tiles = box.tiles;
  const std::uint32_t block = blockIdx.x - box.first_block;
  const std::uint32_t row_of_tiles = block / tiles.along_z;
  const std::uint32_t layer_of_tiles = row_of_tiles / tiles.along_y;
  const auto tile_z = static_cast<int>(block - row_of_tiles * tiles.along_z);
  const auto tile_y = static_cast<int>(row_of_tiles - layer_of_tiles * tiles.along_y);
  const auto thread = static_cast<int>(threadIdx.x);
  const int k = tiles.covered.z0 + (tile_z << tiles.log_z) + (thread & ((1 << tiles.log_z) - 1));
  const int j = tiles.covered.y0 + (tile_y << tiles.log_y) + (thread >> tiles.log_z);
  const int first = tiles.covered.x0 + static_cast<int>(layer_of_tiles) * tiles.march;
  if (k >= tiles.covered.z1 || j >= tiles.covered.y1) return;
  const int end = first + tiles.march < tiles.covered.x1 ? first + tiles.march : tiles.covered.x1;

  const auto in_column = [&](const Box& e) { return j >= e.y0 && j < e.y1 && k >= e.z0 && k < e.z1; };
  const bool column[3] = {in_column(box.entries[0]), in_column(box.entries[1]), in_column(box.entries[2])};
  constexpr bool electric = field == Field::electric;
  constexpr int side = electric ? -1 : 1;
  const std::int64_t y_side = side * u.grid.stride(1);
  const std::int64_t comp = u.grid.component;
  T fx = u.factor[0];
  const T fy = graded ? u.factor[1] * u.media.inverse_length[1][j] : u.factor[1];
  const T fz = graded ? u.factor[2] * u.media.inverse_length[2][k] : u.factor[2];

  // the difference along b is upper - lower, `here` being the upper one for E and the lower one for H
  const auto rotation = [](T fb, T c_here, T c_side, T fc, T b_here, T b_side) {
    return electric ? curl(fb, c_here, c_side, fc, b_here, b_side) : curl(fb, c_side, c_here, fc, b_side, b_here);
  };
  std::int64_t at = u.grid.at(0, first, j, k);
  // of the plane before for E; H reads the plane after and has this one from the step before
  T y_kept = from[at + comp + (electric ? -u.grid.plane : 0)];
  T z_kept = from[at + 2 * comp + (electric ? -u.grid.plane : 0)];
  for (int i = first; i < end; ++i, at += u.grid.plane) {
    if constexpr (graded) fx = u.factor[0] * u.media.inverse_length[0][i];
    const T x_here = from[at];
    T y_here = y_kept;
    T z_here = z_kept;
    T y_next = 0;
    T z_next = 0;
    if (electric) {
      y_here = from[at + comp];
      z_here = from[at + 2 * comp];
    } else if (i < u.grid.n[0]) {  // nothing lies beyond plane n
      y_next = from[at + comp + u.grid.plane];
      z_next = from[at + 2 * comp + u.grid.plane];
    }
    const T y_side_x = electric ? y_kept : y_next;
    const T z_side_x = electric ? z_kept : z_next;
    const auto here = [&](int c) { return column[c] && i >= box.entries[c].x0 && i < box.entries[c].x1; };
    if (here(0))
      advance<field, materials>(
          u, at, rotation(fy, z_here, from[at + 2 * comp + y_side], fz, y_here, from[at + comp + side]), to);
    if (here(1))
      advance<field, materials>(u, at + comp, rotation(fz, x_here, from[at + side], fx, z_here, z_side_x), to);
    if (here(2))
      advance<field, materials>(u, at + 2 * comp, rotation(fx, y_here, y_side_x, fy, x_here, from[at + y_side]), to);
    y_kept = electric ? y_here : y_next;
    z_kept = electric ? z_here : z_next;
  }
}

}  // namespace asterism::fdtd::cuda
