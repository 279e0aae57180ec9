// SPDX-License-Identifier: Apache-2.0
// Windows of past values, which the products with slices read, and solutions, which become past values.
#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>

#include "codelets/tdbem/kernels/product/cache_lines.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {

// Windows reach further than the largest lag: what pads a panel reads before the oldest value that counts.
template <class T>
void Simulation<T>::build_windows(std::int32_t observer_lag) {
  const LagCounts& counts = matrices_.structure().counts;
  shape_.group = method_.group;
  shape_.reach = std::max(counts.largest_lag + counts.longest, observer_lag + method_.group);
  // a group ahead looks further into the future, which is zero
  shape_.stride =
      aligned((shape_.reach + width_) * static_cast<std::int64_t>(sizeof(T))) / static_cast<std::int64_t>(sizeof(T));
  window_memory_.resize(matrices_.blocks());
  windows_.resize(matrices_.blocks());
  for (const std::size_t b : matrices_.own_blocks()) {
    const auto elements = static_cast<std::size_t>(waves_ * matrices_.structure().blocks[b].size() * shape_.stride);
    window_memory_[b] = HostBuffer<T>(elements);
    windows_[b] = Handle::temporary(window_memory_[b].data(), elements, sizeof(T), fmt::format("window_{}", b));
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const auto elements = static_cast<std::size_t>(waves_) * static_cast<std::size_t>(method_.group) *
                          static_cast<std::size_t>(unknowns_);
    solution_memory_[s] = HostBuffer<T>(elements);
    solutions_[s] = Handle::temporary(solution_memory_[s].data(), elements, sizeof(T), fmt::format("solutions_{}", s));
  }
}

/// Where the windows of a block are needed next: on its GPU, or on some core.
template <class T>
int Simulation<T>::owner(std::size_t block) const {
  if (sharing_ == Sharing::scheduler) return any_worker;
  std::int64_t b = static_cast<std::int64_t>(block) - matrices_.own().begin;
  for (std::size_t w = 0; w < shares_.size(); ++w) {
    if (b >= shares_[w]) {
      b -= shares_[w];
      continue;
    }
    const bool cores = w == 0 && !cores_.empty();
    return cores ? cores_[block % cores_.size()] : gpus_[w - (cores_.empty() ? 0 : 1)];
  }
  return any_worker;
}

template <class T>
void Simulation<T>::submit_move_on(Range blocks) {
  codelets::MoveOnArgs args;
  args.shape = shape_;
  args.unknowns = unknowns_;
  args.waves = waves_;
  std::vector<Access> accesses;
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    const Range slices = matrices_.structure().blocks[static_cast<std::size_t>(b)];
    args.slices[args.blocks++] = {slices.begin, slices.size()};
    args.work.cells += slices.size() * shape_.stride;
    accesses.push_back({windows_[static_cast<std::size_t>(b)], STARPU_RW});
  }
  args.work.variant = args.blocks;
  accesses.push_back({solutions(steps_ / method_.group), STARPU_R});
  TaskOptions options;
  options.priority = window_priority;
  options.worker = owner(static_cast<std::size_t>(blocks.begin));
  // window_j = (a_j^(n+n_g-reach), ..., a_j^(n+n_g-1)): n_g values are new
  submit(codelets::move_on.of<T>(), args, accesses, options);
  ++tasks_;
}

/// Windows of a GPU move on together.
template <class T>
void Simulation<T>::submit_moves() {
  const std::int32_t blocks = matrices_.own().end;
  for (std::int32_t b = matrices_.own().begin, next = 0; b < blocks; b = next) {
    const int unit = owner(static_cast<std::size_t>(b));
    const bool gpu = std::find(gpus_.begin(), gpus_.end(), unit) != gpus_.end();
    const std::int32_t most = gpu ? std::min(blocks, b + most_blocks_at_once) : b + 1;
    next = b + 1;
    while (next < most && owner(static_cast<std::size_t>(next)) == unit) ++next;
    submit_move_on({b, next});
  }
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace asterism::tdbem
