// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/solve.cuh"

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/cooperative.cuh"
#include "codelets/tdbem/kernels/march/solve_cuda.hpp"

namespace asterism::tdbem::cuda {
namespace {

template <int per_thread, class T>
__global__ __launch_bounds__(solve_threads) void solve_kernel(const __grid_constant__ System<T> system) {
  conjugate_gradients<per_thread>(system, gridDim.x, WaitForGrid());
}

template <class T>
const void* kernel_for(std::int64_t rows_of_thread) {
  return kernel_of_rows(rows_of_thread, reinterpret_cast<const void*>(solve_kernel<1, T>),
                        reinterpret_cast<const void*>(solve_kernel<4, T>),
                        reinterpret_cast<const void*>(solve_kernel<most_rows_of_thread, T>));
}

}  // namespace

template <class T>
std::int32_t solve_blocks(std::int32_t rows) {
  return blocks_of_rows(rows, kernel_for<T>);
}

template <class T>
void solve(const CsrView<T>& m, const T* inverse_diagonal, const SolveLimits& limits, const T* s, const Guess<T>& guess,
           T* a, T* workspace, double* partials, std::int32_t blocks, SolveTally* tally, std::int64_t step,
           cudaStream_t stream) {
  System<T> system{m,   inverse_diagonal, limits, s, guess, a, reinterpret_cast<double*>(workspace), partials, tally,
                   step};
  void* arguments[] = {&system};
  ASTERISM_CHECK_CUDA(cudaLaunchCooperativeKernel(
      kernel_for<T>(rows_of_each(m.rows, static_cast<std::int64_t>(blocks) * solve_threads)),
      dim3(static_cast<unsigned>(blocks)), dim3(solve_threads), arguments, 0, stream));
}

template std::int32_t solve_blocks<double>(std::int32_t);
template std::int32_t solve_blocks<float>(std::int32_t);
template void solve(const CsrView<double>&, const double*, const SolveLimits&, const double*, const Guess<double>&,
                    double*, double*, double*, std::int32_t, SolveTally*, std::int64_t, cudaStream_t);
template void solve(const CsrView<float>&, const float*, const SolveLimits&, const float*, const Guess<float>&, float*,
                    float*, double*, std::int32_t, SolveTally*, std::int64_t, cudaStream_t);

}  // namespace asterism::tdbem::cuda
