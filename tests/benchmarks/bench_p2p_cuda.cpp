// SPDX-License-Identifier: Apache-2.0
// Rate of P2P on the GPU, Laplace kernel, every variant, for 12 x 13 x 13 leaves of several sizes: medians of 20 runs
// in turn, timed with events. `bench_p2p_cuda [OUT.json]` writes JSON and fails (exit status 1) if any result is not
// that of the CPU. GFlop/s with flops_mutual, as in section 4.2 of the FMM paper: what the pairs would cost with
// anti-symmetry, though the GPU computes both directions. Where that leaves the double precision units: a gathered
// interaction takes 18 instructions, and an H200 has 132 x 64 x 1.98e9 / s.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "codelets/fmm/kernels/near/p2p_cuda.hpp"
#include "tests/benchmarks/p2p_grid.hpp"

namespace {

using namespace asterism::fmm;

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n) : size_(n) {
    void* memory = nullptr;
    ASTERISM_CHECK_CUDA(cudaMalloc(&memory, n * sizeof(T)));
    memory_ = static_cast<T*>(memory);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    ASTERISM_CHECK_CUDA(cudaMemcpy(memory_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(memory_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  [[nodiscard]] T* data() const { return memory_; }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> out(size_);
    ASTERISM_CHECK_CUDA(cudaMemcpy(out.data(), memory_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }

 private:
  std::size_t size_;
  T* memory_ = nullptr;
};

double error(const std::vector<double>& expected, const std::vector<double>& actual) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(difference / norm);
}

struct Run {
  cuda::Variant variant;
  double error = 0;
  std::vector<double> seconds;
};

/// The runs of all variants on one grid; the 4 arrays of `expected` are the CPU's.
std::vector<Run> measure(const P2PGrid& grid, const std::vector<double>* expected, int repetitions) {
  const DeviceArray<std::int32_t> begin(grid.begin), source_begin(grid.source_begin), source(grid.source);
  const DeviceArray<double> x(grid.x), y(grid.y), z(grid.z), q(grid.q);
  const std::size_t n = grid.x.size();
  const DeviceArray<double> potential(n), fx(n), fy(n), fz(n);
  const P2PSet host = grid.set();
  const P2PSet set{host.own_leaves, host.leaves, begin.data(), nullptr, nullptr, source_begin.data(), source.data()};
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  ASTERISM_CHECK_CUDA(cudaStreamCreate(&stream));
  ASTERISM_CHECK_CUDA(cudaEventCreate(&start));
  ASTERISM_CHECK_CUDA(cudaEventCreate(&stop));
  std::vector<Run> runs;
  for (const cuda::Variant v : cuda::variants) runs.push_back({v, 0, {}});
  for (int r = -1; r < repetitions; ++r)  // the first is checked instead of timed
    for (Run& run : runs) {
      const DeviceArray<double>* arrays[] = {&potential, &fx, &fy, &fz};
      if (r < 0)
        for (const DeviceArray<double>* a : arrays)
          ASTERISM_CHECK_CUDA(cudaMemsetAsync(a->data(), 0xff, n * sizeof(double), stream));
      ASTERISM_CHECK_CUDA(cudaEventRecord(start, stream));
      cuda::p2p(Laplace{}, set, {x.data(), y.data(), z.data(), q.data()},
                {potential.data(), fx.data(), fy.data(), fz.data()}, stream, run.variant);
      ASTERISM_CHECK_CUDA(cudaEventRecord(stop, stream));
      ASTERISM_CHECK_CUDA(cudaStreamSynchronize(stream));
      float milliseconds = 0;
      ASTERISM_CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
      if (r >= 0) {
        run.seconds.push_back(1e-3 * static_cast<double>(milliseconds));
        continue;
      }
      for (int c = 0; c < 4; ++c) {
        const double e = error(expected[c], arrays[c]->values());
        run.error = e <= run.error ? run.error : e;  // keeps a NaN
      }
    }
  ASTERISM_CHECK_CUDA(cudaEventDestroy(start));
  ASTERISM_CHECK_CUDA(cudaEventDestroy(stop));
  ASTERISM_CHECK_CUDA(cudaStreamDestroy(stream));
  return runs;
}

int bench(const char* path) {
  constexpr int repetitions = 20;
  cudaDeviceProp device{};
  ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&device, 0));
  std::string json = fmt::format(
      "{{\"program\": \"bench_p2p_cuda\", \"kernel\": \"laplace\", \"device\": \"{}\", \"multiprocessors\": {}, "
      "\"flops_mutual\": {}, \"repetitions\": {}, \"runs\": [",
      device.name, device.multiProcessorCount, flops_mutual<Laplace>, repetitions);
  const char* separator = "";
  bool right = true;
  for (const int per_leaf : {30, 60, 114, 250}) {
    const P2PGrid grid(12, 13, 13, per_leaf);
    const std::size_t n = grid.x.size();
    std::vector<double> expected[4];
    for (std::vector<double>& e : expected) e.resize(n);
    p2p(Laplace{}, grid.set(), grid.particles(),
        {expected[0].data(), expected[1].data(), expected[2].data(), expected[3].data()});
    const auto pairs = static_cast<double>(p2p_pairs(grid.set()));
    for (Run& run : measure(grid, expected, repetitions)) {
      json += fmt::format("{}\n  {{\"leaves\": {}, \"per_leaf\": {}, \"variant\": \"{}\", \"error\": {:.3g}", separator,
                          grid.set().leaves, per_leaf, name(run.variant), run.error);
      separator = ",";
      if (!(run.error < 1e-12)) {
        right = false;
        json += ", \"wrong\": true}";
        continue;
      }
      std::sort(run.seconds.begin(), run.seconds.end());
      const double seconds = run.seconds[run.seconds.size() / 2];
      json += fmt::format(
          ", \"seconds\": {:.5g}, \"min_seconds\": {:.5g}, \"max_seconds\": {:.5g}, \"unordered_pairs_per_s\": {:.4g}, "
          "\"ordered_pairs_per_s\": {:.4g}, \"gflops\": {:.5g}}}",
          seconds, run.seconds.front(), run.seconds.back(), pairs / seconds, 2 * pairs / seconds,
          pairs * flops_mutual<Laplace> / seconds * 1e-9);
    }
  }
  json += "\n]}\n";
  std::FILE* out = path != nullptr ? std::fopen(path, "w") : stdout;
  if (out == nullptr) throw std::runtime_error(std::string("cannot write ") + path);
  fmt::print(out, "{}", json);
  if (path != nullptr) std::fclose(out);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return bench(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_p2p_cuda: error: {}\n", e.what());
    return 1;
  }
}
