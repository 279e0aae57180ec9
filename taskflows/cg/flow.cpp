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

}  // namespace asterism::cg
