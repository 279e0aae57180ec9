// Marching on GPUs: asynchronous on a stream, all arrays in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/march.hpp"

namespace asterism::tdbem::cuda {

/// `partials`: in main memory, at most most_partials; what they point to in device memory.
template <class T>
void combine(const TotalsShape& shape, Begun begun, const PartialSums<T>* partials, std::int32_t count, T* totals,
             cudaStream_t stream);
template <class T>
void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r, cudaStream_t stream);
template <class T>
void extrapolate(std::int32_t rows, const T* last, const T* before, T* guess, cudaStream_t stream);
/// Both in device memory.
void add(SolveTally* tally, const Convergence* c, std::int64_t step, cudaStream_t stream);

/// The tiles of a block of slices where the block lies in device memory: count descriptors in `tiles`, from
/// `directory`, count entries in device memory that give the places of arrays in the block.
template <class T>
void place_tiles(const void* block, std::int64_t directory, std::int32_t count, Tile<T>* tiles, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
