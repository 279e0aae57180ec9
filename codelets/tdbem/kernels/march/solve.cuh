// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients in one kernel: all thread blocks go through the iterations together. What takes time is that they
// wait for each other, three times per iteration in the usual order of operations; P. Ghysels and W. Vanroose (Parallel
// Computing 40 (2014), algorithm 4) find the same iterates by longer recurrences, with which once is enough. Those lose
// digits, which computing in double whatever T makes good. Sums go over the blocks' parts in the same order in every
// block, so all take the same decisions and the result does not depend on which block was first.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/march/partial_sums.hpp"
#include "codelets/tdbem/kernels/march/solve.hpp"

namespace asterism::tdbem::cuda {

inline constexpr unsigned solve_threads = 64;
/// Rows of a thread at most, whose vectors it has in registers.
inline constexpr int most_rows_of_thread = 16;

/// Arrays in device memory.
template <class T>
struct System {
  CsrView<T> matrix;
  const T* inverse_diagonal;
  SolveLimits limits;
  const T* s;
  Guess<T> guess;
  T* a;
  double* shared;   ///< 2 rows
  double* partial;  ///< solve_partials(blocks)
  SolveTally* tally;
  std::int64_t step;
};

/// Sums of a thread block, valid in all of its threads.
template <int count>
__device__ inline void block_sum(double (&sum)[count]) {
#ifdef __CUDA_ARCH__
  constexpr unsigned warp = 32;
  __shared__ double of_warp[count][solve_threads / warp];
  for (int c = 0; c < count; ++c) {
    for (unsigned half = warp / 2; half > 0; half /= 2) sum[c] += __shfl_down_sync(~0U, sum[c], half);
    if (threadIdx.x % warp == 0) of_warp[c][threadIdx.x / warp] = sum[c];
  }
  __syncthreads();
  for (int c = 0; c < count; ++c) {
    sum[c] = 0;
    for (unsigned w = 0; w < solve_threads / warp; ++w) sum[c] += of_warp[c][w];
  }
#else
  __shared__ double of_thread[count][solve_threads];
  for (int c = 0; c < count; ++c) of_thread[c][threadIdx.x] = sum[c];
  __syncthreads();
  for (int c = 0; c < count; ++c) {
    sum[c] = 0;
    for (unsigned t = 0; t < solve_threads; ++t) sum[c] += of_thread[c][t];
  }
#endif
  __syncthreads();
}

/// Sums of the grid, valid in all of its threads. `partial`: count * blocks numbers that nobody reads any more.
template <int count, class Wait>
__device__ inline void grid_sum(double (&sum)[count], unsigned blocks, double* partial, const Wait& wait) {
  block_sum(sum);
  if (threadIdx.x == 0)
    for (int c = 0; c < count; ++c) partial[c * blocks + blockIdx.x] = sum[c];
  wait();
  for (int c = 0; c < count; ++c) {
    sum[c] = 0;
    for (unsigned b = threadIdx.x; b < blocks; b += solve_threads) sum[c] += partial[c * blocks + b];
  }
  block_sum(sum);
}

/// The first values of each thread's row, where it has them beside those of the other threads: what lies one after the
/// other in memory would take the cache as many accesses as there are threads.
template <class T>
struct KeptRows {
  static constexpr int kept = 40;
  static constexpr int at_once = 20;
  std::int32_t column[kept][solve_threads];
  T value[kept][solve_threads];

  /// Row i, for every thread.
  __device__ void keep(const CsrView<T>& m, std::int32_t i) {
    const std::int32_t begin = i < m.rows ? m.start[i] : 0;
    const std::int32_t end = i < m.rows ? m.start[i + 1] : 0;
    for (int k = 0; k < kept; ++k) {
      const bool inside = begin + k < end;
      column[k][threadIdx.x] = inside ? m.column[begin + k] : 0;
      value[k][threadIdx.x] = inside ? m.value[begin + k] : T(0);
    }
  }
  /// Row i that was kept: sum of value x element(column).
  template <class Element>
  __device__ double times(const CsrView<T>& m, std::int32_t i, const Element& element) const {
    const std::int32_t begin = m.start[i];
    const std::int32_t length = m.start[i + 1] - begin;
    double sum = 0;
    for (int k = 0; k < kept && k < length; k += at_once) {
      double of[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) of[u] = element(column[k + u][threadIdx.x]);
#pragma unroll
      for (int u = 0; u < at_once; ++u) sum += static_cast<double>(value[k + u][threadIdx.x]) * of[u];
    }
    for (std::int32_t k = kept; k < length; k += at_once) {
      double of[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const bool inside = k + u < length;
        of[u] = inside ? static_cast<double>(m.value[begin + k + u]) * element(m.column[begin + k + u]) : 0;
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) sum += of[u];
    }
    return sum;
  }
};

/// sum over the row's values of value x element(column)
template <class T, class Element>
__device__ inline double row_times(const CsrView<T>& m, std::int32_t i, const Element& element) {
  double sum = 0;
  for (std::int32_t k = m.start[i]; k < m.start[i + 1]; ++k)
    sum += static_cast<double>(m.value[k]) * element(m.column[k]);
  return sum;
}

/// Calls visit(k, i) for the rows of the calling thread, k < per_thread.
template <int per_thread, class Visit>
__device__ inline void each_row(std::int32_t rows, unsigned blocks, const Visit& visit) {
  const auto first = static_cast<std::int32_t>(blockIdx.x * solve_threads + threadIdx.x);
  const auto stride = static_cast<std::int32_t>(blocks * solve_threads);
#pragma unroll
  for (int k = 0; k < per_thread; ++k)
    if (const std::int32_t i = first + k * stride; i < rows) visit(k, i);
}

/// wait() returns when all threads of all `blocks` thread blocks have called it, and what they wrote is seen by all.
/// A thread has `per_thread` rows at most; a single one is among those that its block keeps. Right-hand sides are read
/// by the threads that have their rows.
template <int per_thread, class T, class Wait>
__device__ inline void conjugate_gradients(const System<T>& system, const KeptRows<T>& rows, unsigned blocks,
                                           const Wait& wait) {
  const CsrView<T>& m = system.matrix;
  double* const shared[2] = {system.shared, system.shared + m.rows};
  double* const partial[2] = {system.partial, system.partial + 3 * blocks};
  const auto each_row = [&](const auto& visit) { cuda::each_row<per_thread>(m.rows, blocks, visit); };
  const auto times = [&](std::int32_t i, const auto& element) {
    return per_thread == 1 ? rows.times(m, i, element) : row_times(m, i, element);
  };
  // x and, with D for the diagonal: r = s - M x, u = D^-1 r, w = M u; p direction of x, and M p, D^-1 M p, M D^-1 M p
  double x[per_thread] = {}, r[per_thread] = {}, u[per_thread] = {}, w[per_thread] = {}, inverse[per_thread] = {};
  double p[per_thread] = {}, mp[per_thread] = {}, dmp[per_thread] = {}, mdmp[per_thread] = {};

  double scale[1] = {};
  each_row([&](int k, std::int32_t i) {
    const auto rhs = static_cast<double>(system.s[i]);
    inverse[k] = static_cast<double>(system.inverse_diagonal[i]);
    x[k] = system.guess(i);
    r[k] = rhs - times(i, system.guess);
    u[k] = inverse[k] * r[k];
    shared[1][i] = u[k];
    scale[0] += rhs * rhs;
  });
  grid_sum(scale, blocks, partial[1], wait);
  each_row([&](int k, std::int32_t i) { w[k] = times(i, [&](std::int32_t j) { return shared[1][j]; }); });

  Convergence c;
  if (scale[0] == 0) each_row([&](int k, std::int32_t) { x[k] = 0; });
  double alpha = 0, before = 0;
  for (; scale[0] != 0; ++c.iterations) {
    double* const z = shared[c.iterations % 2];  // D^-1 w
    double sum[3] = {};                          // r . u, w . u, r . r
    each_row([&](int k, std::int32_t i) {
      z[i] = inverse[k] * w[k];
      sum[0] += r[k] * u[k];
      sum[1] += w[k] * u[k];
      sum[2] += r[k] * r[k];
    });
    grid_sum(sum, blocks, partial[c.iterations % 2], wait);
    c.residual = sqrt(sum[2] / scale[0]);
    if (c.residual <= system.limits.tolerance) break;
    c.ending = Ending::breakdown;
    if (!(c.residual < HUGE_VAL)) break;
    if (c.iterations == system.limits.most_iterations) {
      c.ending = Ending::most_iterations;
      break;
    }
    const double beta = c.iterations == 0 ? 0 : sum[0] / before;
    const double curvature = c.iterations == 0 ? sum[1] : sum[1] - beta * sum[0] / alpha;  // p . M p
    if (!(curvature > 0)) break;
    c.ending = Ending::converged;
    before = sum[0];
    alpha = before / curvature;
    each_row([&](int k, std::int32_t i) {
      mdmp[k] = times(i, [&](std::int32_t j) { return z[j]; }) + beta * mdmp[k];
      dmp[k] = inverse[k] * w[k] + beta * dmp[k];
      mp[k] = w[k] + beta * mp[k];
      p[k] = u[k] + beta * p[k];
      x[k] += alpha * p[k];
      r[k] -= alpha * mp[k];
      u[k] -= alpha * dmp[k];
      w[k] -= alpha * mdmp[k];
    });
  }
  each_row([&](int k, std::int32_t i) { system.a[i] = static_cast<T>(x[k]); });
  if (blockIdx.x == 0 && threadIdx.x == 0) add(*system.tally, c, system.step);
}
template <int per_thread, class T, class Wait>
__device__ inline void conjugate_gradients(const System<T>& system, unsigned blocks, const Wait& wait) {
  __shared__ KeptRows<T> rows;
  if (per_thread == 1) rows.keep(system.matrix, static_cast<std::int32_t>(blockIdx.x * solve_threads + threadIdx.x));
  conjugate_gradients<per_thread>(system, rows, blocks, wait);
}

}  // namespace asterism::tdbem::cuda
