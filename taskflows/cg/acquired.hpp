// A handle's values in main memory, for as long as this lives.
#pragma once

#include <starpu.h>

namespace asterism::cg {

template <class T>
class Acquired {
 public:
  /// Waits for the tasks that write it (and with STARPU_W for those that read it, too).
  Acquired(starpu_data_handle_t handle, starpu_data_access_mode mode) : handle_(handle) {
    starpu_data_acquire(handle_, mode);
  }
  ~Acquired() { starpu_data_release(handle_); }
  Acquired(const Acquired&) = delete;
  Acquired& operator=(const Acquired&) = delete;
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
  T* get() const { return static_cast<T*>(starpu_data_get_local_ptr(handle_)); }

 private:
  starpu_data_handle_t handle_;
};

}  // namespace asterism::cg
