// SPDX-License-Identifier: Apache-2.0
// Main memory that GPUs copy from and to at full speed.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace asterism {

/// `bytes` of zeros, aligned to 256 bytes; pinned when the session has GPUs. Pieces are cut from large chunks of huge
/// pages, which threads touch side by side before they are pinned as a whole, since pinning costs by the call and the
/// page. A chunk is freed with the last of its pieces. On a simulated machine pages exist once they are written.
/// Throws std::bad_alloc. Any thread.
std::shared_ptr<void> host_memory(std::size_t bytes);

/// The same for what tasks and messages alone write and read. On a simulated cluster, whose ranks are one process, all
/// of it lies in the same few pages, and messages from it and to it write nothing.
std::shared_ptr<void> task_memory(std::size_t bytes);

/// Owns `size()` elements of it.
template <class T>
class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(std::size_t n) : size_(n) {
    if (n > 0) data_ = std::static_pointer_cast<T>(host_memory(n * sizeof(T)));
  }
  /// A buffer in task_memory().
  static HostBuffer of_tasks(std::size_t n) {
    HostBuffer buffer;
    buffer.size_ = n;
    if (n > 0) buffer.data_ = std::static_pointer_cast<T>(task_memory(n * sizeof(T)));
    return buffer;
  }
  HostBuffer(HostBuffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() = default;

  [[nodiscard]] T* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) const noexcept { return data_.get()[i]; }

 private:
  std::shared_ptr<T> data_;
  std::size_t size_ = 0;
};

}  // namespace asterism
