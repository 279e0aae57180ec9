// SPDX-License-Identifier: Apache-2.0
// Lists and tables of groups, packed into the memory of data that StarPU copies to GPUs.
#pragma once

#include <starpu.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "codelets/fmm/kernels/near/reduction.hpp"
#include "runtime/handle.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/memory/host_memory.hpp"

namespace asterism::fmm {

/// Appends the items; returns where they begin in `packed`.
template <class T>
std::int64_t append(std::vector<std::int32_t>& packed, const std::vector<T>& items, std::size_t align = 1) {
  static_assert(sizeof(T) % sizeof(std::int32_t) == 0);
  packed.resize((packed.size() + align - 1) / align * align);
  const auto at = static_cast<std::int64_t>(packed.size());
  packed.resize(packed.size() + items.size() * (sizeof(T) / sizeof(std::int32_t)));
  std::copy_n(reinterpret_cast<const std::int32_t*>(items.data()), items.size() * (sizeof(T) / sizeof(std::int32_t)),
              packed.begin() + at);
  return at;
}

/// A copy of the items in memory that GPUs copy from at full speed; without values on a simulated machine, where no
/// kernel reads them.
template <class T>
HostBuffer<T> pinned(const std::vector<T>& items) {
  HostBuffer<T> buffer(items.size());
  if (!simulated) std::copy(items.begin(), items.end(), buffer.data());
  return buffer;
}

/// Pinned memory for data that CPUs and GPUs exchange: StarPU would allocate it in the middle of the first
/// evaluations, where each allocation stops the GPUs. None where one kind of unit does everything.
inline HostBuffer<double> exchanged(std::size_t doubles) {
  const bool both = starpu_cpu_worker_get_count() > 0 && starpu_cuda_worker_get_count() > 0;
  return HostBuffer<double>::of_tasks(both ? doubles : 0);
}

inline Handle read_only(const HostBuffer<std::int32_t>& packed, const std::string& name, int group) {
  return Handle::vector(packed.data(), packed.size(), sizeof(std::int32_t), name, Coordinates{group, 0});
}

/// The parts of a reduction: `sets` without the end.
HostBuffer<std::int32_t> pack_reduction(std::vector<ReductionSet> sets, const std::vector<ReductionPart>& parts);

}  // namespace asterism::fmm
