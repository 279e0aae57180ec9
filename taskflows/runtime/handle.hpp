// Ownership of StarPU data handles.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace asterism {

/// Where a piece of data belongs: shown in traces and used by the static cyclic scheduler, which runs a
/// task on the unit of the first coordinate of the data that the task writes (schedulers/cyclic.cpp).
struct Coordinates {
  int first = 0;
  int second = 0;
};

/// Owns a registered datum; unregisters it on destruction. Every datum has a name, so that traces can be read.
class Handle {
 public:
  Handle() = default;
  /// Data that belong to no unit in particular have no coordinates.
  Handle(starpu_data_handle_t handle, const std::string& name, std::optional<Coordinates> where) : handle_(handle) {
    starpu_data_set_name(handle_, name.c_str());
    if (where) starpu_data_set_coordinates(handle_, 2, where->first, where->second);
  }
  /// `elements` of `element_size` bytes at `data` in main memory, or allocated by StarPU where first written
  /// when `data` is null.
  static Handle vector(const void* data, std::size_t elements, std::size_t element_size, const std::string& name,
                       std::optional<Coordinates> where = std::nullopt) {
    starpu_data_handle_t handle = nullptr;
    starpu_vector_data_register(&handle, data == nullptr ? -1 : STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(data),
                                static_cast<uint32_t>(elements), element_size);
    return {handle, name, where};
  }

  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (handle_ != nullptr) starpu_data_unregister(handle_);
  }

  [[nodiscard]] starpu_data_handle_t get() const noexcept { return handle_; }
  operator starpu_data_handle_t() const noexcept { return handle_; }

 private:
  starpu_data_handle_t handle_ = nullptr;
};

/// Memory of StarPU in main memory: pinned when a GPU is there to profit from it.
template <class T>
class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(std::size_t n) : size_(n) {
    if (n > 0 && starpu_malloc(reinterpret_cast<void**>(&data_), n * sizeof(T)) != 0) throw std::bad_alloc();
  }
  HostBuffer(HostBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() {
    if (data_ != nullptr) starpu_free_noflag(data_, size_ * sizeof(T));
  }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace asterism
