// SPDX-License-Identifier: Apache-2.0
// Ownership of StarPU data handles.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "runtime/ranks/rank_exchange.hpp"

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
  /// A handle whose final contents are not needed: they are not copied back to `data`.
  static Handle temporary(const void* data, std::size_t elements, std::size_t element_size, const std::string& name,
                          std::optional<Coordinates> where = std::nullopt) {
    Handle handle = vector(data, elements, element_size, name, where);
    handle.temporary_ = true;
    return handle;
  }

  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), temporary_(other.temporary_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(temporary_, other.temporary_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (handle_ == nullptr) return;
    unshare(handle_);
    if (temporary_)
      starpu_data_unregister_no_coherency(handle_);
    else
      starpu_data_unregister(handle_);
  }

  /// The same handle, whose data never leave main memory for a disk (STARPU_DISK_SWAP): small ones, needed often.
  [[nodiscard]] Handle kept_in_memory() && {
    starpu_data_set_ooc_flag(handle_, 0);
    return std::move(*this);
  }

  /// The same handle, of a datum that tasks of several ranks use: each of those ranks registers it, with its own memory
  /// or none, and names the rank that writes it and the tag of its messages (RankGroup::allocate_tags).
  [[nodiscard]] Handle shared(int owner, std::int64_t tag) && {
    share(handle_, owner, tag);
    return std::move(*this);
  }

  [[nodiscard]] starpu_data_handle_t get() const noexcept { return handle_; }
  operator starpu_data_handle_t() const noexcept { return handle_; }

 private:
  starpu_data_handle_t handle_ = nullptr;
  bool temporary_ = false;
};

/// The main program has a datum for as long as this lives: after the tasks before, and before those after.
class Acquired {
 public:
  Acquired(starpu_data_handle_t handle, starpu_data_access_mode mode) : handle_(handle) {
    starpu_data_acquire(handle, mode);
  }
  ~Acquired() { starpu_data_release(handle_); }
  Acquired(const Acquired&) = delete;
  Acquired& operator=(const Acquired&) = delete;

 private:
  starpu_data_handle_t handle_;
};

}  // namespace asterism
