// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/gpus_of_ranks.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>

#include "runtime/machine/local_units.hpp"
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

#else

bool of_one_rank_each(const Session& /*session*/) {
  return true;
}

#endif

}  // namespace

GpusOfRanks gpus_of_ranks(const Session& session) {
  GpusOfRanks gpus;
  gpus.workers = rank_group().all_gather(session.gpus());
  gpus.on_one_machine = sharing("").sharers == rank_group().ranks();
  gpus.of_one_rank_each = of_one_rank_each(session);
  return gpus;
}

}  // namespace asterism
