// SPDX-License-Identifier: Apache-2.0
// How many thread blocks an update takes, and which cells each of them has.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "codelets/fdtd/kernels/update/shape.hpp"
#include "codelets/fdtd/kernels/update/update.cuh"

namespace asterism::fdtd::cuda {

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

template <class T>
struct UpdateLaunch {
  Update<T> update;
  std::uint32_t blocks, threads;
};

/// Adds a box that is not empty to a launch whose blocks have as many threads, or to one that has none yet.
template <class T>
void add_cells(Field field, const Box& cells, const Shape& given, UpdateLaunch<T>& launch) {
  const Shape shape = given.z == 0 ? shape_for(cells) : given;
  if (shape.z * shape.y > most_update_threads || shape.march < 1)
    throw std::invalid_argument("thread blocks have up to 256 threads, which take at least one cell each");
  const std::int32_t log_z = log2_of(shape.z), log_y = log2_of(shape.y);
  UpdatedCells added{{}, {}, launch.blocks};
  Box all = cells;
  for (int a = 0; a < 3; ++a) {
    const Box& b = added.entries[a] = launch.update.grid.entries(field, a, cells);
    all.x1 = std::max(all.x1, b.x1);
    all.y1 = std::max(all.y1, b.y1);
    all.z1 = std::max(all.z1, b.z1);
  }
  const auto parts = [](int length, int part) { return static_cast<std::uint32_t>((length + part - 1) / part); };
  added.tiles = {log_z, log_y, shape.march, parts(all.z1 - all.z0, shape.z), parts(all.y1 - all.y0, shape.y), all};
  launch.threads = static_cast<std::uint32_t>(shape.z * shape.y);
  launch.blocks += added.tiles.along_z * added.tiles.along_y * parts(all.x1 - all.x0, shape.march);
  launch.update.box[launch.update.boxes++] = added;
}

/// Launches of an update of boxes that have no cell in common.
template <class T>
std::vector<UpdateLaunch<T>> describe(Field field, const Grid& grid, const std::vector<Box>& boxes,
                                      const Factors& factors, const Media<T>& media, const Shape& shape) {
  UpdateLaunch<T> none{{grid, {}, media, 0, {}}, 0, 0};
  for (int a = 0; a < 3; ++a) none.update.factor[a] = static_cast<T>(factors.along[a]);
  std::vector<UpdateLaunch<T>> launches;
  for (const Box& cells : boxes) {
    if (cells.empty()) continue;
    if (launches.empty() || launches.back().update.boxes == most_updated_boxes) launches.push_back(none);
    add_cells(field, cells, shape, launches.back());
  }
  return launches;
}

}  // namespace asterism::fdtd::cuda
