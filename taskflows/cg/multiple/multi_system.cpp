// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/multiple/multi_system.hpp"

#include <starpu.h>

#include "base/as_size.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism::cg {

bool MultiSystem::suits(const System& system, const Session& session) {
  const Options& o = system.options;
  return !simulated && session.gpus() == 0 && !system.distributed() && starpu_memory_nodes_get_count() == 1 &&
         o.flow == Flow::fused && o.decomposition == Decomposition::one_d && o.vector == VectorMode::pieces &&
         o.format == Format::sell && o.preconditioner_flow == PreconditionerFlow::none;
}

int MultiSystem::width_for(std::size_t right_hand_sides) {
  return right_hand_sides > 4 ? 8 : right_hand_sides > 2 ? 4 : 2;
}

MultiSystem::MultiSystem(const System& system, int vectors) : sys_(system), vectors_(vectors) {
  const auto n = static_cast<std::size_t>(sys_.last_row());
  const std::size_t all = n * as_size(vectors);
  std::size_t halos = 0;  // packed: each piece of p has rows of others behind it
  for (int i = 0; i < sys_.blocks(); ++i)
    if (sys_.p.needed(i) != nullptr) halos += static_cast<std::size_t>(sys_.p.needed(i)->size()) * as_size(vectors);
  const bool preconditioned = sys_.preconditioned();
  // pages are placed by the tasks that write them first
  memory_ = Array<double>(all * (preconditioned ? 5 : 4) + halos);
  double* const x = memory_.data();
  double* const q = x + all;
  double* const r = q + all;
  double* const z = preconditioned ? r + all : r;
  double* const all_p = z + all;
  double* p = all_p;
  const int blocks = sys_.blocks();
  const auto per_block = as_size(blocks * vectors);
  state_memory_ = HostBuffer<State>(as_size(vectors));
  sum_memory_ = HostBuffer<Sum>(per_block);
  dots_memory_ = HostBuffer<Dots>(per_block);
  states_ = Handle::vector(state_memory_.data(), as_size(vectors), sizeof(State), "states");
  for (std::size_t w = 0; w < history_.size(); ++w) {
    const std::size_t entries = as_size(sys_.options.check_every * vectors);
    history_memory_[w] = HostBuffer<HistoryEntry>(entries);
    history_[w] = Handle::vector(history_memory_[w].data(), entries, sizeof(HistoryEntry), "history");
  }
  for (int i = 0; i < blocks; ++i) {
    const std::int64_t first = sys_.partition.first(i);
    const std::int64_t rows = sys_.partition.rows(i);
    const std::int64_t at = first * vectors;
    const std::size_t numbers = static_cast<std::size_t>(rows) * as_size(vectors);
    codelets::MultiBlock& block = blocks_.emplace_back();
    block = {sys_.rows[as_size(i)].front().layout, first, rows, x + at, q + at, r + at, z + at, p, all_p};
    const int size = sys_.options.preconditioner_block;
    if (preconditioned) block.m = {size, sys_.inverse.memory.data() + first * size};
    p += rows * vectors;
    if (const NeededColumns* const needed = sys_.p.needed(i)) {
      block.window = block.p;
      block.halo = needed->size();
      p += block.halo * vectors;
    }
    const Coordinates place{i, i};
    own_.push_back(Handle::vector(block.q, numbers, sizeof(double), fmt::format("Q[{}]", i), place));
    p_.push_back(Handle::vector(block.p, numbers, sizeof(double), fmt::format("P[{}]", i), place));
    sums_.push_back(Handle::vector(&sum_memory_[as_size(i * vectors)], as_size(vectors), sizeof(Sum), "sums", place));
    dots_.push_back(Handle::vector(&dots_memory_[as_size(i * vectors)], as_size(vectors), sizeof(Dots), "dots", place));
  }
  make_halos();
}

void MultiSystem::make_halos() {
  halo_from_.resize(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].halo == 0) continue;
    std::size_t owner = 0;
    for (const std::int32_t column : sys_.p.needed(static_cast<int>(i))->list(0, sys_.last_row())) {
      while (column >= blocks_[owner].first + blocks_[owner].rows) ++owner;
      halo_from_[i].push_back(blocks_[owner].p + (column - blocks_[owner].first) * vectors_);
    }
    blocks_[i].halo_from = halo_from_[i].data();
  }
}

MultiSystem::~MultiSystem() {
  starpu_task_wait_for_all();
}

}  // namespace asterism::cg
