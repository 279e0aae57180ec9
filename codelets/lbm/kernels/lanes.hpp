// SPDX-License-Identifier: Apache-2.0
// Vectors of cells for the CPU kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/lbm/kernels/float16.hpp"
#include "codelets/lbm/kernels/lattice.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"
#ifdef ASTERISM_HAS_CLONES
#include <immintrin.h>
#endif

namespace asterism::lbm::cpu {

/// What converts populations of half precision: instructions of AVX-512 or of F16C (with AVX2), or operations on
/// integers. Other populations need nothing.
enum class Conversion { integers, f16c, avx512 };

/// As many cells as are computed at once.
template <class T>
using Cells = Vector<Arithmetic<T>>;
template <class T>
inline constexpr int cells_at_once = width<Arithmetic<T>>;

using HalfCells = std::uint16_t __attribute__((vector_size(32)));
using UnalignedHalfCells = std::uint16_t __attribute__((vector_size(32), aligned(2), may_alias));

#ifdef ASTERISM_HAS_CLONES
// The compiler's own functions, as those of immintrin.h cannot be inlined into what is inlined itself.
using HalfWords = short __attribute__((vector_size(32)));
using HalfWordsOfAvx = short __attribute__((vector_size(16)));
using Floats = float __attribute__((vector_size(64)));
using FloatsOfAvx = float __attribute__((vector_size(32)));
template <Conversion conversion>
ASTERISM_INLINE Vector<float> floats_of(const HalfCells& half) {
  if constexpr (conversion == Conversion::avx512) {
    return __builtin_ia32_vcvtph2ps512_mask(__builtin_bit_cast(HalfWords, half), Floats{}, -1, 4);
  } else {
    const auto all = __builtin_bit_cast(HalfWords, half);
    const FloatsOfAvx low = __builtin_ia32_vcvtph2ps256(__builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7));
    const FloatsOfAvx high =
        __builtin_ia32_vcvtph2ps256(__builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
}
template <Conversion conversion>
ASTERISM_INLINE HalfCells halves_of(const Vector<float>& value) {
  constexpr int to_nearest = 0;
  if constexpr (conversion == Conversion::avx512) {
    return __builtin_bit_cast(HalfCells, __builtin_ia32_vcvtps2ph512_mask(value, to_nearest, HalfWords{}, -1));
  } else {
    const HalfWordsOfAvx low =
        __builtin_ia32_vcvtps2ph256(__builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7), to_nearest);
    const HalfWordsOfAvx high =
        __builtin_ia32_vcvtps2ph256(__builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15), to_nearest);
    return __builtin_bit_cast(HalfCells,
                              __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  }
}
#endif

/// Too many instructions to be part of each kernel.
[[gnu::noinline]] inline void floats_by_integers(const Float16* from, float* to) {
  for (int l = 0; l < width<float>; ++l) to[l] = scaled_value_of(from[l]);
}
[[gnu::noinline]] inline void halves_by_integers(const float* from, Float16* to) {
  for (int l = 0; l < width<float>; ++l) to[l] = stored_scaled<Float16>(from[l]);
}

/// The populations of `cells_at_once` cells times scale_of<T>, anywhere in memory.
template <Conversion conversion, class T>
ASTERISM_INLINE Cells<T> load_cells(const T* from) {
  if constexpr (!std::is_same_v<T, Float16>) {
    return *reinterpret_cast<const typename Lanes<T>::Unaligned*>(from);
  } else if constexpr (conversion == Conversion::integers) {
    alignas(64) float values[width<float>];
    floats_by_integers(from, values);
    return *reinterpret_cast<const Lanes<float>::Unaligned*>(values);
#ifdef ASTERISM_HAS_CLONES
  } else {
    const HalfCells half = *reinterpret_cast<const UnalignedHalfCells*>(from);
    return floats_of<conversion>(half);
#endif
  }
}
template <Conversion conversion, class T>
ASTERISM_INLINE void store_cells(const Cells<T>& value, T* to) {
  if constexpr (!std::is_same_v<T, Float16>) {
    *reinterpret_cast<typename Lanes<T>::Unaligned*>(to) = value;
  } else if constexpr (conversion == Conversion::integers) {
    alignas(64) float values[width<float>];
    *reinterpret_cast<Lanes<float>::Unaligned*>(values) = value;
    halves_by_integers(values, to);
#ifdef ASTERISM_HAS_CLONES
  } else {
    *reinterpret_cast<UnalignedHalfCells*>(to) = halves_of<conversion>(value);
#endif
  }
}

/// Fewer than `cells_at_once` cells at x: what lies beyond may be another task's. Never inlined: they are many
/// instructions, and the same ones for all instruction sets and models.
template <class T>
[[gnu::noinline]] void copy_some(const T* const* place, int x, int count, T (*cells)[cells_at_once<T>]) {
  for (int i = 0; i < q; ++i)
    for (int l = 0; l < count; ++l) cells[i][l] = place[i][x + l];
}
template <class T>
[[gnu::noinline]] void copy_back(const T (*cells)[cells_at_once<T>], T* const* place, int x, int count) {
  for (int i = 0; i < q; ++i)
    for (int l = 0; l < count; ++l) place[opposite(i)][x + l] = cells[i][l];
}

/// The nineteen populations of up to `cells_at_once` cells in a row times scale_of<T>, f_i at place[i] of the first
/// one.
template <Conversion conversion, class T>
ASTERISM_INLINE void load(const T* const* place, int x, int count, Cells<T> (&f)[q]) {
  if (count == cells_at_once<T>) {
#pragma GCC unroll 19
    for (int i = 0; i < q; ++i) f[i] = load_cells<conversion>(place[i] + x);
    return;
  }
  alignas(64) T cells[q][cells_at_once<T>] = {};
  copy_some(place, x, count, cells);
#pragma GCC unroll 19
  for (int i = 0; i < q; ++i) f[i] = load_cells<conversion>(cells[i]);
}

/// f[i] to place[opposite(i)].
template <Conversion conversion, class T>
ASTERISM_INLINE void store_opposite(T* const* place, int x, int count, const Cells<T> (&f)[q]) {
  if (count == cells_at_once<T>) {
#pragma GCC unroll 19
    for (int i = 0; i < q; ++i) store_cells<conversion>(f[i], place[opposite(i)] + x);
    return;
  }
  alignas(64) T cells[q][cells_at_once<T>];
#pragma GCC unroll 19
  for (int i = 0; i < q; ++i) store_cells<conversion>(f[i], cells[i]);
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
