// SPDX-License-Identifier: Apache-2.0
// A thread has the same rows from step to step: their part of M^0 stays in shared memory, and nobody else adds to their
// sums. What a step adds to the next group's sums waits until all solutions are there: then near values are read once
// for all of them.
#pragma once

#include "codelets/tdbem/kernels/march/group_march.hpp"
#include "codelets/tdbem/kernels/march/solve.cuh"

namespace asterism::tdbem::cuda {

/// Adds M^k a^(n+g) of row i to sums[k], 0 < k <= lags <= most_lags. What takes time is that numbers come from memory
/// one after the other: those of some pairs are asked for together, and where the next ones are.
template <int most_lags, int pairs_at_once, class T>
__device__ inline void radiate_row(const NearRowsView<T>& near, std::int32_t i, std::int32_t lags, const T* a,
                                   T* sums) {
  const std::int32_t panel = (i - near.row_begin) / panel_rows;
  const std::int32_t lane = (i - near.row_begin) % panel_rows;
  const std::int64_t begin = near.begin[panel];
  const std::int32_t places = near.reached[static_cast<std::int64_t>(panel) * near.lags + lags - 1];
  const std::int32_t* const column = near.column + begin * panel_rows + lane;
  const T* const values = near.values + begin * near.lags * panel_rows + lane;
  const std::int64_t next = static_cast<std::int64_t>(near.lags) * panel_rows;
  T s[most_lags] = {};
  std::int32_t j[pairs_at_once];
#pragma unroll
  for (int u = 0; u < pairs_at_once; ++u) j[u] = u < places ? column[u * panel_rows] : -1;
  for (std::int32_t p = 0; p < places; p += pairs_at_once) {
    T found[pairs_at_once];
    T value[pairs_at_once][most_lags];
#pragma unroll
    for (int u = 0; u < pairs_at_once; ++u) {
      found[u] = j[u] < 0 ? T(0) : a[j[u]];
#pragma unroll
      for (int k = 0; k < most_lags; ++k)
        value[u][k] = k < lags && p + u < places ? values[(p + u) * next + k * panel_rows] : T(0);
    }
#pragma unroll
    for (int u = 0; u < pairs_at_once; ++u) {
      const std::int32_t q = p + pairs_at_once + u;
      j[u] = q < places ? column[static_cast<std::int64_t>(q) * panel_rows] : -1;
#pragma unroll
      for (int k = 0; k < most_lags; ++k) s[k] += value[u][k] * found[u];
    }
  }
#pragma unroll
  for (int k = 0; k < most_lags; ++k)
    if (k < lags) sums[k + 1] += s[k];
}
template <class T>
__device__ inline void radiate_row(const NearRowsView<T>& near, std::int32_t i, std::int32_t lags, const T* a,
                                   T* sums) {
  constexpr int few = max_group / 2 - 1;  // registers hold so many pairs then
  if (lags <= few)
    radiate_row<few, sizeof(T) == sizeof(float) ? 16 : 8>(near, i, lags, a, sums);
  else
    radiate_row<max_group - 1, 4>(near, i, lags, a, sums);
}

/// wait(): as in solve.cuh.
template <int per_thread, class T, class Wait>
__device__ inline void march_group(const GroupMarch<T>& m, unsigned blocks, const Wait& wait) {
  __shared__ KeptRows<T> rows;
  const TotalsShape& shape = m.shape;
  const std::int64_t line = static_cast<std::int64_t>(shape.rows) * shape.width;
  if (per_thread == 1) rows.keep(m.matrix, static_cast<std::int32_t>(blockIdx.x * solve_threads + threadIdx.x));
  for (std::int32_t g = 0; g < shape.group; ++g) {
    // M^0 a^(n+g) = l^(n+g) - s^(n+g)
    for (std::int32_t wave = 0; wave < shape.waves; ++wave) {
      const T* const totals = m.totals + wave * line;
      const T* const incident = m.illuminated ? m.incident[wave] : nullptr;
      each_row<per_thread>(shape.rows, blocks, [&](int, std::int32_t i) {
        const T lit = incident == nullptr ? T(0) : incident[static_cast<std::int64_t>(i) * shape.group + g];
        m.rhs[i] = lit - totals[static_cast<std::int64_t>(i) * shape.width + g];
      });
      T* const a = m.solutions + (static_cast<std::int64_t>(wave) * shape.group + g) * shape.rows;
      const System<T> system{m.matrix,
                             m.inverse_diagonal,
                             m.limits,
                             m.rhs,
                             guess_of<T>(shape.rows, shape.group, wave, g, m.solutions, m.other),
                             a,
                             m.shared,
                             m.partial,
                             m.tally,
                             m.step + g};
      conjugate_gradients<per_thread>(system, rows, blocks, wait);
      wait();
    }
    // s^(n+h) += M^(h-g) a^(n+g), g < h < group
    const std::int32_t lags = shape.group - 1 - g;
    for (std::int32_t wave = 0; wave < shape.waves && lags > 0; ++wave) {
      const T* const a = m.solutions + (static_cast<std::int64_t>(wave) * shape.group + g) * shape.rows;
      each_row<per_thread>(shape.rows, blocks, [&](int, std::int32_t i) {
        radiate_row(m.near, i, lags, a, m.totals + wave * line + static_cast<std::int64_t>(i) * shape.width + g);
      });
    }
  }
}

inline constexpr int radiate_on_warps = 8;
inline constexpr int radiate_on_threads = radiate_on_warps * panel_rows;

/// s^(n+h) += M^(h-g) a^(n+g) for all g < group <= h < 2 group: a thread block per panel of rows and wave, each of
/// whose warps takes some of the pairs, a row per lane.
template <class T, int group>
__global__ void __launch_bounds__(radiate_on_threads) radiate_on_kernel(const __grid_constant__ GroupMarch<T> m) {
  __shared__ T part[radiate_on_warps][group][panel_rows];
  const TotalsShape& shape = m.shape;
  const NearRowsView<T>& near = m.near;
  const auto wave = static_cast<std::int32_t>(blockIdx.x) % shape.waves;
  const auto panel = static_cast<std::int32_t>(blockIdx.x) / shape.waves;
  const std::int32_t lane = static_cast<std::int32_t>(threadIdx.x) % panel_rows;
  const std::int32_t warp = static_cast<std::int32_t>(threadIdx.x) / panel_rows;
  const std::int64_t begin = near.begin[panel];
  const std::int32_t places = near.reached[static_cast<std::int64_t>(panel) * near.lags + near.lags - 1];
  const T* const a = m.solutions + static_cast<std::int64_t>(wave) * group * shape.rows;
  T s[group] = {};
  for (std::int32_t p = warp; p < places; p += radiate_on_warps) {
    const std::int32_t j = near.column[(begin + p) * panel_rows + lane];
    const T* const values = near.values + (begin + p) * near.lags * panel_rows + lane;
    T value[2 * group];
#pragma unroll
    for (int k = 1; k < 2 * group; ++k) value[k] = values[(k - 1) * panel_rows];
#pragma unroll
    for (int g = 0; g < group; ++g) {
      const T found = a[static_cast<std::int64_t>(g) * shape.rows + j];
#pragma unroll
      for (int h = 0; h < group; ++h) s[h] += value[group + h - g] * found;
    }
  }
#pragma unroll
  for (int h = 0; h < group; ++h) part[warp][h][lane] = s[h];
  __syncthreads();
  for (int n = static_cast<int>(threadIdx.x); n < group * panel_rows; n += radiate_on_threads) {
    const std::int32_t i = panel * panel_rows + n % panel_rows;
    const int h = n / panel_rows;
    if (i >= shape.rows) continue;
    T sum = 0;
    for (int w = 0; w < radiate_on_warps; ++w) sum += part[w][h][n % panel_rows];
    m.totals[(static_cast<std::int64_t>(wave) * shape.rows + i) * shape.width + group + h] += sum;
  }
}

inline std::uint32_t radiate_on_blocks(const TotalsShape& shape) {
  return static_cast<std::uint32_t>((shape.rows + panel_rows - 1) / panel_rows * shape.waves);
}

}  // namespace asterism::tdbem::cuda
