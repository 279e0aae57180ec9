// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector on the GPU, SELL-32: one warp a slice, one thread a row. The matrix streams
// through (evict first), the vector stays in the caches. Slices of diagonals have one column offset for all rows: 8
// bytes an entry instead of 12, and no load that waits for a column.
#include "base/cuda_check.hpp"
#include "codelets/cg/kernels/reduce.cuh"
#include "codelets/cg/kernels/team.cuh"

namespace asterism::cg::cuda {
namespace {

/// Entries loaded before the first is used, per thread.
constexpr int depth = 4;

/// Sum over one row, entries in their order: sum <- fma(value, x[column], sum).
__device__ inline double row_product(const double* __restrict__ value, const std::int32_t* __restrict__ column,
                                     std::int64_t width, const double* __restrict__ x, double sum) {
  std::int64_t k = 0;
  for (; k + depth <= width; k += depth) {
    double v[depth];
    double xs[depth];
    std::int32_t c[depth];
#pragma unroll
    for (int u = 0; u < depth; ++u) c[u] = __ldcs(column + (k + u) * slice_height);
#pragma unroll
    for (int u = 0; u < depth; ++u) v[u] = __ldcs(value + (k + u) * slice_height);
#pragma unroll
    for (int u = 0; u < depth; ++u) xs[u] = __ldg(x + c[u]);
#pragma unroll
    for (int u = 0; u < depth; ++u) sum = fma(v[u], xs[u], sum);
  }
  // the last entries, also loaded together
  double v[depth - 1];
  double xs[depth - 1];
#pragma unroll
  for (int u = 0; u < depth - 1; ++u) {
    v[u] = 0;
    xs[u] = 0;
    if (k + u < width) {
      v[u] = __ldcs(value + (k + u) * slice_height);
      xs[u] = __ldg(x + __ldcs(column + (k + u) * slice_height));
    }
  }
#pragma unroll
  for (int u = 0; u < depth - 1; ++u)
    if (k + u < width) sum = fma(v[u], xs[u], sum);
  return sum;
}

/// Sum over one row of a slice of diagonals: sum <- fma(value, x[row + offset], sum); x_row = x + row.
__device__ inline double diagonal_product(const double* __restrict__ value, const std::int32_t* __restrict__ offset,
                                          std::int64_t width, const double* __restrict__ x_row, double sum) {
  for (std::int64_t k = 0; k < width; k += depth) {
    double v[depth];
    double xs[depth];
#pragma unroll
    for (int u = 0; u < depth; ++u)
      if (k + u < width) {
        v[u] = __ldcs(value + (k + u) * slice_height);
        xs[u] = __ldg(x_row + __ldg(offset + k + u));
      }
#pragma unroll
    for (int u = 0; u < depth; ++u)
      if (k + u < width) sum = fma(v[u], xs[u], sum);
  }
  return sum;
}

template <ProductDot dot_kind, bool in_team = false>
__global__ void __launch_bounds__(threads)
    sell_kernel(SellView a, const double* __restrict__ x, double* __restrict__ y, bool accumulate,
                const double* __restrict__ p, Sum* p_dot_y, State* step, Workspace workspace, const Team* team) {
  const int lane = threadIdx.x % 32;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (threads / 32);
  Sums<1> dot;
  for (std::int64_t s = static_cast<std::int64_t>(blockIdx.x) * (threads / 32) + threadIdx.x / 32; s < a.slices;
       s += warps) {
    const std::int64_t begin = a.slice_begin[s];
    const std::int64_t width = (a.slice_begin[s + 1] - begin) / slice_height;
    const std::int64_t place = s * slice_height + lane;
    const std::int64_t row = a.row != nullptr ? a.row[place] : place < a.rows ? place : -1;
    const double before = accumulate && row >= 0 ? y[row] : 0;
    const double start = dot_kind == ProductDot::own ? 0 : before;
    const std::int64_t columns = a.slice_columns != nullptr ? a.slice_columns[s] : begin;
    const double* const value = a.value + begin + lane;
    const double sum = columns < 0 ? diagonal_product(value, a.column + ~columns, width, x + place, start)
                                   : row_product(value, a.column + columns + lane, width, x, start);
    if (row >= 0) {
      y[row] = dot_kind == ProductDot::own && accumulate ? before + sum : sum;
      if constexpr (dot_kind != ProductDot::none) add_product(dot.sum[0], p[row], sum);
    }
  }
  if constexpr (in_team) {
    if (!grid_add_to_last_block(dot, workspace)) return;
    const Sum total = exchange(*team, &Mailbox::p_dot_q, dot.sum[0]);
    if (threadIdx.x != 0) return;
    *p_dot_y = dot.sum[0];
    State s = *step;
    asterism::cg::alpha_step(s, total);
    *step = s;
  } else if constexpr (dot_kind != ProductDot::none)
    if (grid_add(dot, workspace)) {
      if (dot_kind == ProductDot::own && accumulate) add(dot.sum[0], *p_dot_y);
      *p_dot_y = dot.sum[0];
      if (step != nullptr) {
        State s = *step;
        asterism::cg::alpha_step(s, dot.sum[0]);
        *step = s;
      }
    }
}

int grid_for(std::int64_t slices) {
  const std::int64_t blocks = (slices + threads / 32 - 1) / (threads / 32);
  return static_cast<int>(blocks < 1 ? 1 : blocks < max_grid ? blocks : max_grid);
}

}  // namespace

void spmv(const SellView& a, const double* x, double* y, bool accumulate, cudaStream_t stream) {
  sell_kernel<ProductDot::none>
      <<<grid_for(a.slices), threads, 0, stream>>>(a, x, y, accumulate, nullptr, nullptr, nullptr, {}, nullptr);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

void spmv_dot(const SellView& a, const double* x, double* y, bool accumulate, const double* p, Sum* p_dot_y,
              Workspace workspace, cudaStream_t stream, ProductDot dot, State* step, const Team* team) {
  const int grid = grid_for(a.slices);
  const auto kernel = team != nullptr          ? sell_kernel<ProductDot::total, true>
                      : dot == ProductDot::own ? sell_kernel<ProductDot::own>
                                               : sell_kernel<ProductDot::total>;
  kernel<<<grid, threads, 0, stream>>>(a, x, y, accumulate, p, p_dot_y, step, workspace, team);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::cg::cuda
