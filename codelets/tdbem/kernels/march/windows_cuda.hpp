// SPDX-License-Identifier: Apache-2.0
// Moving windows on, on GPUs: asynchronous on a stream, windows and values in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/march/windows.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void move_on(const MovedBlocks<T>& windows, const Done<T>& done, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
