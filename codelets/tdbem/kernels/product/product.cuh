// SPDX-License-Identifier: Apache-2.0
// A warp per panel, part of the slices and wave, a row per lane with its `group` sums in registers. A slice's columns
// are taken in batches, whose values are asked for together; from a column to the next the window moves by one element,
// which takes the place of the one that is left behind in a ring of registers. What comes some slices later is asked
// for ahead, so that most of the way from memory is done when it is needed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/host_device.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::tdbem::cuda {

inline constexpr int product_threads = 128;
inline constexpr int add_threads = 128;

/// Read once: leaves the cache to the windows.
template <class T>
__device__ inline T streamed(const T* p) {
#ifdef __CUDA_ARCH__
  return __ldcs(p);
#else
  return *p;
#endif
}

/// Columns asked for at once: whole turns of the ring of windows, some eight.
ASTERISM_HOST_DEVICE constexpr int batch_columns(int group) {
  return (group + 7) / group * group;
}

inline constexpr int line_bytes = 128;
/// How far ahead of its values a warp asks for more.
inline constexpr int bytes_ahead = 3072;

/// To the second-level cache.
__device__ inline void ask_ahead(const void* p) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#else
  static_cast<void>(p);
#endif
}

/// Up to batch_columns(group) columns of a slice: s_g += value x window element past[g], then past moves back by one.
/// `columns` is the same for the whole warp.
template <bool all, int group, class T>
__device__ inline void add_batch(const T* value, int columns, const T*& past, T (&a)[group], T (&s)[group]) {
  constexpr int batch = batch_columns(group);
  T v[batch];
#pragma unroll
  for (int u = 0; u < batch; ++u) v[u] = all || u < columns ? streamed(value + u * panel_rows) : T(0);
#pragma unroll
  for (int u = 0; u < batch; ++u) {
    if (!all && u >= columns) break;
    a[(batch - u) % group] = past[-u];
#pragma unroll
    for (int g = 0; g < group; ++g) s[g] += v[u] * a[(g + batch - u) % group];
  }
  past -= batch;
}

/// scratch[((wave * parts + part) * panels + panel of all tiles) * group + g][lane]
template <class T, int group>
__global__ void __launch_bounds__(product_threads)
    product_kernel(const Tile<T>* __restrict__ tiles, const __grid_constant__ ProductShape shape,
                   const __grid_constant__ WindowsOfBlocks<T> blocks, T* __restrict__ scratch) {
  constexpr int warps = product_threads / panel_rows;
  constexpr int batch = batch_columns(group);
  // Waves beside each other, as they read the same values; then panels that read neighbouring parts of windows.
  const std::int32_t wave = static_cast<std::int32_t>(blockIdx.x) % blocks.of[0].waves;
  const std::int32_t rest = static_cast<std::int32_t>(blockIdx.x) / blocks.of[0].waves;
  const std::int32_t groups = (shape.panels + warps - 1) / warps;
  const std::int32_t panel = rest % groups * warps + static_cast<std::int32_t>(threadIdx.x) / panel_rows;
  const std::int32_t part = rest / groups % shape.parts;
  const std::int32_t t = rest / groups / shape.parts;
  const Tile<T>* const tile = tiles + t;
  const Windows<T>& windows = blocks.of[t / blocks.tiles_of_each];
  if (panel >= tile->panels()) return;

  const std::int32_t slices = tile->slices;
  const auto begin = static_cast<std::int32_t>(static_cast<std::int64_t>(slices) * part / shape.parts);
  const auto end = static_cast<std::int32_t>(static_cast<std::int64_t>(slices) * (part + 1) / shape.parts);
  const int lane = static_cast<int>(threadIdx.x) % panel_rows;
  const std::uint32_t* const start = tile->start + static_cast<std::int64_t>(panel) * slices;
  const std::uint16_t* first = tile->first + (static_cast<std::int64_t>(panel) * slices + begin) * panel_rows + lane;
  const T* present = windows.values + wave * windows.wave_stride + windows.shape.reach +
                     (tile->slice_begin + begin - windows.slice_begin) * windows.shape.stride;
  const T* value = tile->values + static_cast<std::int64_t>(start[begin]) * panel_rows + lane;
  const char* const stream_end =
      reinterpret_cast<const char*>(tile->values + static_cast<std::int64_t>(start[end]) * panel_rows);
  T s[group] = {};
  std::uint32_t slice_begin = start[begin];
  std::uint32_t slice_end = start[begin + 1];
  std::int32_t slice_first = *first;
  for (std::int32_t slice = begin; slice < end; ++slice) {
    auto columns = static_cast<int>(slice_end - slice_begin);
    const T* past = present - slice_first;
    present += windows.shape.stride;
    slice_begin = slice_end;
    if (slice + 1 < end) {
      first += panel_rows;
      slice_first = *first;
      slice_end = start[slice + 2];
    }
    const char* const ahead = reinterpret_cast<const char*>(value - lane) + bytes_ahead + lane * line_bytes;
    if (lane * line_bytes < columns * panel_rows * static_cast<int>(sizeof(T)) && ahead < stream_end) ask_ahead(ahead);
    T a[group];  // element past[g - columns done] at (g - columns done) mod group
#pragma unroll
    for (int g = 1; g < group; ++g) a[g] = past[g];
    for (; columns >= batch; columns -= batch) {
      add_batch<true>(value, batch, past, a, s);
      value += batch * panel_rows;
    }
    if (columns > 0) add_batch<false>(value, columns, past, a, s);
    value += columns * panel_rows;
  }

  T* const to = scratch +
                (((static_cast<std::int64_t>(wave) * shape.parts + part) * shape.tiles + t) * shape.panels + panel) *
                    group * panel_rows +
                lane;
#pragma unroll
  for (int g = 0; g < group; ++g) to[g * panel_rows] = s[g];
}

/// s += what the parts left, in the order of blocks and of the parts of each: a thread per row, g, tile and wave.
template <class T>
__global__ void __launch_bounds__(add_threads)
    add_parts_kernel(const Tile<T>* __restrict__ tiles, const __grid_constant__ ProductShape shape,
                     std::int32_t tiles_of_each, std::int32_t waves, std::int32_t group, const T* __restrict__ scratch,
                     const __grid_constant__ Sums<T> sums) {
  const std::int64_t of_tile = static_cast<std::int64_t>(shape.panels) * group * panel_rows;
  const std::int64_t of_block = tiles_of_each * of_tile;
  const std::int64_t of_part = shape.tiles * of_tile;
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * add_threads + threadIdx.x;
  const std::int64_t wave = number / of_block;
  if (wave >= waves) return;
  const std::int64_t place = number - wave * of_block;
  const auto lane = static_cast<std::int32_t>(place % panel_rows);
  const auto g = static_cast<std::int32_t>(place / panel_rows % group);
  const auto panel = static_cast<std::int32_t>(place / panel_rows / group % shape.panels);
  const Tile<T>& tile = tiles[place / panel_rows / group / shape.panels];
  const std::int32_t row = panel * panel_rows + lane;
  if (row >= tile.rows) return;
  T sum = 0;
  for (std::int64_t block = place; block < of_part; block += of_block)
    for (std::int32_t part = 0; part < shape.parts; ++part)
      sum += scratch[(wave * shape.parts + part) * of_part + block];
  sums.values[wave * sums.wave_stride + static_cast<std::int64_t>(tile.row_begin - sums.row_begin + row) * group + g] +=
      sum;
}

/// Thread blocks of both kernels.
inline std::uint32_t product_blocks(const ProductShape& shape, std::int32_t waves) {
  constexpr std::int32_t warps = product_threads / panel_rows;
  return static_cast<std::uint32_t>((shape.panels + warps - 1) / warps * shape.parts * shape.tiles * waves);
}
inline std::uint32_t add_blocks(const ProductShape& shape, std::int32_t tiles_of_each, std::int32_t group,
                                std::int32_t waves) {
  const std::int64_t elements = product_scratch({tiles_of_each, shape.panels, 1}, group, waves);
  return static_cast<std::uint32_t>((elements + add_threads - 1) / add_threads);
}

}  // namespace asterism::tdbem::cuda
