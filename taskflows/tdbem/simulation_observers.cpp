// SPDX-License-Identifier: Apache-2.0
// The pressure at observers: by blocks of slices, and the record of all steps.
#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <memory>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/flow.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {

// weights of all unknowns are cut into those of blocks
template <class T>
void Simulation<T>::build_observers(const ObserverWeights<T>& all) {
  const std::size_t observers = problem_.observers.size();
  observed_blocks_.resize(matrices_.blocks());
  for (const std::size_t b : matrices_.own_blocks()) {
    const Range slices = matrices_.structure().blocks[b];
    ObservedBlock& l = observed_blocks_[b];
    l.start.push_back(0);
    for (std::size_t o = 0; o < observers; ++o)
      for (std::int32_t j = slices.begin; j < slices.end; ++j) {
        const std::size_t x = o * static_cast<std::size_t>(unknowns_) + static_cast<std::size_t>(j);
        l.first.push_back(all.first[x]);
        l.weight.insert(l.weight.end(), all.weight.begin() + static_cast<std::ptrdiff_t>(all.start[x]),
                        all.weight.begin() + static_cast<std::ptrdiff_t>(all.start[x + 1]));
        l.start.push_back(l.weight.size());
      }
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const std::size_t elements = static_cast<std::size_t>(waves_) * observers * static_cast<std::size_t>(method_.group);
    pressure_memory_[s] = HostBuffer<T>(elements);
    pressure_[s] = Handle::temporary(pressure_memory_[s].data(), elements, sizeof(T), fmt::format("pressure_{}", s));
  }
  for (const std::size_t b : matrices_.own_blocks()) {
    ObservedBlock& l = observed_blocks_[b];
    l.start_handle =
        Handle::temporary(l.start.data(), l.start.size(), sizeof(l.start[0]), fmt::format("observed_start_{}", b));
    l.first_handle =
        Handle::temporary(l.first.data(), l.first.size(), sizeof(l.first[0]), fmt::format("observed_first_{}", b));
    l.weight_handle =
        Handle::temporary(l.weight.data(), l.weight.size(), sizeof(T), fmt::format("observed_weight_{}", b));
    l.pressure = Handle::temporary(
                     nullptr, static_cast<std::size_t>(waves_) * observers * static_cast<std::size_t>(method_.group),
                     sizeof(T), fmt::format("observed_{}", b))
                     .kept_in_memory();
  }
}

template <class T>
void Simulation<T>::submit_observe() {
  const std::int64_t number = steps_ / method_.group;
  const auto observers = static_cast<std::int32_t>(problem_.observers.size());
  const Handle& pressure = pressure_[static_cast<std::size_t>(number % 2)];
  std::vector<Addend> of_blocks;
  for (const std::size_t b : matrices_.own_blocks()) {
    const ObservedBlock& l = observed_blocks_[b];
    codelets::ObserveArgs args;
    args.shape = shape_;
    args.observers = observers;
    args.slices = matrices_.structure().blocks[b].size();
    args.waves = waves_;
    args.work.cells = static_cast<std::int64_t>(l.weight.size());
    TaskOptions options;
    options.priority = summation_priority;
    options.worker = owner(b);
    // p_o^(n+g) of block J = sum_(j in J) sum_k w_oj^k a_j^(n+g-k)
    submit(codelets::observe.of<T>(), args,
           {{l.start_handle, STARPU_R},
            {l.first_handle, STARPU_R},
            {l.weight_handle, STARPU_R},
            {windows_[b], STARPU_R},
            {l.pressure, STARPU_W}},
           options);
    of_blocks.push_back({l.pressure, {0, observers, Arrangement::by_wave, 0}});
    ++tasks_;
  }
  // p_o^(n+g) = sum over the blocks
  tasks_ += submit_sum<T>(pressure, {0, observers, method_.group, method_.group, waves_}, Begun::nothing, of_blocks,
                          on_solving_unit(window_priority));
  struct Kept {
    starpu_data_handle_t handle;
    double* record;
    std::int64_t stride;
    std::int64_t lines;
    std::int64_t group;
  };
  auto* const kept = new Kept{pressure, record_.data() + steps_, record_stride_,
                              static_cast<std::int64_t>(waves_) * observers, method_.group};
  starpu_data_acquire_cb(
      pressure, STARPU_R,
      [](void* argument) {
        const std::unique_ptr<Kept> k(static_cast<Kept*>(argument));
        // not the local pointer: a GPU's thread may be the one that gets here
        const auto* const values = static_cast<const T*>(starpu_data_handle_to_pointer(k->handle, STARPU_MAIN_RAM));
        for (std::int64_t line = 0; line < k->lines; ++line)
          std::copy_n(values + line * k->group, k->group, k->record + line * k->stride);
        starpu_data_release(k->handle);
      },
      kept);
}

// callbacks that keep the observers' record are no tasks
template <class T>
void Simulation<T>::wait_for_record() {
  if (!observed_blocks_.empty())
    for (const Handle& pressure : pressure_) const Acquired held(pressure, STARPU_RW);
}

template <class T>
void Simulation<T>::reserve(std::int64_t steps) {
  // the last group may go beyond what is asked for
  steps = (steps + method_.group - 1) / method_.group * method_.group;
  const std::size_t lines = static_cast<std::size_t>(waves_) * problem_.observers.size();
  if (lines == 0 || steps <= record_stride_) return;
  wait_for_record();
  std::vector<double> grown(lines * static_cast<std::size_t>(steps));
  for (std::size_t l = 0; l < lines; ++l)
    std::copy_n(record_.begin() + static_cast<std::ptrdiff_t>(l) * record_stride_, std::min(steps_, record_stride_),
                grown.begin() + static_cast<std::ptrdiff_t>(l) * steps);
  record_ = std::move(grown);
  record_stride_ = steps;
}

template <class T>
const double* Simulation<T>::observed_pressure(std::int32_t wave, std::int32_t observer) {
  wait_for_record();
  const auto line = wave * static_cast<std::int64_t>(problem_.observers.size()) + observer;
  return record_.data() + line * record_stride_;
}

// the same step is never added twice: its record is zero on all other ranks then
template <class T>
void Simulation<T>::gather_observed_pressure() {
  wait_for_record();
  if (!distributed_sums_ || record_stride_ == 0 || gathered_until_ == steps_) return;
  const auto lines = static_cast<std::int64_t>(record_.size()) / record_stride_;
  const std::int64_t first = gathered_until_, steps = steps_ - first;
  std::vector<double> mine;
  for (std::int64_t l = 0; l < lines; ++l)
    mine.insert(mine.end(), record_.begin() + l * record_stride_ + first,
                record_.begin() + l * record_stride_ + steps_);
  rank_group().collect(std::span<const double>(mine), [&](int rank, std::span<const double> part) {
    for (std::int64_t l = 0; l < lines && rank > 0; ++l)
      for (std::int64_t n = 0; n < steps; ++n)
        record_[static_cast<std::size_t>(l * record_stride_ + first + n)] +=
            part[static_cast<std::size_t>(l * steps + n)];
  });
  gathered_until_ = steps_;
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem
