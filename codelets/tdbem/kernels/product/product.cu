// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/product/product.cuh"

#include <stdexcept>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/product/product_cuda.hpp"
#include "codelets/tdbem/kernels/product/with_group.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void product(const Tile<T>* tiles, const ProductShape& shape, const WindowsOfBlocks<T>& windows, const Sums<T>& sums,
             T* scratch, cudaStream_t stream) {
  const std::int32_t group = windows.of[0].shape.group;
  const std::int32_t waves = windows.of[0].waves;
  if (group < 1 || group > max_group) throw std::invalid_argument("product: groups have 1 to 16 summation vectors");
  const std::uint32_t blocks = product_blocks(shape, waves);
  if (blocks == 0) return;
  with_group<max_group>(group, [&](auto n) {
    product_kernel<T, decltype(n)::value><<<blocks, product_threads, 0, stream>>>(tiles, shape, windows, scratch);
  });
  ASTERISM_CHECK_CUDA(cudaGetLastError());
  add_parts_kernel<T><<<add_blocks(shape, windows.tiles_of_each, group, waves), add_threads, 0, stream>>>(
      tiles, shape, windows.tiles_of_each, waves, group, scratch, sums);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void product(const Tile<double>*, const ProductShape&, const WindowsOfBlocks<double>&, const Sums<double>&,
                      double*, cudaStream_t);
template void product(const Tile<float>*, const ProductShape&, const WindowsOfBlocks<float>&, const Sums<float>&,
                      float*, cudaStream_t);

}  // namespace asterism::tdbem::cuda
