// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/bandwidth.hpp"

#include <hwloc.h>
#include <starpu.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/array.hpp"
#include "base/error.hpp"
#include "runtime/machine/known_rates.hpp"
#include "runtime/machine/simulated_machine.hpp"

// One binary, three instruction sets, chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASTERISM_SANITIZE)
#define ASTERISM_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ASTERISM_CLONES
#endif

namespace asterism {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr std::size_t line = 64 / sizeof(double);  ///< doubles in a cache line
constexpr int streams = 4;                         ///< cache lines in flight per step of a kernel
constexpr int repetitions = 5;                     ///< of the two best walks; of others one

// ---------------------------------------------------------------- kernels

/// How a kernel walks its n doubles. Hardware prefetchers follow one 4 KiB page at a time, so that neither
/// order wins everywhere.
struct Walk {
  bool apart;         ///< `streams` streams a quarter of the buffer apart, instead of one
  std::size_t ahead;  ///< distance of software prefetch in doubles; 0: left to the hardware
};

using Line [[gnu::vector_size(64), gnu::may_alias]] = double;

/// Sum of x[0 .. n), n a multiple of streams * line. Every distance of `walk` is within a stream.
ASTERISM_CLONES double read(const double* x, std::size_t n, Walk walk) {
  const std::size_t gap = walk.apart ? n / streams : line;
  const std::size_t step = walk.apart ? line : streams * line;
  const std::size_t steps = n / (streams * line);
  Line sum[streams] = {};
  if (walk.ahead == 0) {
    for (std::size_t i = 0; i < steps; ++i, x += step)
      for (int s = 0; s < streams; ++s) sum[s] += *reinterpret_cast<const Line*>(x + s * gap);
  } else {
    for (std::size_t i = 0; i < steps; ++i, x += step)
      for (int s = 0; s < streams; ++s) {
        __builtin_prefetch(x + s * gap + walk.ahead);  // past the end it does nothing
        sum[s] += *reinterpret_cast<const Line*>(x + s * gap);
      }
  }
  const Line all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = 0;
  for (std::size_t l = 0; l < line; ++l) total += all[l];
  return total;
}

/// Stores a cache line without reading it first.
[[gnu::always_inline]] inline void store_past_caches(double* y, const double* x) {
#ifdef __SSE2__
  for (std::size_t l = 0; l < line; l += 2) _mm_stream_pd(y + l, _mm_load_pd(x + l));
#else
  for (std::size_t l = 0; l < line; ++l) y[l] = x[l];
#endif
}

/// y[i] = x[i], i < n, n a multiple of streams * line.
void copy(const double* x, double* y, std::size_t n, Walk walk) {
  const std::size_t gap = walk.apart ? n / streams : line;
  const std::size_t step = walk.apart ? line : streams * line;
  const std::size_t steps = n / (streams * line);
  for (std::size_t i = 0; i < steps; ++i, x += step, y += step)
    for (int s = 0; s < streams; ++s) {
      if (walk.ahead != 0) __builtin_prefetch(x + s * gap + walk.ahead);
      store_past_caches(y + s * gap, x + s * gap);
    }
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// ---------------------------------------------------------------- CPU workers together

constexpr Walk walks[] = {{false, 0}, {false, 128}, {false, 256}, {false, 512}, {true, 0},
                          {true, 64}, {true, 128},  {true, 256},  {true, 512}};
constexpr int walk_count = std::size(walks);

/// Small whole numbers, whose sum is exact in any order.
constexpr std::size_t period = 1021;
double element(std::size_t i) {
  return static_cast<double>(i % period);
}
double sum_of_elements(std::size_t n) {
  const std::size_t rest = n % period;
  const std::size_t sum = n / period * (period * (period - 1) / 2) + (rest == 0 ? 0 : rest * (rest - 1) / 2);
  return static_cast<double>(sum);
}

/// Where the workers of one measurement meet. Spins: sleeping threads would not start together.
class SpinBarrier {
 public:
  explicit SpinBarrier(int workers) : workers_(workers) {}
  void wait() {
    const int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    // yields now and then, for workers that share a core
    for (int spins = 1; round_.load(std::memory_order_acquire) == round; ++spins)
      if (spins % 1024 == 0) std::this_thread::yield();
  }

 private:
  const int workers_;
  std::atomic<int> arrived_{0};
  std::atomic<int> round_{0};
};

/// One pass of all workers at the same time.
struct Pass {
  std::atomic<std::int64_t> start{std::numeric_limits<std::int64_t>::max()};  ///< the first worker's, ns
  std::atomic<std::int64_t> finish{0};                                        ///< the last worker's, ns
  /// Infinite if there was none.
  [[nodiscard]] double seconds() const {
    return finish == 0 ? std::numeric_limits<double>::infinity() : 1e-9 * static_cast<double>(finish - start);
  }
};
using Passes = Pass[walk_count][repetitions];

struct CpuMeasurement {
  CpuMeasurement(int worker_count, std::size_t n) : workers(worker_count), elements(n), barrier(worker_count) {}

  const int workers;
  const std::size_t elements;  ///< of each worker: read as a whole, copied from one half to the other
  SpinBarrier barrier;
  Passes reads;
  Passes copies;
  std::atomic<bool> out_of_memory{false};
  std::atomic<bool> wrong{false};

  template <class Kernel>
  void time(Pass& pass, Kernel kernel) {
    const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); };
    barrier.wait();
    const std::int64_t start = now();
    kernel();
    const std::int64_t finish = now();
    for (std::int64_t seen = pass.start; start < seen && !pass.start.compare_exchange_weak(seen, start);) {
    }
    for (std::int64_t seen = pass.finish; finish > seen && !pass.finish.compare_exchange_weak(seen, finish);) {
    }
  }

  /// All walks once, and those that were fastest again. `kernel` takes a walk.
  template <class Kernel>
  void time_all(Passes& passes, Kernel kernel) {
    int order[walk_count];
    for (int w = 0; w < walk_count; ++w) {
      order[w] = w;
      time(passes[w][0], [&] { kernel(walks[w]); });
    }
    barrier.wait();  // then all workers see the same
    std::sort(order, order + walk_count, [&](int a, int b) {
      const double x = passes[a][0].seconds(), y = passes[b][0].seconds();
      return x < y || (x == y && a < b);
    });
    for (int repetition = 1; repetition < repetitions; ++repetition)
      for (const int w : {order[0], order[1]}) time(passes[w][repetition], [&] { kernel(walks[w]); });
  }

  /// What one worker does. Must not throw: the others would wait for ever.
  void work() noexcept {
    Array<double> buffer;
    try {
      buffer = Array<double>(elements);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
    barrier.wait();
    if (out_of_memory) return;
    for (std::size_t i = 0; i < elements; ++i) buffer[i] = element(i);  // first touch, on this worker's NUMA node
    const double expected = sum_of_elements(elements);
    const std::size_t half = elements / 2;
    time_all(reads, [&](const Walk& walk) {
      if (read(buffer.data(), elements, walk) != expected) wrong = true;
    });
    time_all(copies, [&](const Walk& walk) { copy(buffer.data(), buffer.data() + half, half, walk); });
    if (!std::equal(buffer.data(), buffer.data() + half, buffer.data() + half)) wrong = true;
  }

  [[nodiscard]] double best(const Passes& passes) const {
    double seconds = std::numeric_limits<double>::infinity();
    for (const auto& of_walk : passes)
      for (const Pass& pass : of_walk) seconds = std::min(seconds, pass.seconds());
    return static_cast<double>(elements * sizeof(double)) * workers / seconds;
  }
};

/// Doubles per worker: well beyond the caches, at most a quarter of the memory in total.
std::size_t elements_per_worker(int workers) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_load(topology);
  const std::size_t memory = hwloc_get_root_obj(topology)->total_memory;
  std::size_t caches = 0;
  for (hwloc_obj_t l3 = nullptr; (l3 = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, l3)) != nullptr;)
    caches += l3->attr->cache.size;
  hwloc_topology_destroy(topology);
  const std::size_t count = static_cast<std::size_t>(workers);
  const std::size_t bytes = std::min(std::max(256 * MiB, 4 * caches / count), memory / 4 / count);
  return std::max(bytes / MiB, std::size_t{1}) * MiB / sizeof(double);
}

void measure_cpus(Bandwidth& bandwidth) {
  const int workers = static_cast<int>(starpu_cpu_worker_get_count());
  if (workers == 0) return;
  CpuMeasurement measurement(workers, elements_per_worker(workers));
  starpu_execute_on_each_worker_ex([](void* m) { static_cast<CpuMeasurement*>(m)->work(); }, &measurement, STARPU_CPU,
                                   "bandwidth");
  if (measurement.out_of_memory)
    failed("bandwidth: no memory for {} buffers of {} MiB", workers, measurement.elements * sizeof(double) / MiB);
  if (measurement.wrong) failed("bandwidth: a CPU kernel's answer is wrong");
  bandwidth.cpu_read = measurement.best(measurement.reads);
  bandwidth.cpu_copy = measurement.best(measurement.copies);
}

// ---------------------------------------------------------------- one GPU after the other

#ifdef ASTERISM_CUDA
struct GpuMeasurement {
  Bandwidth bandwidth;
  std::string error;
};

void measure_gpu(void* argument) noexcept {
  auto& measurement = *static_cast<GpuMeasurement*>(argument);
  try {
    measurement.bandwidth = measure_gpu_bandwidth(starpu_cuda_get_local_stream());
  } catch (const std::exception& e) {
    measurement.error = e.what();
  }
}

void measure_gpus(Bandwidth& bandwidth) {
  std::set<int> seen;  // several workers may share a GPU
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    const int id = static_cast<int>(worker);
    if (starpu_worker_get_type(id) != STARPU_CUDA_WORKER || !seen.insert(starpu_worker_get_devid(id)).second) continue;
    GpuMeasurement measurement;
    starpu_execute_on_specific_workers(measure_gpu, &measurement, 1, &worker, "bandwidth");
    if (!measurement.error.empty()) failed("bandwidth: GPU {}: {}", starpu_worker_get_devid(id), measurement.error);
    const bool first = seen.size() == 1;
    const auto keep = [first](double& slowest, double one) { slowest = first ? one : std::min(slowest, one); };
    keep(bandwidth.gpu_copy, measurement.bandwidth.gpu_copy);
    keep(bandwidth.gpu_read, measurement.bandwidth.gpu_read);
  }
}
#endif

}  // namespace

Bandwidth measure_bandwidth() {
  Bandwidth bandwidth;
  if (const Platform* platform = simulated_platform()) {
    bandwidth.cpu_read = bandwidth.cpu_copy = starpu_cpu_worker_get_count() * platform->cpu.bytes;
    for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
      if (starpu_worker_get_type(static_cast<int>(worker)) != STARPU_CUDA_WORKER) continue;
      const int gpu = starpu_worker_get_devid(static_cast<int>(worker));
      const double one = platform->gpu_kinds[platform->kind_of_gpu(gpu)].rates.bytes;
      const bool first = bandwidth.gpu_copy == 0;
      bandwidth.gpu_read = bandwidth.gpu_copy = first ? one : std::min(bandwidth.gpu_copy, one);
    }
    return bandwidth;
  }
  measure_cpus(bandwidth);
#ifdef ASTERISM_CUDA
  measure_gpus(bandwidth);
#endif
  return bandwidth;
}

namespace {

/// Two rates that are measured together.
struct KnownPair {
  std::string copy, read;
  void find(const KnownRates& rates, double& copied, double& was_read) const {
    copied = rates.find(copy).value_or(0);
    was_read = rates.find(read).value_or(0);
  }
  void keep(KnownRates& rates, double& copied, double& was_read) const {
    copied = rates.keep(copy, copied);
    was_read = rates.keep(read, was_read);
  }
};

}  // namespace

Bandwidth known_bandwidth() {
  if (simulated) return measure_bandwidth();
  KnownRates rates = known_rates();
  const unsigned cores = starpu_cpu_worker_get_count();
  const KnownPair of_cpus{fmt::format("bandwidth/copy/{} cores", cores), fmt::format("bandwidth/read/{} cores", cores)};
  Bandwidth bandwidth;
  of_cpus.find(rates, bandwidth.cpu_copy, bandwidth.cpu_read);
  if (cores > 0 && (bandwidth.cpu_copy == 0 || bandwidth.cpu_read == 0)) {
    measure_cpus(bandwidth);
    of_cpus.keep(rates, bandwidth.cpu_copy, bandwidth.cpu_read);
  }
#ifdef ASTERISM_CUDA
  if (starpu_cuda_worker_get_count() == 0) return bandwidth;
  const KnownPair of_gpus{"bandwidth/copy/GPU", "bandwidth/read/GPU"};
  of_gpus.find(rates, bandwidth.gpu_copy, bandwidth.gpu_read);
  if (bandwidth.gpu_copy == 0 || bandwidth.gpu_read == 0) {
    measure_gpus(bandwidth);
    of_gpus.keep(rates, bandwidth.gpu_copy, bandwidth.gpu_read);
  }
#endif
  return bandwidth;
}

}  // namespace asterism
