// SPDX-License-Identifier: Apache-2.0
// The task flows of conjugate gradient. Each function submits tasks and returns; none waits, except where
// VectorMode::blocking makes the naive flow do so, and prepare_iterations().
//
//   flow/separate.cpp   Algorithm 1 of the paper, one task per operation and block-row (flows naive and refined)
//   flow/fused.cpp      three tasks per block-row and iteration; or several iterations of a block-row in one task
//   flow/pipelined.cpp  pipelined CG (Ghysels and Vanroose), two tasks per block-row and iteration
//   flow/product.cpp    q <- A p, which all of them have
//   exchange.hpp        how the elements of p reach the block-rows before a product
//
// The tasks of an iteration follow each other closely, so that no order among those that are ready saves time: all have
// StarPU's default priority.
#pragma once

#include <optional>

#include "taskflows/cg/simulation.hpp"

namespace asterism::cg {

/// Where an iteration leaves its entry of the history.
struct HistorySlot {
  starpu_data_handle_t handle;
  int slot;
};

/// What becomes of the direction p when r is computed anew.
enum class Direction {
  fresh,  ///< p = z: conjugate gradient begins
  kept,   ///< p stays: it continues, with a residual that is true again (residual replacement)
};

/// r = b - A x, z = M^-1 r, p = z and the scalars of the first iteration (Algorithm 1, lines 1 to 5).
/// The state must have been set to State{} with the wanted threshold; in the pipelined flow, for Direction::kept, only
/// its status, iteration and threshold.
void submit_start(System& system, Direction direction);

/// Pipelined, between two iterations, the next having this `parity`: computes what the recurrences stand for anew.
void submit_replacement(System& system, int parity);

/// Pipelined, after a breakdown: contributions to the true p.Ap of the direction that the state's step would have
/// taken.
void submit_curvature(System& system);

/// One iteration of the flow chosen in system.options. parity: 0 and 1 in turn, beginning with 0 after each start.
void submit_iteration(System& system, HistorySlot history, int parity);

/// After the first start: the units make ready for submit_iterations() what is made once, such as the way to memory of
/// other ranks. Waits where there is such a thing.
void prepare_iterations(System& system);

/// `count` iterations in one task, for TaskSize::iterations and graph; `history`: of the first.
void submit_iterations(System& system, HistorySlot history, int count);

/// What a product adds up beside q.
enum class ProductSums { none, p_dot_q };
/// q <- A p: one task per block.
void submit_product(System& system, ProductSums sums);

/// A step of the scalars: the state of block-row i from `contributions`, and an entry of the history.
void submit_step(System& system, Codelet& step, int i, const std::vector<Access>& contributions,
                 const std::optional<HistorySlot>& history = std::nullopt);

/// Over several ranks: receives what block-rows of other ranks pack for those of this one. The tasks of the codelet run
/// there; here only messages follow.
void submit_neighbours_packing(System& system, Codelet& codelet);

/// y_i <- x_i
void submit_copy(starpu_data_handle_t from, starpu_data_handle_t to);
/// saved_i <- p_i, and back: what a start does with a direction that is kept.
void submit_saving(System& system);
void submit_restoring(System& system);

// The flows themselves.
namespace separate {
void start(System& system, Direction direction);
void iteration(System& system, HistorySlot history);
}  // namespace separate
namespace fused {
void start(System& system, Direction direction);
void iteration(System& system, HistorySlot history);
}  // namespace fused
namespace pipelined {
void start(System& system, Direction direction);
void iteration(System& system, HistorySlot history, int parity);
}  // namespace pipelined

}  // namespace asterism::cg
