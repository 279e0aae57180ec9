// SPDX-License-Identifier: Apache-2.0
// The values of a handle in main memory, for as long as this lives.
#pragma once

#include "runtime/handle.hpp"

namespace asterism::cg {

template <class T>
class Acquired : asterism::Acquired {
 public:
  Acquired(starpu_data_handle_t handle, starpu_data_access_mode mode)
      : asterism::Acquired(handle, mode), values_(static_cast<T*>(starpu_data_get_local_ptr(handle))) {}
  T* operator->() const { return values_; }
  T& operator*() const { return *values_; }
  T* get() const { return values_; }

 private:
  T* values_;
};

}  // namespace asterism::cg
