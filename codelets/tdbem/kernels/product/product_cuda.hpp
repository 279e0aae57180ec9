// SPDX-License-Identifier: Apache-2.0
// The summation stage on GPUs: asynchronous on a stream; the array of tiles, what these point to, windows, sums and
// scratch are in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::tdbem::cuda {

/// As cpu::product, for shape.tiles tiles of which no two of a block have a row in common and none has more than
/// shape.panels panels. `scratch`: product_scratch() elements, with nothing in them before or after. Bit-identical in
/// every run. Throws std::invalid_argument unless 1 <= group <= max_group.
template <class T>
void product(const Tile<T>* tiles, const ProductShape& shape, const WindowsOfBlocks<T>& windows, const Sums<T>& sums,
             T* scratch, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
