// SPDX-License-Identifier: Apache-2.0
// Products with the blocks of Full-Blocking on GPUs: asynchronous on a stream, all pointers to device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/product/full_blocking.hpp"

namespace asterism::tdbem::cuda {

/// As cpu::full_blocks_product. Blocks add to the sums in no order, so that rounding differs between runs.
template <class T>
void full_blocks_product(const FullBlocksView<T>& blocks, const Windows<T>& windows, const Sums<T>& sums,
                         cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
