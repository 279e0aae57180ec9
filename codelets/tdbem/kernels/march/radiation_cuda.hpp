// SPDX-License-Identifier: Apache-2.0
// The radiation stage on GPUs: asynchronous on a stream, all pointers to device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/march/radiation.hpp"

namespace asterism::tdbem::cuda {

/// As cpu::radiate.
template <class T>
void radiate(const NearRowsView<T>& near, std::int32_t g0, const Found<T>& found, const Sums<T>& sums,
             std::int32_t begin, std::int32_t end, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
