// SPDX-License-Identifier: Apache-2.0
// Return codes of CUDA calls turned into exceptions. Plain enough for nvcc: no formatting library.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace asterism {

inline void check_cuda(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

}  // namespace asterism

#define ASTERISM_CHECK_CUDA(call) ::asterism::check_cuda((call), #call)
