// SPDX-License-Identifier: Apache-2.0
// What the tests of CUDA kernels share: device memory between guards, a stream, and no test without a GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace asterism {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Whether compute-sanitizer, or that tool of it, watches (tests/gpu_tests.py): kernels are a thousand times slower,
/// and smaller cases have to do, with every way of dividing them still among them.
inline bool sanitized() {
  return std::getenv("ASTERISM_SANITIZED") != nullptr;
}
inline bool sanitized_by(const std::string& tool) {
  return sanitized() && std::getenv("ASTERISM_SANITIZED") == tool;
}

/// What fills the guards around an array. A huge number shows an update in place that goes beyond, where NaN might stay
/// NaN; NaN shows in the results of a kernel that reads beyond, where a huge number might count for nothing.
enum class Guard : unsigned char { huge = 0x7e, nan = 0xff };

/// Device memory for `n` T, `offset` elements past an aligned address, between guards. Every byte starts as 0xff,
/// which is NaN for doubles.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray(cudaStream_t stream, std::size_t n, std::size_t offset, Guard guard = Guard::huge)
      : stream_(stream),
        size_(n),
        guard_(static_cast<unsigned char>(guard)),
        lead_(guard_bytes + offset * sizeof(T)),
        bytes_(lead_ + n * sizeof(T) + guard_bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes_));
    memory_ = static_cast<char*>(memory);
    check(cudaMemsetAsync(memory_, guard_, bytes_, stream_));
    if (n > 0) check(cudaMemsetAsync(data(), 0xff, n * sizeof(T), stream_));
  }
  DeviceArray(cudaStream_t stream, const std::vector<T>& values, std::size_t offset = 0, Guard guard = Guard::huge)
      : DeviceArray(stream, values.size(), offset, guard) {
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
    for (std::size_t i = 0; i < lead_; ++i) intact = intact && all[i] == guard_;
    for (std::size_t i = lead_ + size_ * sizeof(T); i < bytes_; ++i) intact = intact && all[i] == guard_;
    EXPECT_TRUE(intact) << "written outside the array";
    std::vector<T> out(size_);
    if (size_ > 0) std::memcpy(out.data(), all.data() + lead_, size_ * sizeof(T));
    return out;
  }

 private:
  static constexpr std::size_t guard_bytes = 1024;  ///< keeps the alignment of cudaMalloc

  cudaStream_t stream_;
  std::size_t size_;
  unsigned char guard_;
  std::size_t lead_;
  std::size_t bytes_;
  char* memory_ = nullptr;
};

/// Bit for bit, but NaN is NaN.
template <class T>
void expect_same(const std::vector<T>& a, const std::vector<T>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  std::size_t different = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::memcmp(&a[k], &b[k], sizeof(T)) != 0 && !(a[k] != a[k] && b[k] != b[k])) ++different;
  EXPECT_EQ(different, 0U) << what;
}

/// Every test gets a stream, and is skipped without a GPU. With parameters: also a testing::WithParamInterface.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      cudaGetLastError();  // "no device" is not an error of the next call
      GTEST_SKIP() << "no CUDA device";
    }
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_ == nullptr) return;
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }

  template <class T>
  [[nodiscard]] DeviceArray<T> upload(const std::vector<T>& values, std::size_t offset = 0) const {
    return DeviceArray<T>(stream_, values, offset);
  }

  cudaStream_t stream_ = nullptr;
};

}  // namespace asterism
