// SPDX-License-Identifier: Apache-2.0
// A fixed-size array of trivially copyable elements that is not initialised on creation, so that the
// thread that fills a part is the one that places its pages (first touch).
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace asterism {

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;

  /// Allocates n uninitialised elements, aligned to 64 bytes (to huge pages when large).
  explicit Array(std::size_t n) : size_(n) {
    if (n == 0) return;
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    const std::size_t bytes = n * sizeof(T);
    const std::size_t alignment = bytes >= 4 * huge_page ? huge_page : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_ = static_cast<T*>(std::aligned_alloc(alignment, rounded));
    if (data_ == nullptr) throw std::bad_alloc();
    if (alignment == huge_page) madvise(data_, rounded, MADV_HUGEPAGE);
  }
  Array(std::size_t n, T value) : Array(n) { std::fill_n(data_, n, value); }

  /// n elements in memory of the caller, which has to outlive the array and is not freed by it.
  static Array borrowed(T* data, std::size_t n) noexcept {
    Array array;
    array.data_ = data;
    array.size_ = n;
    array.borrowed_ = true;
    return array;
  }

  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        borrowed_(std::exchange(other.borrowed_, false)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(borrowed_, other.borrowed_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (!borrowed_) std::free(data_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  operator std::span<const T>() const noexcept { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  bool borrowed_ = false;
};

}  // namespace asterism
