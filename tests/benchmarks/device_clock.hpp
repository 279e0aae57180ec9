// SPDX-License-Identifier: Apache-2.0
// What benchmarks of CUDA kernels share: device memory, times between events, medians.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/cuda_check.hpp"

namespace asterism::bench {

/// Memory of the device, filled with zeros.
class Memory {
 public:
  explicit Memory(std::size_t bytes) {
    ASTERISM_CHECK_CUDA(cudaMalloc(&data_, bytes));
    ASTERISM_CHECK_CUDA(cudaMemset(data_, 0, bytes));
  }
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

struct Clock {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  Clock() {
    ASTERISM_CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASTERISM_CHECK_CUDA(cudaEventCreate(&begin));
    ASTERISM_CHECK_CUDA(cudaEventCreate(&end));
  }
  /// The time that what `launch` puts on the stream takes.
  template <class Launch>
  double seconds(Launch launch) {
    ASTERISM_CHECK_CUDA(cudaEventRecord(begin, stream));
    launch();
    ASTERISM_CHECK_CUDA(cudaEventRecord(end, stream));
    ASTERISM_CHECK_CUDA(cudaEventSynchronize(end));
    float milliseconds = 0;
    ASTERISM_CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    return 1e-3 * static_cast<double>(milliseconds);
  }
};

inline double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

}  // namespace asterism::bench
