// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/solve.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <stdexcept>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/solve_cuda.hpp"

namespace asterism::tdbem::cuda {
namespace {

template <int per_thread, class T>
__global__ __launch_bounds__(solve_threads) void solve_kernel(const __grid_constant__ System<T> system) {
  conjugate_gradients<per_thread>(system, gridDim.x, [] { cooperative_groups::this_grid().sync(); });
}

template <class T>
const void* kernel_for(std::int64_t rows_of_thread) {
  if (rows_of_thread <= 1) return reinterpret_cast<const void*>(solve_kernel<1, T>);
  if (rows_of_thread <= 4) return reinterpret_cast<const void*>(solve_kernel<4, T>);
  if (rows_of_thread <= most_rows_of_thread) return reinterpret_cast<const void*>(solve_kernel<most_rows_of_thread, T>);
  throw std::invalid_argument("solve: too many rows for this GPU");
}

std::int64_t divided(std::int64_t rows, std::int64_t by) {
  return (rows + by - 1) / by;
}

}  // namespace

template <class T>
std::int32_t solve_blocks(std::int32_t rows) {
  int device = 0, processors = 0;
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  ASTERISM_CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  for (const int rows_of_thread : {1, 4, most_rows_of_thread}) {
    int per_processor = 0;
    ASTERISM_CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel_for<T>(rows_of_thread), solve_threads, 0));
    const std::int64_t wanted = std::max<std::int64_t>(1, divided(rows, solve_threads * rows_of_thread));
    if (wanted <= processors * per_processor) return static_cast<std::int32_t>(wanted);
  }
  throw std::invalid_argument("solve: too many rows for this GPU");
}

template <class T>
void solve(const CsrView<T>& m, const T* inverse_diagonal, const SolveLimits& limits, const T* s, const Guess<T>& guess,
           T* a, T* workspace, double* partials, std::int32_t blocks, SolveTally* tally, std::int64_t step,
           cudaStream_t stream) {
  System<T> system{m,   inverse_diagonal, limits, s, guess, a, reinterpret_cast<double*>(workspace), partials, tally,
                   step};
  void* arguments[] = {&system};
  ASTERISM_CHECK_CUDA(
      cudaLaunchCooperativeKernel(kernel_for<T>(divided(m.rows, static_cast<std::int64_t>(blocks) * solve_threads)),
                                  dim3(static_cast<unsigned>(blocks)), dim3(solve_threads), arguments, 0, stream));
}

template std::int32_t solve_blocks<double>(std::int32_t);
template std::int32_t solve_blocks<float>(std::int32_t);
template void solve(const CsrView<double>&, const double*, const SolveLimits&, const double*, const Guess<double>&,
                    double*, double*, double*, std::int32_t, SolveTally*, std::int64_t, cudaStream_t);
template void solve(const CsrView<float>&, const float*, const SolveLimits&, const float*, const Guess<float>&, float*,
                    float*, double*, std::int32_t, SolveTally*, std::int64_t, cudaStream_t);

}  // namespace asterism::tdbem::cuda
