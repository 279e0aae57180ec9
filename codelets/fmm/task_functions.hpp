// SPDX-License-Identifier: Apache-2.0
// How the functions of the codelets see the data of a task, on all kinds of units: each datum is an array.
#pragma once

#include <starpu.h>

#include <cstdint>

#include "runtime/buffers.hpp"

namespace asterism::fmm::codelets {

template <class T>
T* array(void* buffer) {
  return reinterpret_cast<T*>(STARPU_VECTOR_GET_PTR(buffer));
}
inline const double* doubles(void* buffer) {
  return array<const double>(buffer);
}
inline const std::int32_t* ints(void* buffer) {
  return array<const std::int32_t>(buffer);
}

}  // namespace asterism::fmm::codelets
