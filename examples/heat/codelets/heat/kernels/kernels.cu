// SPDX-License-Identifier: Apache-2.0
#include "base/cuda_check.hpp"
#include "codelets/heat/kernels/kernels.hpp"
#include "codelets/heat/kernels/point.hpp"

namespace asterism::heat::cuda {
namespace {

__global__ void step_kernel(Block block, StepData data) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < block.rows && j < block.columns) step_point(block, data, i, j);
}

}  // namespace

void step(const Block& block, const StepData& data, CUstream_st* stream) {
  const dim3 threads(32, 8);
  const dim3 blocks((block.columns + threads.x - 1) / threads.x, (block.rows + threads.y - 1) / threads.y);
  step_kernel<<<blocks, threads, 0, stream>>>(block, data);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::heat::cuda
