// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/flow.hpp"

namespace asterism::cg {

void submit_start(System& system, Direction direction) {
  switch (system.options.flow) {
    case Flow::naive:
    case Flow::refined:
      return separate::start(system, direction);
    case Flow::fused:
      return fused::start(system, direction);
    case Flow::pipelined:
      return pipelined::start(system, direction);
  }
}

void submit_iteration(System& system, HistorySlot history, int parity) {
  switch (system.options.flow) {
    case Flow::naive:
    case Flow::refined:
      return separate::iteration(system, history);
    case Flow::fused:
      return fused::iteration(system, history);
    case Flow::pipelined:
      return pipelined::iteration(system, history, parity);
  }
}

void submit_step(System& system, Codelet& step, int i, const std::vector<Access>& contributions,
                 const std::optional<HistorySlot>& history) {
  std::vector<Access> accesses{{system.state_of(i), STARPU_RW}};
  accesses.insert(accesses.end(), contributions.begin(), contributions.end());
  if (history) accesses.push_back({history->handle, STARPU_RW});
  submit(
      step,
      codelets::StepArgs{static_cast<std::int32_t>(contributions.size()), history ? history->slot : codelets::no_slot},
      accesses);
}

void submit_copy(starpu_data_handle_t from, starpu_data_handle_t to) {
  submit(codelets::copy, codelets::NoArgs{}, {{from, STARPU_R}, {to, STARPU_W}});
}

void submit_saving(System& system) {
  for (const int i : system.own()) submit_copy(system.p.piece(i), system.saved[i]);
}

void submit_restoring(System& system) {
  for (const int i : system.own()) submit_copy(system.saved[i], system.p.piece(i));
}

void submit_neighbours_packing(System& system, Codelet& codelet) {
  for (const int j : system.p.neighbours()) {
    // p_ij <- what block-rows of this rank need of p_j
    std::vector<Access> accesses;
    for (const starpu_data_handle_t output : system.p.written_by(j)) accesses.push_back({output, STARPU_W});
    submit(codelet.starpu(), codelets::NoArgs{}, accesses, {.rank = system.partition.owner(j)});
  }
}

}  // namespace asterism::cg
