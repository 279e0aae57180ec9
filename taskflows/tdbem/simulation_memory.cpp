// Whether a GPU's memory, which need not hold all blocks, can hold what tasks need at the same time.
#include <starpu.h>

#include <algorithm>

#include "taskflows/runtime/memory_limits.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {
namespace {

/// Tasks whose data StarPU brings to a GPU at the same time: one runs, two come next in its driver's pipeline.
constexpr std::int64_t tasks_at_once = 3;

template <class... Handles>
std::int64_t bytes_of(const Handles&... handles) {
  return (static_cast<std::int64_t>(handles.get() == nullptr ? 0 : starpu_data_get_size(handles)) + ...);
}
std::int64_t bytes_of(const std::vector<Handle>& handles) {
  std::int64_t sum = 0;
  for (const Handle& h : handles) sum += bytes_of(h);
  return sum;
}

}  // namespace

template <class T>
void Simulation<T>::check_memory_of_gpus() const {
  std::int64_t need =
      bytes_of(solutions_[0], solutions_[1], tally_, product_scratch_, solve_scratch_, pressure_[0], pressure_[1]) +
      bytes_of(windows_) + bytes_of(surface_) + bytes_of(m0_);
  for (const Part& part : parts_) need += bytes_of(part.totals, part.near) + bytes_of(part.light);
  for (const Partial& partial : partials_) need += bytes_of(partial.sums);
  std::int64_t largest = 0;
  const auto blocks = static_cast<std::int32_t>(matrices_.blocks());
  for (std::int32_t first = 0; first < blocks; ++first) {
    std::int64_t batch = 0;
    for (std::int32_t b = first; b < end_of_batch(first, blocks); ++b)
      batch += matrices_.block_bytes(static_cast<std::size_t>(b));
    largest = std::max(largest, batch);
  }
  for (const int gpu : gpus_)
    require_gpu_memory(starpu_worker_get_memory_node(static_cast<unsigned>(gpu)), need + tasks_at_once * largest,
                       "blocks of fewer slices (--cluster) need less");
}

template void Simulation<float>::check_memory_of_gpus() const;
template void Simulation<double>::check_memory_of_gpus() const;

}  // namespace asterism::tdbem
