#include "taskflows/cg/flow.hpp"

namespace asterism::cg {

void submit_start(System& system) {
  switch (system.options.flow) {
    case Flow::naive:
    case Flow::refined:
      return separate::start(system);
    case Flow::fused:
      return fused::start(system);
    case Flow::pipelined:
      return pipelined::start(system);
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

void submit_neighbours_packing(System& system, starpu_codelet& codelet) {
  for (const int j : system.p.neighbours()) {
    std::vector<Access> accesses;
    for (const starpu_data_handle_t output : system.p.packing(j).outputs) accesses.push_back({output, STARPU_W});
    submit(codelet, 0, accesses, {.rank = system.partition.owner(j)});
  }
}

}  // namespace asterism::cg
