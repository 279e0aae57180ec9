// SPDX-License-Identifier: Apache-2.0
// Vectors of cells for the CPU kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/lbm/kernels/lattice.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"

namespace asterism::lbm::cpu {

/// Fewer than `width` cells at x: what lies beyond may be another task's. Never inlined: they are many instructions,
/// and the same ones for all instruction sets and models.
template <class T>
[[gnu::noinline]] void copy_some(const T* const* place, int x, int count, T (*cells)[width<T>]) {
  for (int i = 0; i < q; ++i)
    for (int l = 0; l < count; ++l) cells[i][l] = place[i][x + l];
}
template <class T>
[[gnu::noinline]] void copy_back(const T (*cells)[width<T>], T* const* place, int x, int count) {
  for (int i = 0; i < q; ++i)
    for (int l = 0; l < count; ++l) place[opposite(i)][x + l] = cells[i][l];
}

/// The nineteen populations of up to `width` cells in a row, f_i at place[i] of the first one.
template <class T>
ASTERISM_INLINE void load(const T* const* place, int x, int count, Vector<T> (&f)[q]) {
  if (count == width<T>) {
#pragma GCC unroll 19
    for (int i = 0; i < q; ++i) f[i] = *reinterpret_cast<const typename Lanes<T>::Unaligned*>(place[i] + x);
    return;
  }
  alignas(64) T cells[q][width<T>] = {};
  copy_some(place, x, count, cells);
#pragma GCC unroll 19
  for (int i = 0; i < q; ++i) f[i] = *reinterpret_cast<const typename Lanes<T>::Unaligned*>(cells[i]);
}

/// f[i] to place[opposite(i)].
template <class T>
ASTERISM_INLINE void store_opposite(T* const* place, int x, int count, const Vector<T> (&f)[q]) {
  if (count == width<T>) {
#pragma GCC unroll 19
    for (int i = 0; i < q; ++i) *reinterpret_cast<typename Lanes<T>::Unaligned*>(place[opposite(i)] + x) = f[i];
    return;
  }
  alignas(64) T cells[q][width<T>];
#pragma GCC unroll 19
  for (int i = 0; i < q; ++i) *reinterpret_cast<typename Lanes<T>::Unaligned*>(cells[i]) = f[i];
  copy_back(cells, place, x, count);
}

/// The first cell of [x, end) that is solid (or fluid), else `end`.
ASTERISM_INLINE int find(const std::uint8_t* solid, int x, int end, bool wanted) {
  if (wanted)
    for (std::uint64_t eight; x + 8 <= end; x += 8) {
      std::memcpy(&eight, solid + x, 8);
      if (eight != 0) break;
    }
  while (x < end && (solid[x] != 0) != wanted) ++x;
  return x;
}

}  // namespace asterism::lbm::cpu
