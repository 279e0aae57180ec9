// SPDX-License-Identifier: Apache-2.0
// A thread per entry in the box of states, component by component, z fastest.
#pragma once

#include "codelets/fdtd/kernels/media/dispersive.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int disperse_threads = 128;

template <class T>
struct Disperse {
  Grid grid;
  PoleStates states;
  Box entries[3];          ///< in the box of states
  std::uint32_t first[4];  ///< thread of the first entry of each component; last: their number
  Media<T> media;
  Poles<T> poles;
};

template <class T>
Disperse<T> describe_poles(const Grid& grid, const Box& cells, const Media<T>& media, const Poles<T>& poles,
                           const PoleStates& states) {
  Disperse<T> d{grid, states, {}, {}, media, poles};
  for (int a = 0; a < 3; ++a) {
    Box b = grid.entries(Field::electric, a, cells);
    const Box& s = states.box;
    b = {b.x0 > s.x0 ? b.x0 : s.x0, b.x1 < s.x1 ? b.x1 : s.x1, b.y0 > s.y0 ? b.y0 : s.y0,
         b.y1 < s.y1 ? b.y1 : s.y1, b.z0 > s.z0 ? b.z0 : s.z0, b.z1 < s.z1 ? b.z1 : s.z1};
    d.entries[a] = b;
    d.first[a + 1] = d.first[a] + static_cast<std::uint32_t>(b.cells());
  }
  return d;
}

template <class T>
__global__ void __launch_bounds__(disperse_threads)
    disperse_kernel(const __grid_constant__ Disperse<T> d, T* __restrict__ state, T* __restrict__ e) {
  const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= d.first[3]) return;
  const int a = number < d.first[1] ? 0 : number < d.first[2] ? 1 : 2;
  const Box& box = d.entries[a];
  const std::uint32_t in_box = number - d.first[a];
  const auto nz = static_cast<std::uint32_t>(box.z1 - box.z0);
  const auto ny = static_cast<std::uint32_t>(box.y1 - box.y0);
  const std::uint32_t row = in_box / nz;
  const std::uint32_t plane = row / ny;
  const int i = box.x0 + static_cast<int>(plane);
  const int j = box.y0 + static_cast<int>(row - plane * ny);
  const int k = box.z0 + static_cast<int>(in_box - row * nz);
  const std::int64_t at = d.grid.at(a, i, j, k);
  const std::uint16_t medium = d.media.index[at];
  const PoleRange range = d.poles.ranges[medium];
  if (range.count == 0) return;
  const PoleCoefficients<T>* const poles = d.poles.poles + range.first;
  const std::int64_t stride = d.states.stride();
  T* const before = state + d.states.at(a, i, j, k);

  T sum = 0;
  const T* read = before + stride;
  const auto take = [&](bool stored) {
    if (!stored) return T{0};
    const T value = *read;
    read += stride;
    return value;
  };
  for (int q = 0; q < range.count; ++q) {
    const PoleCoefficients<T> c = poles[q];
    const T current = take(c.has_current);
    const T polarization = take(c.has_polarization);
    sum += recalled(c, current, polarization);
  }
  const T now = e[at] - d.media.table[medium].b * sum;
  const T both_fields = now + *before;
  e[at] = now;
  *before = now;
  T* slot = before + stride;
  for (int q = 0; q < range.count; ++q) {
    const PoleCoefficients<T> c = poles[q];
    const T current = c.has_current ? slot[0] : T{0};
    const T polarization = c.has_polarization ? slot[c.has_current ? stride : 0] : T{0};
    const T m = contributed(c, current, polarization, both_fields);
    if (c.has_current) {
      *slot = T{2} * m - current;
      slot += stride;
    }
    if (c.has_polarization) {
      *slot = polarization + m;
      slot += stride;
    }
  }
}

}  // namespace asterism::fdtd::cuda
