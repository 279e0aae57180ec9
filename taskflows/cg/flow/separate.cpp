// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of the paper, one task per operation and block-row (sections 4 and 7).
#include "taskflows/cg/flow.hpp"

namespace asterism::cg::separate {
namespace {

using Sign = codelets::AxpyArgs::Sign;

codelets::Library library(const System& sys) {
  return sys.options.vendor ? codelets::Library::vendor : codelets::Library::own;
}

/// sum <- x.y over the block-rows; `each(i, access, write)` submits the task of block-row i.
template <class Each>
void submit_dot(System& sys, starpu_data_handle_t shared, Each each) {
  const DotMode mode = sys.options.dot;
  // the reduction starts from nothing: StarPU then clears the units' copies by itself
  if (mode == DotMode::reduction) starpu_data_invalidate_submit(shared);
  for (const int i : sys.own()) {
    const bool first = mode == DotMode::gather || (mode == DotMode::serial && i == sys.own().front());
    const auto access = first ? STARPU_W : mode == DotMode::serial ? STARPU_RW : STARPU_REDUX;
    each(i, access, first ? codelets::Write::replace : codelets::Write::add);
  }
}

/// {r.r, r.z}; over several ranks of all of them
void submit_residual_dots(System& sys) {
  submit_dot(sys, sys.dots_of(0), [&](int i, starpu_data_access_mode access, codelets::Write write) {
    const codelets::DotArgs args{write, library(sys), &sys.gpus};
    if (sys.has_z())
      submit(codelets::residual_dots, args, {{sys.r[i], STARPU_R}, {sys.z_of(i), STARPU_R}, {sys.dots_of(i), access}});
    else
      submit(codelets::residual_dots, args, {{sys.r[i], STARPU_R}, {sys.dots_of(i), access}});
  });
  sys.gather_dots();
}

/// y_i <- y_i + alpha x_i or y_i <- y_i - alpha x_i
void submit_axpy(System& sys, int i, Sign sign, starpu_data_handle_t x, starpu_data_handle_t y) {
  submit(codelets::axpy, codelets::AxpyArgs{sign, library(sys)},
         {{sys.state_of(i), STARPU_R}, {x, STARPU_R}, {y, STARPU_RW}});
}

/// z_i <- M^-1 r_i
void submit_precondition(System& sys, int i) {
  if (!sys.preconditioned()) return;
  const int block = sys.options.preconditioner_block;
  submit(codelets::precondition, codelets::PreconditionArgs{block},
         {{sys.inverse[i], STARPU_R}, {sys.r[i], STARPU_R}, {sys.z[i], STARPU_W}});
}

/// p_i <- z_i + beta p_i
void submit_direction(System& sys, int i) {
  submit(codelets::xpby, codelets::XpbyArgs{library(sys)},
         {{sys.state_of(i), STARPU_R}, {sys.z_of(i), STARPU_R}, {sys.p.piece(i), STARPU_RW}});
}

}  // namespace

void start(System& sys, Direction direction) {
  sys.p.after_product();
  if (direction == Direction::kept) submit_saving(sys);
  // r <- b;  p <- x
  for (const int i : sys.own()) {
    submit_copy(sys.b[i], sys.r[i]);
    submit_copy(sys.x[i], sys.p.piece(i));
  }
  // q <- A p
  sys.p.before_product();
  submit_product(sys, ProductSums::none);
  sys.p.after_product();
  // r <- r - q;  z <- M^-1 r
  for (const int i : sys.own()) {
    submit_axpy(sys, i, Sign::minus, sys.q[i], sys.r[i]);
    submit_precondition(sys, i);
  }
  if (sys.preconditioner_tasks != nullptr) sys.preconditioner_tasks->submit(sys);
  // delta <- dot(r, z)
  submit_residual_dots(sys);
  submit_step(sys, sys.distributed() ? codelets::begin_shared : codelets::begin, 0, sys.all_dots());
  // p <- z, or p as it was
  if (direction == Direction::kept) return submit_restoring(sys);
  for (const int i : sys.own()) submit_direction(sys, i);
}

void iteration(System& sys, HistorySlot history) {
  // q <- A p
  sys.p.before_product();
  submit_product(sys, ProductSums::none);
  sys.p.after_product();
  // alpha <- delta / dot(p, q)
  submit_dot(sys, sys.sum_of(0), [&](int i, starpu_data_access_mode access, codelets::Write write) {
    submit(codelets::dot, codelets::DotArgs{write, library(sys), &sys.gpus},
           {{sys.p.piece(i), STARPU_R}, {sys.q[i], STARPU_R}, {sys.sum_of(i), access}});
  });
  sys.gather_sums();
  submit_step(sys, sys.distributed() ? codelets::alpha_step_shared : codelets::alpha_step, 0, sys.sums());
  // x <- x + alpha p
  if (sys.options.x_update == XUpdate::early)
    for (const int i : sys.own()) submit_axpy(sys, i, Sign::plus, sys.p.piece(i), sys.x[i]);
  // r <- r - alpha q;  z <- M^-1 r
  for (const int i : sys.own()) {
    submit_axpy(sys, i, Sign::minus, sys.q[i], sys.r[i]);
    submit_precondition(sys, i);
  }
  if (sys.preconditioner_tasks != nullptr) sys.preconditioner_tasks->submit(sys);
  // delta_new <- dot(r, z)
  submit_residual_dots(sys);
  // x <- x + alpha p, moved here to overlap the end of the reduction (section 7.2)
  if (sys.options.x_update == XUpdate::late)
    for (const int i : sys.own()) submit_axpy(sys, i, Sign::plus, sys.p.piece(i), sys.x[i]);
  // beta <- delta_new / delta_old;  p <- z + beta p
  submit_step(sys, sys.distributed() ? codelets::beta_step_shared : codelets::beta_step, 0, sys.all_dots(), history);
  for (const int i : sys.own()) submit_direction(sys, i);
}

}  // namespace asterism::cg::separate
