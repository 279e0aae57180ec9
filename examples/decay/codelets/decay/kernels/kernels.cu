// SPDX-License-Identifier: Apache-2.0
#include "base/cuda_check.hpp"
#include "codelets/decay/kernels/kernels.hpp"

namespace asterism::decay::cuda {
namespace {

__global__ void step_kernel(Block block, StepData data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < block.points) data.u[i] *= block.factor;
}

}  // namespace

void step(const Block& block, const StepData& data, CUstream_st* stream) {
  const int threads = 256;
  step_kernel<<<(block.points + threads - 1) / threads, threads, 0, stream>>>(block, data);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::decay::cuda
