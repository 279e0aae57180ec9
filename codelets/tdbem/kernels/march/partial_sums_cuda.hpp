// SPDX-License-Identifier: Apache-2.0
// Marching on GPUs: asynchronous on a stream, all arrays in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/march/partial_sums.hpp"
#include "codelets/tdbem/kernels/product/block.hpp"

namespace asterism::tdbem::cuda {

/// `partials`: in main memory, at most most_partials; what they point to in device memory.
template <class T>
void combine(const TotalsShape& shape, Begun begun, const PartialSums<T>* partials, std::int32_t count, T* totals,
             cudaStream_t stream);
template <class T>
void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r, cudaStream_t stream);

/// The tiles of blocks of slices where these lie in device memory: `of_each` descriptors of each block in `tiles`.
template <class T>
void place_tiles(const Directories& blocks, std::int32_t of_each, Tile<T>* tiles, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
