// SPDX-License-Identifier: Apache-2.0
// Bandwidth of one GPU's memory, on one stream.
#include "runtime/machine/bandwidth.hpp"

#include <algorithm>
#include <cstdint>

#include "base/cuda_check.hpp"

namespace asterism {
namespace {

constexpr int threads = 512;
constexpr int depth = 8;  ///< 16-byte loads in flight per thread
constexpr int repetitions = 10;

/// Small whole numbers, whose sum is exact in any order.
constexpr std::int64_t period = 1021;

__global__ void fill(double* x, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < n; i += stride)
    x[i] = static_cast<double>(i % period);
}

/// *total += sum of x[0 .. n) (in pairs); every block reads contiguous tiles of threads * depth pairs.
__global__ void __launch_bounds__(threads) read(const double2* __restrict__ x, std::int64_t n, double* total) {
  constexpr std::int64_t tile = threads * depth;
  double sum = 0;
  for (std::int64_t t = blockIdx.x * tile; t < n; t += gridDim.x * tile) {
    double2 v[depth];
#pragma unroll
    for (int u = 0; u < depth; ++u) v[u] = __ldcs(x + t + u * threads + threadIdx.x);
#pragma unroll
    for (int u = 0; u < depth; ++u) sum += v[u].x + v[u].y;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

/// Device memory; null when there is not enough.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) {
    const cudaError_t status = cudaMalloc(&data_, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // not an error of the next call
      data_ = nullptr;
      return;
    }
    check_cuda(status, "cudaMalloc");
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }
  [[nodiscard]] double* get() const { return static_cast<double*>(data_); }

 private:
  void* data_ = nullptr;
};

class Timer {
 public:
  explicit Timer(cudaStream_t stream) : stream_(stream) {
    ASTERISM_CHECK_CUDA(cudaEventCreate(&begin_));
    ASTERISM_CHECK_CUDA(cudaEventCreate(&end_));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  /// Seconds of the best of `repetitions` calls, after one that does not count.
  template <class Launch>
  double best(Launch launch) {
    float best_ms = 0;
    for (int r = -1; r < repetitions; ++r) {
      ASTERISM_CHECK_CUDA(cudaEventRecord(begin_, stream_));
      launch();
      ASTERISM_CHECK_CUDA(cudaEventRecord(end_, stream_));
      ASTERISM_CHECK_CUDA(cudaEventSynchronize(end_));
      float ms = 0;
      ASTERISM_CHECK_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
      if (r <= 0 || ms < best_ms) best_ms = ms;
    }
    return 1e-3 * best_ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

Bandwidth measure(const DeviceBuffer& x, const DeviceBuffer& y, std::size_t bytes, cudaStream_t stream) {
  int device = 0;
  int processors = 0;
  int resident = 0;
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  ASTERISM_CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  ASTERISM_CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, read, threads, 0));
  const int grid = processors * std::max(resident, 1);
  const std::int64_t n = static_cast<std::int64_t>(bytes / sizeof(double));
  fill<<<grid, threads, 0, stream>>>(x.get(), n);
  ASTERISM_CHECK_CUDA(cudaGetLastError());

  Timer timer(stream);
  Bandwidth bandwidth;
  bandwidth.gpu_copy = 2.0 * static_cast<double>(bytes) / timer.best([&] {
    ASTERISM_CHECK_CUDA(cudaMemcpyAsync(y.get(), x.get(), bytes, cudaMemcpyDeviceToDevice, stream));
  });
  DeviceBuffer total(sizeof(double));
  if (total.get() == nullptr) throw std::runtime_error("cudaMalloc: out of memory");
  ASTERISM_CHECK_CUDA(cudaMemsetAsync(total.get(), 0, sizeof(double), stream));
  // the copy is what is read: a copy that did not happen shows in the sum
  bandwidth.gpu_read = static_cast<double>(bytes) / timer.best([&] {
    read<<<grid, threads, 0, stream>>>(reinterpret_cast<const double2*>(y.get()), n / 2, total.get());
    ASTERISM_CHECK_CUDA(cudaGetLastError());
  });
  double sum = 0;
  ASTERISM_CHECK_CUDA(cudaMemcpyAsync(&sum, total.get(), sizeof sum, cudaMemcpyDeviceToHost, stream));
  ASTERISM_CHECK_CUDA(cudaStreamSynchronize(stream));
  const std::int64_t rest = n % period;
  const std::int64_t expected = n / period * (period * (period - 1) / 2) + rest * (rest - 1) / 2;
  if (sum != static_cast<double>((repetitions + 1) * expected))
    throw std::runtime_error("the read kernel's answer is wrong");
  return bandwidth;
}

}  // namespace

Bandwidth measure_gpu_bandwidth(cudaStream_t stream) {
  constexpr std::size_t least = std::size_t{1} << 26;
  static_assert(least % (sizeof(double2) * threads * depth) == 0);
  for (std::size_t bytes = std::size_t{1} << 31; bytes >= least; bytes /= 2) {
    const DeviceBuffer x(bytes);
    const DeviceBuffer y(bytes);
    if (x.get() != nullptr && y.get() != nullptr) return measure(x, y, bytes, stream);
  }
  throw std::runtime_error("cudaMalloc: out of memory");
}

}  // namespace asterism
