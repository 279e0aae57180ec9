// SPDX-License-Identifier: Apache-2.0
// What the functions of all codelets begin with: their data one after the other, their argument, their class of
// performance.
#pragma once

#include <starpu.h>

#include <cstdint>

#include "runtime/performance_model.hpp"

namespace asterism {

/// StarPU's buffers of a task, one after the other.
class Buffers {
 public:
  explicit Buffers(void** buffers) : next_(buffers) {}
  template <class T>
  T* take() {
    return reinterpret_cast<T*>(STARPU_VECTOR_GET_PTR(*next_++));
  }
  template <class T>
  void take(std::int32_t count, T** arrays) {
    for (std::int32_t k = 0; k < count; ++k) arrays[k] = take<T>();
  }

 private:
  void** next_;
};

template <class Args>
const Args& as(void* arguments) {
  return *static_cast<const Args*>(arguments);
}

/// Arguments that begin with this: tasks that go through as many cells in the same way are one class of StarPU's
/// performance models (its footprint).
struct Work {
  std::int64_t cells = 0;
  std::int32_t variant = 0;  ///< less than 256
};

/// The class of a task whose arguments begin with `Work`: CodeletSpec::footprint.
inline std::uint32_t footprint_by_cells(starpu_task* task) {
  const Work& work = *static_cast<const Work*>(task->cl_arg);
  const auto cells = static_cast<std::uint64_t>(work.cells);
  return static_cast<std::uint32_t>(cells ^ cells >> 32) ^ static_cast<std::uint32_t>(work.variant) << 24;
}

/// Durations by class of `Work`; `symbol` has to live as long as the model.
inline starpu_perfmodel model_by_cells(const char* symbol) {
  return performance_model(symbol, footprint_by_cells);
}

}  // namespace asterism
