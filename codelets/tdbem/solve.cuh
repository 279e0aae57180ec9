// Conjugate gradients in one kernel: all thread blocks go through the iterations together, and wait for each other
// three times in each. Sums go over the blocks' parts in the same order in every block, so all take the same decisions
// and the result does not depend on which block was first.
#pragma once

#include <cstdint>

#include "codelets/tdbem/solve.hpp"

namespace asterism::tdbem::cuda {

inline constexpr unsigned solve_threads = 256;

/// Arrays in device memory.
template <class T>
struct System {
  CsrView<T> matrix;
  const T* inverse_diagonal;
  SolveLimits limits;
  const T* s;
  T* a;
  T* workspace;     ///< solve_workspace() elements
  double* partial;  ///< solve_partials(blocks)
  Convergence* out;
};

/// Sums of a thread block, valid in all of its threads.
template <int count>
__device__ inline void block_sum(double (&sum)[count]) {
  __shared__ double shared[count][solve_threads];
  for (int c = 0; c < count; ++c) shared[c][threadIdx.x] = sum[c];
  __syncthreads();
  for (unsigned half = solve_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      for (int c = 0; c < count; ++c) shared[c][threadIdx.x] += shared[c][threadIdx.x + half];
    __syncthreads();
  }
  for (int c = 0; c < count; ++c) sum[c] = shared[c][0];
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

template <class T>
__device__ inline T row_times(const CsrView<T>& m, std::int32_t i, const T* x) {
  T sum = 0;
  for (std::int32_t k = m.start[i]; k < m.start[i + 1]; ++k) sum += m.value[k] * x[m.column[k]];
  return sum;
}

/// wait() returns when all threads of all `blocks` thread blocks have called it, and what they wrote is seen by all.
template <class T, class Wait>
__device__ inline void conjugate_gradients(const System<T>& system, unsigned blocks, const Wait& wait) {
  const CsrView<T>& m = system.matrix;
  const T* const inverse = system.inverse_diagonal;
  T* const r = system.workspace;
  T* const p = r + m.rows;
  T* const q = p + m.rows;
  // sums of one kind are two waits apart from their next use
  double* const curvatures = system.partial;
  double* const norms = system.partial + blocks;
  const auto each_row = [&](const auto& visit) {
    for (std::int64_t i = blockIdx.x * solve_threads + threadIdx.x; i < m.rows; i += blocks * solve_threads)
      visit(static_cast<std::int32_t>(i));
  };

  double now[3] = {};  // r . D^-1 r, r . r, s . s
  each_row([&](std::int32_t i) {
    const T rest = system.s[i] - row_times(m, i, system.a);
    r[i] = rest;
    p[i] = 0;
    const double square = static_cast<double>(rest) * static_cast<double>(rest);
    now[0] += static_cast<double>(inverse[i]) * square;
    now[1] += square;
    now[2] += static_cast<double>(system.s[i]) * static_cast<double>(system.s[i]);
  });
  grid_sum(now, blocks, norms, wait);
  const double scale = now[2];
  Convergence c;
  if (scale == 0) each_row([&](std::int32_t i) { system.a[i] = 0; });
  double before = now[0];
  for (; scale != 0; ++c.iterations) {
    c.residual = sqrt(now[1] / scale);
    if (c.residual <= system.limits.tolerance) break;
    c.ending = Ending::breakdown;
    if (!(c.residual < HUGE_VAL)) break;
    if (c.iterations == system.limits.most_iterations) {
      c.ending = Ending::most_iterations;
      break;
    }
    const T beta = static_cast<T>(now[0] / before);
    each_row([&](std::int32_t i) { p[i] = inverse[i] * r[i] + beta * p[i]; });
    wait();
    double curvature[1] = {};
    each_row([&](std::int32_t i) {
      const T value = row_times(m, i, p);
      q[i] = value;
      curvature[0] += static_cast<double>(p[i]) * static_cast<double>(value);
    });
    grid_sum(curvature, blocks, curvatures, wait);
    if (!(curvature[0] > 0)) break;
    c.ending = Ending::converged;
    before = now[0];
    const T alpha = static_cast<T>(before / curvature[0]);
    double next[2] = {};
    each_row([&](std::int32_t i) {
      system.a[i] += alpha * p[i];
      const T rest = r[i] - alpha * q[i];
      r[i] = rest;
      const double square = static_cast<double>(rest) * static_cast<double>(rest);
      next[0] += static_cast<double>(inverse[i]) * square;
      next[1] += square;
    });
    grid_sum(next, blocks, norms, wait);
    now[0] = next[0];
    now[1] = next[1];
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *system.out = c;
}

}  // namespace asterism::tdbem::cuda
