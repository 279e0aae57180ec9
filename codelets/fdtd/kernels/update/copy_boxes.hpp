// SPDX-License-Identifier: Apache-2.0
// Boxes of both fields, and psi of their cells, from arrays to others of the same grid: what cells apart from several
// steps begin with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/media/cpml.hpp"
#include "codelets/fdtd/kernels/update/boxes.hpp"

namespace asterism::fdtd::cuda {

/// n[0] x n[1] x n[2] numbers with the same strides on both sides, the last one 1.
template <class T>
struct BlockCopy {
  const T* from;
  T* to;
  std::int32_t n[3];
  std::int64_t stride[2];
};
inline constexpr int most_blocks_copied = 32;
/// Those of one launch.
template <class T>
struct BlockCopies {
  BlockCopy<T> block[most_blocks_copied];
  std::int32_t count;
};

/// All components of a field in a box of entries, ghosts included.
template <class T>
void add_field(const Grid& grid, const Box& b, const T* from, T* to, std::vector<BlockCopy<T>>& copies) {
  for (int c = 0; c < 3 && !b.empty(); ++c) {
    const std::int64_t at = grid.at(c, b.x0, b.y0, b.z0);
    copies.push_back({from + at, to + at, {b.x1 - b.x0, b.y1 - b.y0, b.z1 - b.z0}, {grid.plane, grid.pitch}});
  }
}
/// psi of the cells of a box.
template <class T>
void add_psi(const Layers& layers, const Box& b, const Psi<T>& from, const Psi<T>& to,
             std::vector<BlockCopy<T>>& copies) {
  for (int along = 0; along < 3; ++along) {
    if (layers.elements(along) == 0) continue;
    const AxisLayers& axis = layers.axis[along];
    Box part[2] = {b, b};
    std::int32_t* const end[3] = {&part[0].x1, &part[0].y1, &part[0].z1};
    std::int32_t* const first[3] = {&part[1].x0, &part[1].y0, &part[1].z0};
    *end[along] = std::min(*end[along], axis.lower);
    *first[along] = std::max(*first[along], axis.upper);
    for (const Box& p : part)
      for (int number = 1; number < 3 && !p.empty(); ++number) {
        const std::int64_t at = layers.at(along, (along + number) % 3, p.x0, p.y0, p.z0);
        copies.push_back({from.along[along] + at,
                          to.along[along] + at,
                          {p.x1 - p.x0, p.y1 - p.y0, p.z1 - p.z0},
                          {layers.stride(along, 0), layers.stride(along, 1)}});
      }
  }
}

/// Blocks in launches.
template <class T>
std::vector<BlockCopies<T>> launches_of(const std::vector<BlockCopy<T>>& copies) {
  std::vector<BlockCopies<T>> launches;
  for (std::size_t n = 0; n < copies.size(); ++n) {
    if (n % most_blocks_copied == 0) launches.push_back({});
    launches.back().block[launches.back().count++] = copies[n];
  }
  return launches;
}

}  // namespace asterism::fdtd::cuda
