// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/transfers.cuh"

#include "codelets/lbm/kernels/copy.hpp"
#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/kernels/launch.cuh"

namespace asterism::lbm::cuda {
namespace {

template <class Element>
Arrays<Element> describe(const Transfers& transfers, Element* const* arrays) {
  Arrays<Element> all{};
  for (int t = 0; t < transfers.count; ++t) {
    const Transfer& transfer = transfers.transfer[t];
    Array<Element>& a = all.array[t];
    a.cells = static_cast<std::uint32_t>(transfer.box.cells());
    for (int k = 0; k < crossing; ++k) a.slots[k] = transfer.slots[k];
    a.data = arrays[t];
  }
  return all;
}

ThreadCells cells_of(const Transfers& transfers) {
  return thread_cells(transfers.count, [&](int t) { return transfers.transfer[t].box; });
}

}  // namespace

template <class T>
void pack(const Brick& brick, const Transfers& transfers, const T* f, T* const* arrays, cudaStream_t stream) {
  const ThreadCells cells = cells_of(transfers);
  launch(pack_kernel<T>, cells, transfer_threads, stream, describe(transfers, arrays), brick, cells, f);
}

template <class T>
void unpack(const Brick& brick, const Transfers& transfers, const T* const* arrays, T* f, cudaStream_t stream) {
  const ThreadCells cells = cells_of(transfers);
  launch(unpack_kernel<T>, cells, transfer_threads, stream, describe(transfers, arrays), brick, cells, f);
}

template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array, cudaStream_t stream) {
  const ThreadCells cells = thread_cells(1, [&](int) { return box; });
  launch(store_kernel<T>, cells, transfer_threads, stream, brick, cells, f, array);
}

template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f, cudaStream_t stream) {
  const ThreadCells cells = thread_cells(1, [&](int) { return box; });
  launch(load_kernel<T>, cells, transfer_threads, stream, brick, cells, array, f);
}

template void store(const Brick&, const Box&, const double*, double*, cudaStream_t);
template void store(const Brick&, const Box&, const float*, float*, cudaStream_t);
template void store(const Brick&, const Box&, const Float16*, Float16*, cudaStream_t);
template void load(const Brick&, const Box&, const double*, double*, cudaStream_t);
template void load(const Brick&, const Box&, const float*, float*, cudaStream_t);
template void load(const Brick&, const Box&, const Float16*, Float16*, cudaStream_t);
template void pack(const Brick&, const Transfers&, const double*, double* const*, cudaStream_t);
template void pack(const Brick&, const Transfers&, const float*, float* const*, cudaStream_t);
template void pack(const Brick&, const Transfers&, const Float16*, Float16* const*, cudaStream_t);
template void unpack(const Brick&, const Transfers&, const double* const*, double*, cudaStream_t);
template void unpack(const Brick&, const Transfers&, const float* const*, float*, cudaStream_t);
template void unpack(const Brick&, const Transfers&, const Float16* const*, Float16*, cudaStream_t);

}  // namespace asterism::lbm::cuda
