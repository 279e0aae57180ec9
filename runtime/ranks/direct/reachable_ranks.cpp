// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/direct/reachable_ranks.hpp"

#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>

#include <stdexcept>

#include "base/as_size.hpp"
#include "base/cuda_check.hpp"
#include "runtime/ranks/direct/imported_memory.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

constexpr std::size_t some_bytes = 4096;

/// A piece of memory on each of some GPUs.
class Pieces {
 public:
  explicit Pieces(std::span<const int> gpus) {
    try {
      for (const int gpu : gpus) {
        ASTERISM_CHECK_CUDA(cudaSetDevice(gpu));
        void* piece = nullptr;
        ASTERISM_CHECK_CUDA(cudaMalloc(&piece, some_bytes));
        pieces_.push_back(piece);
        places.push_back(exported(piece));
      }
    } catch (const std::runtime_error&) {  // others find nothing to open
      places.clear();
    }
  }
  ~Pieces() {
    for (void* const piece : pieces_) cudaFree(piece);
    cudaGetLastError();
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  std::vector<ExportedAddress> places;

 private:
  std::vector<void*> pieces_;
};

bool opens_all(std::span<const int> gpus, int rank, std::span<const ExportedAddress> places) {
  ImportedMemory imported;
  try {
    for (const int gpu : gpus) {
      ASTERISM_CHECK_CUDA(cudaSetDevice(gpu));
      for (const ExportedAddress& place : places) imported.address(rank, place);
    }
  } catch (const std::runtime_error&) {
    cudaGetLastError();
    return false;
  }
  return !gpus.empty() && !places.empty();
}

}  // namespace

std::vector<char> reachable_ranks(std::span<const int> gpus) {
  const RankGroup& group = rank_group();
  const Pieces pieces(gpus);
  const auto places = group.all_gather(std::span<const ExportedAddress>(pieces.places));
  std::vector<char> opened(as_size(group.ranks()));
  for (int rank = 0; rank < group.ranks(); ++rank)
    opened[as_size(rank)] = rank != group.rank() && opens_all(gpus, rank, places[as_size(rank)]) ? 1 : 0;
  const auto by_rank = group.all_gather(std::span<const char>(opened));  // the pieces of all stay until then
  for (int rank = 0; rank < group.ranks(); ++rank)
    if (by_rank[as_size(rank)][as_size(group.rank())] == 0) opened[as_size(rank)] = 0;
  return opened;
}

}  // namespace asterism
#endif
