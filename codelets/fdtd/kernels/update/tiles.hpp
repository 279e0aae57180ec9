// SPDX-License-Identifier: Apache-2.0
// How many thread blocks an update takes, and which cells each of them has.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "codelets/fdtd/kernels/update/shape.hpp"
#include "codelets/fdtd/kernels/update/update.cuh"

namespace asterism::fdtd::cuda {

template <class T>
Update<T> describe(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media) {
  Update<T> u{grid, {}, {}, media};
  for (int a = 0; a < 3; ++a) {
    u.entries[a] = grid.entries(field, a, cells);
    u.factor[a] = static_cast<T>(factors.along[a]);
  }
  return u;
}

inline std::int32_t log2_of(std::int32_t size) {
  std::int32_t log = 0;
  while ((1 << log) < size) ++log;
  if ((1 << log) != size) throw std::invalid_argument("thread blocks have powers of two as sides");
  return log;
}

/// Blocks of 256 threads: four rows of 64 cells where the box is as wide, and marches short enough that a small box has
/// blocks for all of a GPU.
inline Shape shape_for(const Box& cells) {
  constexpr std::int64_t enough_blocks = 1024;
  Shape s{64, 4, 16};
  while (s.z > 1 && s.z / 2 >= cells.z1 - cells.z0) {
    s.z /= 2;
    s.y *= 2;
  }
  const auto parts = [](std::int64_t length, std::int64_t part) { return (length + part - 1) / part; };
  const std::int64_t columns = parts(cells.z1 - cells.z0, s.z) * parts(cells.y1 - cells.y0, s.y);
  while (s.march > 1 && columns * parts(cells.x1 - cells.x0, s.march) < enough_blocks) s.march /= 2;
  return s;
}

/// `blocks` and `threads` of the launch.
struct Tiling {
  Tiles tiles;
  std::uint32_t blocks;
  std::uint32_t threads;
};
template <class T>
Tiling tiling(const Update<T>& u, const Box& cells, const Shape& given) {
  Tiling t{};
  const Shape shape = given.z == 0 ? shape_for(cells) : given;
  if (shape.z * shape.y > most_update_threads || shape.march < 1)
    throw std::invalid_argument("thread blocks have up to 256 threads, which take at least one cell each");
  if (cells.empty()) return t;
  Box all = cells;
  for (const Box& b : u.entries) {
    all.x1 = std::max(all.x1, b.x1);
    all.y1 = std::max(all.y1, b.y1);
    all.z1 = std::max(all.z1, b.z1);
  }
  const auto parts = [](int length, int part) { return static_cast<std::uint32_t>((length + part - 1) / part); };
  t.tiles = {log2_of(shape.z),
             log2_of(shape.y),
             shape.march,
             parts(all.z1 - all.z0, shape.z),
             parts(all.y1 - all.y0, shape.y),
             all};
  t.blocks = t.tiles.along_z * t.tiles.along_y * parts(all.x1 - all.x0, shape.march);
  t.threads = static_cast<std::uint32_t>(shape.z * shape.y);
  return t;
}

}  // namespace asterism::fdtd::cuda
