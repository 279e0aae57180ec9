// SPDX-License-Identifier: Apache-2.0
// The order of operations with several right-hand sides: that of flow/fused.cpp, on vectors side by side. The formulas
// hold for each of them, with its own alpha and beta.
#include "base/as_size.hpp"
#include "taskflows/cg/multiple/multi_system.hpp"

namespace asterism::cg {
namespace {

std::vector<Access> with_contributions(starpu_data_handle_t states, const std::vector<Handle>& contributions) {
  std::vector<Access> accesses{{states, STARPU_RW}};
  for (const Handle& one : contributions) accesses.push_back({one, STARPU_R});
  return accesses;
}

}  // namespace

codelets::MultiArgs MultiSystem::args(int i) const {
  return {&blocks_[as_size(i)], vectors_, sys_.blocks(), codelets::no_slot, right_.data(), to_.data()};
}

void MultiSystem::submit_load() {
  // x <- x0
  for (int i = 0; i < sys_.blocks(); ++i) {
    codelets::MultiArgs load = args(i);
    load.from = start_.data();
    submit(codelets::multi_load, load, {{own_[as_size(i)], STARPU_W}});
  }
}

void MultiSystem::submit_product(Codelet& codelet) {
  const bool dot = codelet.is(&codelets::multi_product_dot.starpu());
  // q_i <- A_i p;  {p.q}_i
  for (int i = 0; i < sys_.blocks(); ++i) {
    std::vector<Access> accesses{{sys_.rows[as_size(i)].front().handle, STARPU_R}, {own_[as_size(i)], STARPU_RW}};
    if (dot) accesses.push_back({sums_[as_size(i)], STARPU_W});
    for (const Handle& piece : p_) accesses.push_back({piece, STARPU_R});
    submit(codelet, args(i), accesses);
  }
}

/// r = b - A x and its sums; p holds x then.
void MultiSystem::submit_true_residual() {
  for (int i = 0; i < sys_.blocks(); ++i) {
    // p <- x
    submit(codelets::multi_copy, args(i), {{own_[as_size(i)], STARPU_R}, {p_[as_size(i)], STARPU_W}});
    // r <- b
    submit(codelets::multi_load_right, args(i), {{own_[as_size(i)], STARPU_RW}});
  }
  // q <- A p
  submit_product(codelets::multi_product);
  // r <- r - q (alpha = 1);  z <- M^-1 r;  {r.r, r.z}
  for (int i = 0; i < sys_.blocks(); ++i)
    submit(codelets::multi_residual, args(i),
           {{states_, STARPU_R}, {own_[as_size(i)], STARPU_RW}, {dots_[as_size(i)], STARPU_W}});
  // rho <- r.z
  submit(codelets::multi_begin, args(0), with_contributions(states_, dots_));
}

void MultiSystem::submit_start() {
  submit_true_residual();
  // p <- z (beta = 0)
  for (int i = 0; i < sys_.blocks(); ++i)
    submit(codelets::multi_first_direction, args(i),
           {{states_, STARPU_R}, {own_[as_size(i)], STARPU_R}, {p_[as_size(i)], STARPU_RW}});
}

void MultiSystem::submit_iteration(int window, int slot) {
  // q <- A p;  p.q
  submit_product(codelets::multi_product_dot);
  // alpha <- rho / p.q
  submit(codelets::multi_alpha, args(0), with_contributions(states_, sums_));
  // r <- r - alpha q;  z <- M^-1 r;  rho_new <- r.z
  for (int i = 0; i < sys_.blocks(); ++i)
    submit(codelets::multi_residual, args(i),
           {{states_, STARPU_R}, {own_[as_size(i)], STARPU_RW}, {dots_[as_size(i)], STARPU_W}});
  // beta <- rho_new / rho
  std::vector<Access> accesses = with_contributions(states_, dots_);
  accesses.push_back({history_[as_size(window % 2)], STARPU_RW});
  codelets::MultiArgs step = args(0);
  step.slot = slot;
  submit(codelets::multi_beta, step, accesses);
  // x <- x + alpha p;  p <- z + beta p
  for (int i = 0; i < sys_.blocks(); ++i)
    submit(codelets::multi_direction, args(i),
           {{states_, STARPU_R}, {own_[as_size(i)], STARPU_RW}, {p_[as_size(i)], STARPU_RW}});
}

void MultiSystem::submit_store() {
  for (int i = 0; i < sys_.blocks(); ++i) submit(codelets::multi_store, args(i), {{own_[as_size(i)], STARPU_R}});
}

}  // namespace asterism::cg
