// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/cuda_check.hpp"
#include "runtime/machine/link_bandwidth.hpp"

namespace asterism {
namespace {

constexpr std::size_t bytes = std::size_t{128} << 20;
constexpr int copies = 4;  ///< in a repetition: starting them takes no time then
constexpr int repetitions = 5;

/// A GPU's buffers here and there, and a stream for each direction.
class Lane {
 public:
  explicit Lane(int device) : device_(device) {
    use();
    for (int way = 0; way < 2; ++way) {
      ASTERISM_CHECK_CUDA(cudaMallocHost(&host_[way], bytes));
      ASTERISM_CHECK_CUDA(cudaMalloc(&gpu_[way], bytes));
      ASTERISM_CHECK_CUDA(cudaStreamCreateWithFlags(&stream_[way], cudaStreamNonBlocking));
    }
  }
  ~Lane() {
    cudaSetDevice(device_);
    for (int way = 0; way < 2; ++way) {
      cudaFreeHost(host_[way]);
      cudaFree(gpu_[way]);
      if (stream_[way] != nullptr) cudaStreamDestroy(stream_[way]);
    }
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void start() const {
    use();
    for (int copy = 0; copy < copies; ++copy) {
      ASTERISM_CHECK_CUDA(cudaMemcpyAsync(gpu_[0], host_[0], bytes, cudaMemcpyHostToDevice, stream_[0]));
      ASTERISM_CHECK_CUDA(cudaMemcpyAsync(host_[1], gpu_[1], bytes, cudaMemcpyDeviceToHost, stream_[1]));
    }
  }
  void wait() const {
    use();
    for (const cudaStream_t stream : stream_) ASTERISM_CHECK_CUDA(cudaStreamSynchronize(stream));
  }

 private:
  void use() const { ASTERISM_CHECK_CUDA(cudaSetDevice(device_)); }

  int device_;
  void* host_[2] = {};
  void* gpu_[2] = {};
  cudaStream_t stream_[2] = {};
};

}  // namespace

double measure_transfers_together(int gpus) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int gpu = 0; gpu < gpus; ++gpu) lanes.push_back(std::make_unique<Lane>(gpu));
  double best = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto begin = Clock::now();
    for (const auto& lane : lanes) lane->start();
    for (const auto& lane : lanes) lane->wait();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, 2.0 * copies * gpus * static_cast<double>(bytes) / seconds);
  }
  return best;
}

}  // namespace asterism
