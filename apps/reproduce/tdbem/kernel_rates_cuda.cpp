// SPDX-License-Identifier: Apache-2.0
// The same on the first GPU, where Asterism is built with CUDA.
#include "apps/reproduce/tdbem/kernel_rates.hpp"

#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/product/full_blocking_cuda.hpp"
#include "codelets/tdbem/kernels/product/product_cuda.hpp"
#endif

namespace asterism::apps::reproduce {

using namespace asterism::tdbem;

#ifdef ASTERISM_CUDA
namespace {

bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

struct Release {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using OnGpu = std::unique_ptr<T[], Release>;

template <class T>
OnGpu<T> room(std::size_t elements) {
  void* memory = nullptr;
  ASTERISM_CHECK_CUDA(cudaMalloc(&memory, std::max<std::size_t>(elements, 1) * sizeof(T)));
  ASTERISM_CHECK_CUDA(cudaMemset(memory, 0, elements * sizeof(T)));
  return OnGpu<T>(static_cast<T*>(memory));
}
template <class T>
OnGpu<T> upload(const std::vector<T>& values) {
  OnGpu<T> memory = room<T>(values.size());
  ASTERISM_CHECK_CUDA(cudaMemcpy(memory.get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

/// The fewest seconds that what `launch` puts on the default stream takes.
template <class Launch>
double fastest(int repetitions, const Launch& launch) {
  cudaEvent_t begin = nullptr, end = nullptr;
  ASTERISM_CHECK_CUDA(cudaEventCreate(&begin));
  ASTERISM_CHECK_CUDA(cudaEventCreate(&end));
  double least = std::numeric_limits<double>::infinity();
  for (int r = -1; r < repetitions; ++r) {  // the first warms up
    ASTERISM_CHECK_CUDA(cudaEventRecord(begin));
    launch();
    ASTERISM_CHECK_CUDA(cudaEventRecord(end));
    ASTERISM_CHECK_CUDA(cudaEventSynchronize(end));
    float milliseconds = 0;
    ASTERISM_CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    if (r >= 0) least = std::min(least, 1e-3 * static_cast<double>(milliseconds));
  }
  ASTERISM_CHECK_CUDA(cudaEventDestroy(begin));
  ASTERISM_CHECK_CUDA(cudaEventDestroy(end));
  return least;
}

}  // namespace

template <class T>
std::optional<double> full_blocking_rate_of_gpu(const DenseSlices& slices, const BlockShape& shape) {
  if (!has_gpu()) return {};
  const Vectors<T> vectors(slices, shape.columns);
  const FullBlocks<T> blocks = dense_full_blocks<T>(slices, shape);
  const auto past = upload(vectors.past);
  const auto sums = room<T>(vectors.sums.size());
  const auto slice = upload(blocks.slice);
  const auto place = upload(blocks.place);
  const auto values = upload(blocks.values);
  Windows<T> windows = vectors.windows;
  windows.values = past.get();
  FullBlocksView<T> of = view(blocks);
  of.slice = slice.get();
  of.place = place.get();
  of.values = values.get();
  const double seconds = fastest(slices.repetitions, [&] {
    cuda::full_blocks_product(of, windows, Sums<T>{sums.get(), 0, 0}, nullptr);
  });
  return 2.0 * DenseSlices::group * static_cast<double>(blocks.values.size()) / seconds;
}

template <class T>
std::optional<double> contiguous_blocking_rate_of_gpu(const DenseSlices& slices, std::int32_t columns) {
  if (!has_gpu()) return {};
  const Vectors<T> vectors(slices, columns);
  const DenseTile<T> dense(slices, columns);
  const auto past = upload(vectors.past);
  const auto sums = room<T>(vectors.sums.size());
  const auto start = upload(dense.start);
  const auto first = upload(dense.first);
  const auto length = upload(dense.length);
  const auto values = upload(dense.values);
  Tile<T> tile = dense.tile;
  tile.start = start.get();
  tile.first = first.get();
  tile.length = length.get();
  tile.values = values.get();
  const auto tiles = upload(std::vector<Tile<T>>{tile});
  const ProductShape shape = product_shape(1, tile.panels(), slices.slices);
  const auto scratch = room<T>(static_cast<std::size_t>(product_scratch(shape, DenseSlices::group, 1)));
  WindowsOfBlocks<T> windows;
  windows.tiles_of_each = 1;
  windows.of[0] = vectors.windows;
  windows.of[0].values = past.get();
  const double seconds = fastest(slices.repetitions, [&] {
    cuda::product(tiles.get(), shape, windows, Sums<T>{sums.get(), 0, 0}, scratch.get(), nullptr);
  });
  return slices.flops(columns) / seconds;
}

#else
template <class T>
std::optional<double> full_blocking_rate_of_gpu(const DenseSlices& /*slices*/, const BlockShape& /*shape*/) {
  return {};
}
template <class T>
std::optional<double> contiguous_blocking_rate_of_gpu(const DenseSlices& /*slices*/, std::int32_t /*columns*/) {
  return {};
}
#endif

template std::optional<double> full_blocking_rate_of_gpu<float>(const DenseSlices&, const BlockShape&);
template std::optional<double> full_blocking_rate_of_gpu<double>(const DenseSlices&, const BlockShape&);
template std::optional<double> contiguous_blocking_rate_of_gpu<float>(const DenseSlices&, std::int32_t);
template std::optional<double> contiguous_blocking_rate_of_gpu<double>(const DenseSlices&, std::int32_t);

}  // namespace asterism::apps::reproduce
