// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/group_march.cuh"

#include <stdexcept>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/cooperative.cuh"
#include "codelets/tdbem/kernels/march/group_march_cuda.hpp"
#include "codelets/tdbem/kernels/product/with_group.hpp"

namespace asterism::tdbem::cuda {
namespace {

template <int per_thread, class T>
__global__ __launch_bounds__(solve_threads) void march_kernel(const __grid_constant__ GroupMarch<T> march) {
  march_group<per_thread>(march, gridDim.x, WaitForGrid());
}

template <class T>
const void* march_kernel_for(std::int64_t rows_of_thread) {
  return kernel_of_rows(rows_of_thread, reinterpret_cast<const void*>(march_kernel<1, T>),
                        reinterpret_cast<const void*>(march_kernel<4, T>),
                        reinterpret_cast<const void*>(march_kernel<most_rows_of_thread, T>));
}

}  // namespace

template <class T>
void march_group(const GroupMarch<T>& march, cudaStream_t stream) {
  const TotalsShape& shape = march.shape;
  const std::int32_t most = shape.width > shape.group ? max_group / 2 : max_group;
  if (shape.group < 1 || shape.group > most) throw std::invalid_argument("march: groups have 1 to 16 steps, or 8");
  GroupMarch<T> copy = march;
  void* arguments[] = {&copy};
  const std::int32_t blocks = blocks_of_rows(shape.rows, march_kernel_for<T>);
  ASTERISM_CHECK_CUDA(cudaLaunchCooperativeKernel(
      march_kernel_for<T>(rows_of_each(shape.rows, static_cast<std::int64_t>(blocks) * solve_threads)),
      dim3(static_cast<unsigned>(blocks)), dim3(solve_threads), arguments, 0, stream));
  if (shape.width == shape.group) return;
  with_group<max_group / 2>(shape.group, [&](auto n) {
    radiate_on_kernel<T, decltype(n)::value><<<radiate_on_blocks(shape), radiate_on_threads, 0, stream>>>(march);
  });
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void march_group(const GroupMarch<double>&, cudaStream_t);
template void march_group(const GroupMarch<float>&, cudaStream_t);

}  // namespace asterism::tdbem::cuda
