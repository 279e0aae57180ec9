// SPDX-License-Identifier: Apache-2.0
// Whether data that StarPU allocates fit into main memory, or partly on disk: asked before tasks are submitted, since
// StarPU waits for ever when a task's data do not fit.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/environment.hpp"

namespace asterism {

struct MemoryNeed {
  std::int64_t all = 0;      ///< bytes of all data
  std::int64_t at_once = 0;  ///< bytes that have to be in main memory at the same time, the rest may be on disk
};

/// Of the running session. Throws Error (bad_input), saying how much there is and how much is needed, when main memory
/// (STARPU_LIMIT_CPU_MEM, else nine tenths of the machine's) cannot hold `all` and there is no disk to swap to
/// (STARPU_DISK_SWAP), when it cannot hold `at_once`, or when the disk has no room for the rest. `less`: what the user
/// can do to need less at once.
void require_memory(const MemoryNeed& need, const char* less);

/// The same for the memory of a GPU, StarPU's memory node `node` (STARPU_LIMIT_CUDA_MEM, else most of what is free),
/// whose data come from main memory.
void require_gpu_memory(unsigned node, std::int64_t at_once, const char* less);

/// Where other programs hold memory of one of so many GPUs, StarPU gets most of what is free: it takes nine tenths of
/// the GPU's, and waits for ever when it cannot allocate that, as it does for the 32 MiB of which it makes small
/// allocations. Before StarPU starts; what the user set in STARPU_LIMIT_CUDA_MEM or STARPU_LIMIT_CUDA_n_MEM stays.
void leave_others_their_memory(Environment& environment, int gpus);

/// Bytes from and to the disk of STARPU_DISK_SWAP.
struct DiskTraffic {
  std::int64_t read = 0, written = 0;
};
/// Since the last call, as StarPU's counters begin again when they are read; nothing without such a disk.
std::optional<DiskTraffic> disk_traffic();

}  // namespace asterism
