// SPDX-License-Identifier: Apache-2.0
// Observers on GPUs: asynchronous on a stream, all arrays in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/waves/observe.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void observe(const ObserverView<T>& observers, const HistoryView<T>& history, std::int32_t begin, std::int32_t end,
             std::int32_t steps, T* p, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
