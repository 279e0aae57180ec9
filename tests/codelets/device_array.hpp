// Device memory between guards, for tests of CUDA kernels.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace asterism {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Device memory for `n` T, `offset` elements past an aligned address, between guards. Every byte starts as 0xff,
/// which is NaN for doubles; those of the guards are 0x7e, a huge double, as NaN might survive an update in place.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray(cudaStream_t stream, std::size_t n, std::size_t offset)
      : stream_(stream), size_(n), lead_(guard + offset * sizeof(T)), bytes_(lead_ + n * sizeof(T) + guard) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes_));
    memory_ = static_cast<char*>(memory);
    check(cudaMemsetAsync(memory_, guard_byte, bytes_, stream_));
    if (n > 0) check(cudaMemsetAsync(data(), 0xff, n * sizeof(T), stream_));
  }
  DeviceArray(cudaStream_t stream, const std::vector<T>& values, std::size_t offset = 0)
      : DeviceArray(stream, values.size(), offset) {
    if (values.empty()) return;
    check(cudaMemcpyAsync(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream_));
    check(cudaStreamSynchronize(stream_));
  }
  ~DeviceArray() { cudaFree(memory_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_ + lead_); }

  /// Waits for the stream; fails the test if anything was written outside.
  [[nodiscard]] std::vector<T> values() const {
    std::vector<unsigned char> all(bytes_);
    check(cudaMemcpyAsync(all.data(), memory_, bytes_, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    bool intact = true;
    for (std::size_t i = 0; i < lead_; ++i) intact = intact && all[i] == guard_byte;
    for (std::size_t i = lead_ + size_ * sizeof(T); i < bytes_; ++i) intact = intact && all[i] == guard_byte;
    EXPECT_TRUE(intact) << "written outside the array";
    std::vector<T> out(size_);
    if (size_ > 0) std::memcpy(out.data(), all.data() + lead_, size_ * sizeof(T));
    return out;
  }

 private:
  static constexpr std::size_t guard = 256;
  static constexpr unsigned char guard_byte = 0x7e;

  cudaStream_t stream_;
  std::size_t size_;
  std::size_t lead_;
  std::size_t bytes_;
  char* memory_ = nullptr;
};

}  // namespace asterism
