// SPDX-License-Identifier: Apache-2.0
// Whether a GPU's memory, which need not hold all blocks, can hold what tasks need at the same time.
#include <starpu.h>

#include <algorithm>

#include "runtime/memory/memory_limits.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {
namespace {

/// Tasks whose data StarPU brings to a GPU at the same time: one runs, two come next in its driver's pipeline.
constexpr std::int64_t tasks_at_once = 3;
/// StarPU cuts small data out of chunks of a GPU's memory, and cannot do with less than a chunk (StarPU 1.4,
/// src/datawizard/malloc.c, CHUNK_SIZE and CHUNK_ALLOC_MAX).
constexpr std::int64_t chunk = std::int64_t{32} << 20;
constexpr std::int64_t largest_in_chunk = chunk / 8;

struct Need {
  std::int64_t in_chunks = 0, alone = 0;  ///< bytes

  void add(std::int64_t bytes, std::int64_t times = 1) {
    (bytes <= largest_in_chunk ? in_chunks : alone) += times * bytes;
  }
  void add(const Handle& handle) {
    if (handle.get() != nullptr) add(static_cast<std::int64_t>(starpu_data_get_size(handle)));
  }
  void add(const std::vector<Handle>& handles) {
    for (const Handle& handle : handles) add(handle);
  }
  [[nodiscard]] std::int64_t bytes() const { return (in_chunks + chunk - 1) / chunk * chunk + alone; }
};

}  // namespace

template <class T>
void Simulation<T>::check_memory_of_gpus() const {
  Need need;
  for (const auto* handles : {&windows_, &surface_, &m0_}) need.add(*handles);
  for (const Handle* handle :
       {&solutions_[0], &solutions_[1], &tally_, &product_scratch_, &solve_scratch_, &pressure_[0], &pressure_[1]})
    need.add(*handle);
  for (const Part& part : parts_) {
    need.add(part.totals);
    need.add(part.near);
    need.add(part.incident);
  }
  for (const Partial& partial : partials_) need.add(partial.sums);
  if (distributed_sums_)
    for (const starpu_data_handle_t handle : distributed_sums_->data())
      need.add(static_cast<std::int64_t>(starpu_data_get_size(handle)));
  std::int64_t largest = 0;
  std::int32_t in_batch = 1;
  const Range own = matrices_.own();
  for (std::int32_t b = own.begin; b < own.end; ++b) {
    largest = std::max(largest, product_bytes_of(static_cast<std::size_t>(b)));
    in_batch = std::max(in_batch, end_of_batch(b, own.end) - b);
  }
  need.add(largest, tasks_at_once * in_batch);
  for (const int gpu : gpus_)
    require_gpu_memory(starpu_worker_get_memory_node(static_cast<unsigned>(gpu)), need.bytes(),
                       "blocks of fewer slices (--cluster) need less");
}

template <class T>
int Simulation<T>::node_of_solving_unit() const {
  return static_cast<int>(starpu_worker_get_memory_node(static_cast<unsigned>(solving_unit_)));
}

// What every step reads would be pushed out by blocks, whose chunks then never become free as a whole for what does not
// fit into one.
template <class T>
void Simulation<T>::pin_constants() {
  if (solving_unit_ == any_worker) return;
  const auto pin = [&](const Handle& handle) {
    if (handle.get() == nullptr || starpu_data_acquire_on_node(handle, node_of_solving_unit(), STARPU_R) != 0) return;
    pinned_.push_back(handle);
  };
  for (const Part& part : parts_) pin(part.near);
  for (const Handle& handle : m0_) pin(handle);
}

template void Simulation<float>::pin_constants();
template void Simulation<double>::pin_constants();
template int Simulation<float>::node_of_solving_unit() const;
template int Simulation<double>::node_of_solving_unit() const;
template void Simulation<float>::check_memory_of_gpus() const;
template void Simulation<double>::check_memory_of_gpus() const;

}  // namespace asterism::tdbem
