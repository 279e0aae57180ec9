// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/cuda_check.hpp"
#include "codelets/fmm/kernels/near/reduction_cuda.hpp"

namespace asterism::fmm::cuda {
namespace {

constexpr int threads = 256;
constexpr int most_blocks = 1024;

/// Blocks take pieces of the parts in turn; a part that is the whole group is divided among all of them.
__global__ void __launch_bounds__(threads)
    add(const ReductionSet* sets, int count, int set, const double* near, std::int64_t own, double* result) {
  const ReductionSet here = sets[set];
  const int end = sets[set + 1].first_part;
  const auto* part = reinterpret_cast<const ReductionPart*>(sets + count + 1);
  const bool single = end - here.first_part == 1;
  for (int p = here.first_part + (single ? 0 : static_cast<int>(blockIdx.x)); p < end; p += single ? 1 : gridDim.x) {
    const ReductionPart run = part[p];
    for (int i = static_cast<int>(threadIdx.x) + (single ? static_cast<int>(blockIdx.x) * threads : 0); i < run.count;
         i += threads * (single ? static_cast<int>(gridDim.x) : 1))
      for (int component = 0; component < 4; ++component)
        result[component * own + run.to + i] +=
            near[component * static_cast<std::int64_t>(here.particles) + run.from + i];
  }
}

}  // namespace

void reduce(const ReductionSet* sets, std::int32_t count, std::int32_t set, std::int32_t parts, const double* near,
            std::int64_t own, double* result, cudaStream_t stream) {
  const auto for_one = static_cast<int>((own + threads - 1) / threads);
  const int blocks = std::clamp(std::max(parts, for_one), 1, most_blocks);
  add<<<blocks, threads, 0, stream>>>(sets, count, set, near, own, result);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::fmm::cuda
