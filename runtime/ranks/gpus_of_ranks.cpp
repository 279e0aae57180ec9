// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/gpus_of_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <set>
#include <span>

#include "runtime/machine/local_units.hpp"
#include "runtime/ranks/imported_memory.hpp"
#include "runtime/ranks/ranks.hpp"

#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"
#endif

namespace asterism {
namespace {

#ifdef ASTERISM_CUDA

/// CUDA's UUID of a GPU, the same in all processes.
using Identity = std::array<std::uint64_t, 2>;

std::set<int> devices_of(const Session& session) {
  std::set<int> devices;
  for (const Unit& unit : session.units())
    if (unit.gpu) devices.insert(unit.device);
  return devices;
}

bool of_one_rank_each(const Session& session) {
  std::vector<Identity> mine;
  for (const int device : devices_of(session)) {
    cudaDeviceProp properties{};
    ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&properties, device));
    static_assert(sizeof properties.uuid == sizeof(Identity));
    std::memcpy(mine.emplace_back().data(), &properties.uuid, sizeof(Identity));
  }
  std::set<Identity> all;
  std::size_t count = 0;
  for (const std::vector<Identity>& of_rank : rank_group().all_gather(std::span<const Identity>(mine))) {
    all.insert(of_rank.begin(), of_rank.end());
    count += of_rank.size();
  }
  return all.size() == count;
}

/// Some memory of each GPU of this rank.
class Samples {
 public:
  explicit Samples(const std::set<int>& devices) {
    for (const int device : devices) {
      ASTERISM_CHECK_CUDA(cudaSetDevice(device));
      ASTERISM_CHECK_CUDA(cudaMalloc(&memory_.emplace_back(), sizeof(double)));
      places_.push_back(exported(memory_.back()));
    }
  }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  ~Samples() {
    for (void* const memory : memory_) cudaFree(memory);
  }
  [[nodiscard]] const std::vector<ExportedAddress>& places() const { return places_; }

 private:
  std::vector<void*> memory_;
  std::vector<ExportedAddress> places_;
};

/// Whether `attempt` throws nothing, on all ranks.
template <class Attempt>
bool succeeds_everywhere(const Attempt& attempt) {
  bool right = true;
  try {
    attempt();
  } catch (const std::exception&) {
    right = false;
    cudaGetLastError();
  }
  return rank_group().everywhere(right);
}

}  // namespace

bool gpus_of_ranks_reach_each_other(const Session& session) {
  const char* const direct = std::getenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
  const bool wanted = (direct == nullptr || std::atoi(direct) != 0) && session.gpus_reach_each_other();
  if (!rank_group().everywhere(wanted)) return false;
  const std::set<int> devices = devices_of(session);
  int before = 0;
  cudaGetDevice(&before);
  std::unique_ptr<Samples> samples;
  bool reached = succeeds_everywhere([&] { samples = std::make_unique<Samples>(devices); });
  if (reached) {
    const auto all = rank_group().all_gather(std::span<const ExportedAddress>(samples->places()));
    reached = succeeds_everywhere([&] {
      ImportedMemory memory;
      for (const int device : devices) {
        ASTERISM_CHECK_CUDA(cudaSetDevice(device));
        for (int rank = 0; rank < rank_group().ranks(); ++rank)
          for (const ExportedAddress& place : all[static_cast<std::size_t>(rank)])
            if (rank != rank_group().rank()) memory.address(rank, place);
      }
    });
  }
  cudaSetDevice(before);
  return reached;
}

#else

bool of_one_rank_each(const Session& /*session*/) {
  return true;
}

}  // namespace

bool gpus_of_ranks_reach_each_other(const Session& /*session*/) {
  return false;
}

#endif

GpusOfRanks gpus_of_ranks(const Session& session) {
  GpusOfRanks gpus;
  gpus.workers = rank_group().all_gather(session.gpus());
  gpus.on_one_machine = sharing("").sharers == rank_group().ranks();
  gpus.of_one_rank_each = of_one_rank_each(session);
  return gpus;
}

}  // namespace asterism
