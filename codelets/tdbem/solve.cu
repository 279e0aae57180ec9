#include "codelets/tdbem/solve.cuh"

#include <cooperative_groups.h>

#include <algorithm>

#include "codelets/tdbem/solve_cuda.hpp"
#include "taskflows/runtime/cuda_check.hpp"

namespace asterism::tdbem::cuda {
namespace {

template <class T>
__global__ __launch_bounds__(solve_threads) void solve_kernel(const __grid_constant__ System<T> system) {
  conjugate_gradients(system, gridDim.x, [] { cooperative_groups::this_grid().sync(); });
}

}  // namespace

template <class T>
std::int32_t solve_blocks(std::int32_t rows) {
  int device = 0, processors = 0, per_processor = 0;
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  ASTERISM_CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  ASTERISM_CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, solve_kernel<T>, solve_threads, 0));
  const std::int32_t most = processors * per_processor;
  const auto wanted = static_cast<std::int32_t>((rows + solve_threads - 1) / solve_threads);
  return std::max(1, std::min(most, wanted));
}

template <class T>
void solve(const CsrView<T>& m, const T* inverse_diagonal, const SolveLimits& limits, const T* s, T* a, T* workspace,
           double* partials, std::int32_t blocks, Convergence* out, cudaStream_t stream) {
  System<T> system{m, inverse_diagonal, limits, s, a, workspace, partials, out};
  void* arguments[] = {&system};
  ASTERISM_CHECK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(solve_kernel<T>),
                                                  dim3(static_cast<unsigned>(blocks)), dim3(solve_threads), arguments,
                                                  0, stream));
}

template std::int32_t solve_blocks<double>(std::int32_t);
template std::int32_t solve_blocks<float>(std::int32_t);
template void solve(const CsrView<double>&, const double*, const SolveLimits&, const double*, double*, double*, double*,
                    std::int32_t, Convergence*, cudaStream_t);
template void solve(const CsrView<float>&, const float*, const SolveLimits&, const float*, float*, float*, double*,
                    std::int32_t, Convergence*, cudaStream_t);

}  // namespace asterism::tdbem::cuda
