// SPDX-License-Identifier: Apache-2.0
// A thread per cell that lies in some layer, neighbouring threads along z: all terms of all its entries in one launch.
#pragma once

#include "codelets/fdtd/kernels/media/cpml.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int absorb_threads = 128;

/// The cells of the layers in boxes that do not overlap: before both faces across x, before those across y what is
/// left, then z.
struct Pieces {
  Box box[6];
  std::uint32_t first[7];  ///< thread of the first cell of each; last: their number
};

template <class T>
struct Absorb {
  Grid grid;
  Layers layers;
  Pieces pieces;
  Box entries[3];
  T factor[3];
  Media<T> media;
};

/// Cells of a box that lie in layers, and plane n where there are entries on it.
inline Pieces pieces_of(const Layers& layers, const Box (&entries)[3], const Box& cells) {
  Box all = cells;
  for (const Box& b : entries) {
    all.x1 = b.x1 > all.x1 ? b.x1 : all.x1;
    all.y1 = b.y1 > all.y1 ? b.y1 : all.y1;
    all.z1 = b.z1 > all.z1 ? b.z1 : all.z1;
  }
  Pieces p{};
  std::int32_t* const range[3][2] = {{&all.x0, &all.x1}, {&all.y0, &all.y1}, {&all.z0, &all.z1}};
  std::uint32_t count = 0;
  for (int a = 0; a < 3; ++a) {
    std::int32_t& begin = *range[a][0];
    std::int32_t& end = *range[a][1];
    const std::int32_t first = begin;
    const std::int32_t last = end;
    const auto between = [&](std::int32_t at) { return at < first ? first : at > last ? last : at; };
    const std::int32_t lower = between(layers.axis[a].lower);
    const std::int32_t upper = between(layers.axis[a].upper);
    end = lower;
    p.box[2 * a] = all;
    begin = upper;
    end = last;
    p.box[2 * a + 1] = all;
    begin = lower;
    end = upper;
    for (int side = 0; side < 2; ++side) {
      p.first[2 * a + side] = count;
      count += static_cast<std::uint32_t>(p.box[2 * a + side].cells());
    }
  }
  p.first[6] = count;
  return p;
}

template <class T>
Absorb<T> describe_layers(Field field, const Grid& grid, const Box& cells, const Factors& factors,
                          const Media<T>& media, const Layers& layers) {
  Absorb<T> d{grid, layers, {}, {}, {}, media};
  for (int a = 0; a < 3; ++a) {
    d.entries[a] = grid.entries(field, a, cells);
    d.factor[a] = static_cast<T>(factors.along[a]);
  }
  if (!cells.empty()) d.pieces = pieces_of(layers, d.entries, cells);
  return d;
}

/// The term of component a along a + `term`.
template <Field field, int term, class T>
inline __device__ T with_term(const Absorb<T>& d, int a, const int (&place)[3], const Stretch<T>* stretches,
                              const T* from, const Psi<T>& psi, T b, T u) {
  const int along = (a + term) % 3;
  const AxisLayers& axis = d.layers.axis[along];
  if (!axis.has(place[along])) return u;
  const int other = (a + 3 - term) % 3;
  const std::int64_t apart = d.grid.stride(along);
  const T* const upper = from + d.grid.at(other, place[0], place[1], place[2]) + (field == Field::magnetic ? apart : 0);
  T factor = d.factor[along];
  if (d.media.graded()) factor *= d.media.inverse_length[along][place[along]];
  const T g = factor * (upper[0] - upper[-apart]);
  T& kept = psi.along[along][d.layers.at(along, a, place[0], place[1], place[2])];
  return absorbed<sign_of_term(field, term)>(u, g, stretches[axis.row(place[along])], b, kept);
}

template <Field field, bool materials, class T>
__global__ void __launch_bounds__(absorb_threads)
    absorb_kernel(const __grid_constant__ Absorb<T> d, const Stretch<T>* __restrict__ stretches,
                  const T* __restrict__ from, const __grid_constant__ Psi<T> psi, T* __restrict__ to) {
  const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= d.pieces.first[6]) return;
  int piece = 0;
  while (number >= d.pieces.first[piece + 1]) ++piece;
  const Box& box = d.pieces.box[piece];
  const std::uint32_t in_box = number - d.pieces.first[piece];
  const auto nz = static_cast<std::uint32_t>(box.z1 - box.z0);
  const auto ny = static_cast<std::uint32_t>(box.y1 - box.y0);
  const std::uint32_t row = in_box / nz;
  const std::uint32_t plane = row / ny;
  const int place[3] = {box.x0 + static_cast<int>(plane), box.y0 + static_cast<int>(row - plane * ny),
                        box.z0 + static_cast<int>(in_box - row * nz)};
  for (int a = 0; a < 3; ++a) {
    const Box& e = d.entries[a];
    if (place[0] < e.x0 || place[0] >= e.x1 || place[1] < e.y0 || place[1] >= e.y1 || place[2] < e.z0 ||
        place[2] >= e.z1)
      continue;
    const std::int64_t at = d.grid.at(a, place[0], place[1], place[2]);
    T b = 1;
    if constexpr (materials) b = d.media.table[d.media.index[at]].b;
    T u = to[at];
    u = with_term<field, 1>(d, a, place, stretches, from, psi, b, u);
    u = with_term<field, 2>(d, a, place, stretches, from, psi, b, u);
    to[at] = u;
  }
}

}  // namespace asterism::fdtd::cuda
