// SPDX-License-Identifier: Apache-2.0
// The kernels of GPUs, as the functions of tasks call them.
#include "codelets/tdbem/codelets_cuda.hpp"

#include <starpu.h>
#include <starpu_cuda.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/group_march_cuda.hpp"
#include "codelets/tdbem/kernels/march/partial_sums_cuda.hpp"
#include "codelets/tdbem/kernels/march/radiation_cuda.hpp"
#include "codelets/tdbem/kernels/march/solve_cuda.hpp"
#include "codelets/tdbem/kernels/march/windows_cuda.hpp"
#include "codelets/tdbem/kernels/product/full_blocking_cuda.hpp"
#include "codelets/tdbem/kernels/product/product_cuda.hpp"
#include "codelets/tdbem/kernels/waves/illumination_cuda.hpp"
#include "codelets/tdbem/kernels/waves/observe_cuda.hpp"
#include "codelets/tdbem/task_functions.hpp"

namespace asterism::tdbem::codelets::gpu {
namespace {

/// Asynchronous on the worker's stream.
struct Gpu {
  static constexpr bool marches_at_once = true;
  cudaStream_t stream = starpu_cuda_get_local_stream();

  template <class T>
  void zero(T* values, std::int64_t elements) const {
    ASTERISM_CHECK_CUDA(cudaMemsetAsync(values, 0, static_cast<std::size_t>(elements) * sizeof(T), stream));
  }
  template <class T, class Scratch>
  void product(const ProductArgs& a, const void* const* blocks, const WindowsOfBlocks<T>& windows, const Sums<T>& sums,
               const Scratch& scratch) const {
    char* const memory = scratch();
    auto* const tiles = reinterpret_cast<Tile<T>*>(memory);
    Directories directories;
    std::int32_t panels = 0, slices = 0;
    for (std::int32_t& k = directories.count; k < a.blocks; ++k) {
      const PartOfBlock& place = a.place[k];
      directories.block[k] = blocks[k];
      directories.directory[k] = place.directory + place.first_tile * static_cast<std::int64_t>(sizeof(PlacedTile));
      panels = std::max(panels, place.panels);
      slices = std::max(slices, place.slices);
    }
    const std::int32_t count = a.blocks * windows.tiles_of_each;
    cuda::place_tiles(directories, windows.tiles_of_each, tiles, stream);
    auto* const parts = reinterpret_cast<T*>(memory + tasks::tile_bytes<T>(count));
    cuda::product(tiles, product_shape(count, panels, slices), windows, sums, parts, stream);
  }
  template <class T>
  void full_blocks_product(const FullBlocksView<T>& blocks, const Windows<T>& windows, const Sums<T>& sums) const {
    cuda::full_blocks_product(blocks, windows, sums, stream);
  }
  template <class T>
  void combine(const TotalsShape& shape, Begun begun, const PartialSums<T>* partials, std::int32_t count,
               T* totals) const {
    cuda::combine(shape, begun, partials, count, totals, stream);
  }
  template <class T>
  void illuminate(const SurfaceView& surface, const Illumination& incident, const Steps& steps, std::int32_t begin,
                  std::int32_t end, T* out) const {
    cuda::illuminate(surface, incident, steps, begin, end, out, stream);
  }
  template <class T>
  void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r) const {
    cuda::right_hand_side(shape, g, r, stream);
  }
  template <class T>
  void solve(const SolveArgs& a, const CsrView<T>& m, const T* inverse, const Guess<T>& guess, T* rhs, T* answer,
             SolveTally* tally) const {
    const tasks::SolveScratch<T> scratch(rhs, a.rows);
    cuda::solve(m, inverse, a.limits, rhs, guess, answer, scratch.workspace, scratch.partials,
                cuda::solve_blocks<T>(a.rows), tally, a.step, stream);
  }
  template <class T>
  void radiate(const NearRowsView<T>& near, std::int32_t g0, const Found<T>& found, const Sums<T>& sums,
               std::int32_t begin, std::int32_t end) const {
    cuda::radiate(near, g0, found, sums, begin, end, stream);
  }
  template <class T>
  void march(const SolveArgs& a, const tasks::SolveData<T>& data, const TotalsShape& shape,
             const std::vector<const T*>& incident, const NearRowsView<T>& near, T* totals) const {
    GroupMarch<T> m;
    m.matrix = data.m;
    m.inverse_diagonal = data.inverse;
    m.limits = a.limits;
    m.step = a.step;
    m.shape = shape;
    m.totals = totals;
    m.illuminated = a.illuminated;
    if (a.illuminated) std::copy(incident.begin(), incident.end(), m.incident);
    m.solutions = data.solutions;
    m.other = data.other;
    m.near = near;
    const tasks::SolveScratch<T> scratch(data.rhs, a.rows);
    m.rhs = data.rhs;
    m.shared = reinterpret_cast<double*>(scratch.workspace);
    m.partial = scratch.partials;
    m.tally = data.tally;
    cuda::march_group(m, stream);
  }
  template <class T>
  void move_on(const MovedBlocks<T>& windows, const Done<T>& done) const {
    cuda::move_on(windows, done, stream);
  }
  template <class T>
  void observe(const ObserverView<T>& observers, const HistoryView<T>& history, std::int32_t steps, T* p) const {
    cuda::observe(observers, history, 0, observers.observers, steps, p, stream);
  }
};

/// A stream of a worker whose kernels come before those of others that wait for a place on the GPU.
struct Urgent {
  cudaStream_t stream = nullptr;
  cudaEvent_t end = nullptr;
};
Urgent urgent_of_worker() {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, Urgent> of_all;  // by GPU and worker
  int device = 0;
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  Urgent& urgent = of_all[{device, starpu_worker_get_id()}];
  if (urgent.stream == nullptr) {
    int least = 0, greatest = 0;
    ASTERISM_CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    ASTERISM_CHECK_CUDA(cudaStreamCreateWithPriority(&urgent.stream, cudaStreamNonBlocking, greatest));
    ASTERISM_CHECK_CUDA(cudaEventCreateWithFlags(&urgent.end, cudaEventDisableTiming));
  }
  return urgent;
}

/// For a chain of short tasks, beside which products for steps to come fill the GPU.
struct UrgentGpu : Gpu {
  UrgentGpu() : worker_stream_(stream), end_(urgent_of_worker().end) { stream = urgent_of_worker().stream; }
  UrgentGpu(const UrgentGpu&) = delete;
  UrgentGpu& operator=(const UrgentGpu&) = delete;
  /// What the worker's stream comes to next waits for what was launched here. (A failure is one of the next call, too.)
  ~UrgentGpu() {
    cudaEventRecord(end_, stream);
    cudaStreamWaitEvent(worker_stream_, end_, 0);
  }

 private:
  cudaStream_t worker_stream_;
  cudaEvent_t end_;
};

}  // namespace

template <class T>
Functions functions() {
  return {tasks::product<Gpu, T>,          tasks::full_blocks_product<Gpu, T>, tasks::combine<UrgentGpu, T>,
          tasks::illuminate<UrgentGpu, T>, tasks::solve<UrgentGpu, T>,         tasks::radiate<UrgentGpu, T>,
          tasks::march<UrgentGpu, T>,      tasks::move_on<UrgentGpu, T>,       tasks::observe<UrgentGpu, T>};
}
template Functions functions<double>();
template Functions functions<float>();

}  // namespace asterism::tdbem::codelets::gpu
