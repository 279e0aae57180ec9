// The task flows of conjugate gradient. Each function submits tasks and returns; none waits, except where
// VectorMode::blocking makes the naive flow do so.
#pragma once

#include "taskflows/cg/system.hpp"

namespace asterism::cg {

/// Where iteration k leaves its line of history.
struct HistorySlot {
  starpu_data_handle_t handle;
  int slot;
};

/// r = b - A x, z = M^-1 r, p = z and the scalars of the first iteration (Algorithm 1, lines 1 to 5).
/// The state must have been set to State{} with the wanted threshold.
void submit_start(System& system);

/// One iteration of the flow chosen in system.options. parity: 0 and 1 in turn, beginning with 0 after each start.
void submit_iteration(System& system, HistorySlot history, int parity);

/// Block-rows of other ranks write what those of this one need of them, by tasks of `codelet`.
void submit_neighbours_packing(System& system, starpu_codelet& codelet);

// The flows themselves.
namespace separate {
void start(System& system);
void iteration(System& system, HistorySlot history);
}  // namespace separate
namespace fused {
void start(System& system);
void iteration(System& system, HistorySlot history);
}  // namespace fused
namespace pipelined {
void start(System& system);
void iteration(System& system, HistorySlot history, int parity);
}  // namespace pipelined

}  // namespace asterism::cg
