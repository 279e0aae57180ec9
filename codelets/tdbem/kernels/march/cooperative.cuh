// SPDX-License-Identifier: Apache-2.0
// Kernels all of whose thread blocks run at once, with so many rows for each thread.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <stdexcept>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/solve.cuh"

namespace asterism::tdbem::cuda {

struct WaitForGrid {
  __device__ void operator()() const { cooperative_groups::this_grid().sync(); }
};

inline const void* kernel_of_rows(std::int64_t rows_of_thread, const void* one, const void* four, const void* most) {
  if (rows_of_thread <= 1) return one;
  if (rows_of_thread <= 4) return four;
  if (rows_of_thread <= most_rows_of_thread) return most;
  throw std::invalid_argument("solve: too many rows for this GPU");
}

inline std::int64_t rows_of_each(std::int64_t rows, std::int64_t threads) {
  return (rows + threads - 1) / threads;
}

/// Thread blocks for the rows on the current device. kernel_for(rows of a thread)
template <class KernelFor>
std::int32_t blocks_of_rows(std::int32_t rows, const KernelFor& kernel_for) {
  int device = 0, processors = 0;
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  ASTERISM_CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  for (const int rows_of_thread : {1, 4, most_rows_of_thread}) {
    int per_processor = 0;
    ASTERISM_CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel_for(rows_of_thread), solve_threads, 0));
    const std::int64_t wanted = std::max<std::int64_t>(1, rows_of_each(rows, solve_threads * rows_of_thread));
    if (wanted <= processors * per_processor) return static_cast<std::int32_t>(wanted);
  }
  throw std::invalid_argument("solve: too many rows for this GPU");
}

}  // namespace asterism::tdbem::cuda
