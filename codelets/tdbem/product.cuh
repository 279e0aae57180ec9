// A warp per panel, part of the slices and wave, a row per lane with its `group` sums in registers. The values of a
// panel's slices are one stream of columns: each lane asks for those of the next batch while it adds the last one, so
// that memory is never idle, and slices may begin anywhere in a batch. From a column to the next the window moves by
// one element, which takes the place of the one that is left behind in a ring of registers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codelets/host_device.hpp"
#include "codelets/tdbem/product.hpp"

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

/// The slices of a panel that a warp adds, one after the other.
template <class T>
struct SliceStream {
  const std::uint32_t* end;    ///< of the slice that is next, in Tile::start
  const std::uint16_t* first;  ///< of the lane's row in it
  const T* present;            ///< times n of its window
  std::int64_t stride;
  std::int32_t slices;  ///< not begun
  std::int32_t left;    ///< columns of the slice begun
  const T* past;        ///< what its next column meets, at g = 0
  std::uint32_t next_start;
  std::uint32_t next_end;
  std::int32_t next_first;

  /// The next slice's description is asked for long before it is needed.
  __device__ void fetch() {
    if (slices == 0) return;
    next_start = next_end;
    next_end = *end++;
    next_first = *first;
    first += panel_rows;
  }
  /// To the next slice that has columns.
  __device__ void begin_slice() {
    do {
      left = static_cast<std::int32_t>(next_end - next_start);
      past = present - next_first;
      present += stride;
      --slices;
      fetch();
    } while (left == 0);
  }
};

/// scratch[((wave * parts + part) * panels + panel of all tiles) * group + g][lane]
template <class T, int group>
__global__ void __launch_bounds__(product_threads)
    product_kernel(const Tile<T>* __restrict__ tiles, const __grid_constant__ ProductShape shape,
                   const __grid_constant__ Windows<T> windows, T* __restrict__ scratch) {
  constexpr int warps = product_threads / panel_rows;
  constexpr int batch = batch_columns(group);
  // Waves beside each other, as they read the same values; then panels that read neighbouring parts of windows.
  const std::int32_t wave = static_cast<std::int32_t>(blockIdx.x) % windows.waves;
  const std::int32_t rest = static_cast<std::int32_t>(blockIdx.x) / windows.waves;
  const std::int32_t groups = (shape.panels + warps - 1) / warps;
  const std::int32_t panel = rest % groups * warps + static_cast<std::int32_t>(threadIdx.x) / panel_rows;
  const std::int32_t part = rest / groups % shape.parts;
  const std::int32_t t = rest / groups / shape.parts;
  const Tile<T>* const tile = tiles + t;
  if (panel >= tile->panels()) return;

  const std::int32_t slices = tile->slices;
  const auto begin = static_cast<std::int32_t>(static_cast<std::int64_t>(slices) * part / shape.parts);
  const auto end = static_cast<std::int32_t>(static_cast<std::int64_t>(slices) * (part + 1) / shape.parts);
  const int lane = static_cast<int>(threadIdx.x) % panel_rows;
  const std::uint32_t* const start = tile->start + static_cast<std::int64_t>(panel) * slices;
  SliceStream<T> stream{};
  stream.end = start + begin + 1;
  stream.first = tile->first + (static_cast<std::int64_t>(panel) * slices + begin) * panel_rows + lane;
  stream.present = windows.values + wave * windows.wave_stride + windows.shape.reach +
                   (tile->slice_begin + begin - windows.slice_begin) * windows.shape.stride;
  stream.stride = windows.shape.stride;
  stream.slices = end - begin;
  stream.next_end = start[begin];
  stream.fetch();

  const T* value = tile->values + static_cast<std::int64_t>(start[begin]) * panel_rows + lane;
  T s[group] = {};
  T a[group] = {};  // window element past[g - columns done] at (g - columns done) mod group
  T asked[batch];
  auto columns = static_cast<std::int32_t>(start[end] - start[begin]);  // not added yet
#pragma unroll
  for (int u = 0; u < batch; ++u) asked[u] = u < columns ? streamed(value + u * panel_rows) : T(0);
  for (; columns > 0; columns -= batch) {
    T v[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) v[u] = asked[u];
    value += batch * panel_rows;
#pragma unroll
    for (int u = 0; u < batch; ++u) asked[u] = batch + u < columns ? streamed(value + u * panel_rows) : T(0);
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      if (u < columns) {  // the same for the whole warp, as is the next
        if (stream.left == 0) {
          stream.begin_slice();
#pragma unroll
          for (int g = 1; g < group; ++g) a[(g + batch - u) % group] = stream.past[g];
        }
        a[(batch - u) % group] = *stream.past;
        --stream.past;
        --stream.left;
#pragma unroll
        for (int g = 0; g < group; ++g) s[g] += v[u] * a[(g + batch - u) % group];
      }
    }
  }

  T* const to = scratch +
                (((static_cast<std::int64_t>(wave) * shape.parts + part) * shape.tiles + t) * shape.panels + panel) *
                    group * panel_rows +
                lane;
#pragma unroll
  for (int g = 0; g < group; ++g) to[g * panel_rows] = s[g];
}

/// s += what the parts left, in their order: a thread per row, g, tile and wave.
template <class T>
__global__ void __launch_bounds__(add_threads)
    add_parts_kernel(const Tile<T>* __restrict__ tiles, const __grid_constant__ ProductShape shape, std::int32_t waves,
                     std::int32_t group, const T* __restrict__ scratch, const __grid_constant__ Sums<T> sums) {
  const std::int64_t of_wave = static_cast<std::int64_t>(shape.tiles) * shape.panels * group * panel_rows;
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * add_threads + threadIdx.x;
  const std::int64_t wave = number / of_wave;
  if (wave >= waves) return;
  const std::int64_t place = number - wave * of_wave;
  const auto lane = static_cast<std::int32_t>(place % panel_rows);
  const auto g = static_cast<std::int32_t>(place / panel_rows % group);
  const auto panel = static_cast<std::int32_t>(place / panel_rows / group % shape.panels);
  const Tile<T>& tile = tiles[place / panel_rows / group / shape.panels];
  const std::int32_t row = panel * panel_rows + lane;
  if (row >= tile.rows) return;
  T sum = 0;
  for (std::int32_t part = 0; part < shape.parts; ++part) sum += scratch[(wave * shape.parts + part) * of_wave + place];
  sums.values[wave * sums.wave_stride + static_cast<std::int64_t>(tile.row_begin - sums.row_begin + row) * group + g] +=
      sum;
}

/// Thread blocks of both kernels.
inline std::uint32_t product_blocks(const ProductShape& shape, std::int32_t waves) {
  constexpr std::int32_t warps = product_threads / panel_rows;
  return static_cast<std::uint32_t>((shape.panels + warps - 1) / warps * shape.parts * shape.tiles * waves);
}
inline std::uint32_t add_blocks(const ProductShape& shape, std::int32_t group, std::int32_t waves) {
  const std::int64_t elements = product_scratch({shape.tiles, shape.panels, 1}, group, waves);
  return static_cast<std::uint32_t>((elements + add_threads - 1) / add_threads);
}

}  // namespace asterism::tdbem::cuda
