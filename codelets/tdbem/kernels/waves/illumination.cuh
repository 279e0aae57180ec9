// SPDX-License-Identifier: Apache-2.0
// A thread for each row and step: sums are in the order of CPUs, whatever the grid.
#pragma once

#include "codelets/tdbem/kernels/waves/illuminate_row.hpp"

namespace asterism::tdbem::cuda {

inline constexpr std::uint32_t illuminate_threads = 128;

template <class T>
__global__ void illuminate_kernel(const __grid_constant__ SurfaceView surface,
                                  const __grid_constant__ Illumination incident, Steps steps, std::int32_t begin,
                                  std::int32_t end, T* out) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * illuminate_threads + threadIdx.x;
  if (at >= static_cast<std::int64_t>(end - begin) * steps.count) return;
  double sum = 0;
  illuminate_row(surface, incident, steps.dt, steps.first + at % steps.count, 1,
                 begin + static_cast<std::int32_t>(at / steps.count), &sum);
  out[at] = static_cast<T>(sum);
}

}  // namespace asterism::tdbem::cuda
