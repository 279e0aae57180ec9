// SPDX-License-Identifier: Apache-2.0
// Pipelined conjugate gradient (Ghysels and Vanroose, Parallel Computing 40 (2014), Algorithm 4): the dot
// products of iteration k are summed over the block-rows while A m is computed; two tasks per block-row and iteration.
//   m = M^-1 w       n = A m
//   gamma = r.u      delta = w.u
//   beta = gamma / gamma_old      alpha = gamma / (delta - beta gamma / alpha_old)
//   z = n + beta z   q = m + beta q   s = w + beta s   p = u + beta p
//   x += alpha p     r -= alpha s     u -= alpha q     w -= alpha z
// Without preconditioner u = r, m = w, q = s. The vector that travels, System::p, is m; n is System::q, p is
// System::direction, z is System::az and q is System::mq.
//
// In exact arithmetic r = b - A x, w = A u, s = A p, z = A q. Rounding drives them apart, faster than in the standard
// method, because each is updated by a recurrence of its own; a replacement computes all four anew and keeps p.
#include "taskflows/cg/flow.hpp"

namespace asterism::cg::pipelined {
namespace {

/// n <- A m
void submit_whole_product(System& sys, ProductSums sums = ProductSums::none) {
  sys.p.before_product();
  submit_product(sys, sums);
  sys.p.after_product();
}

/// m_i <- M^-1 v_i
void submit_precondition(System& sys, int i, starpu_data_handle_t v) {
  submit(codelets::precondition, codelets::PreconditionArgs{sys.options.preconditioner_block},
         {{sys.inverse[i], STARPU_R}, {v, STARPU_R}, {sys.p.piece(i), STARPU_W}});
}

/// r, u, w, m and the sums of the next iteration, which has this parity; the other sums are overwritten.
void submit_residual(System& sys, int parity) {
  const int block = sys.options.preconditioner_block;
  // m <- x;  n <- A m
  for (const int i : sys.own()) submit_copy(sys.x[i], sys.p.piece(i));
  submit_whole_product(sys);
  // r <- b - n;  u <- M^-1 r
  for (const int i : sys.own()) {
    std::vector<Access> accesses{{sys.unit_state, STARPU_R},
                                 {sys.dots_of(i, 1 - parity), STARPU_W},
                                 {sys.q[i], STARPU_R},
                                 {sys.b[i], STARPU_R},
                                 {sys.r[i], STARPU_W}};
    if (block > 0) accesses.insert(accesses.end(), {{sys.inverse[i], STARPU_R}, {sys.z[i], STARPU_W}});
    submit(codelets::residual.of(0),
           codelets::ResidualArgs{0, codelets::ResidualArgs::From::right_hand_side, block, &sys.gpus}, accesses);
  }
  // m <- u;  n <- A m
  for (const int i : sys.own()) submit_copy(sys.z_of(i), sys.p.piece(i));
  submit_whole_product(sys);
  for (const int i : sys.own()) {
    const starpu_data_handle_t w = block > 0 ? sys.w[i] : sys.p.piece(i);
    // w <- n
    submit_copy(sys.q[i], w);
    // {r.r, gamma = r.u, delta = w.u}
    std::vector<Access> accesses{{sys.r[i], STARPU_R}};
    if (block > 0) accesses.push_back({sys.z[i], STARPU_R});
    accesses.insert(accesses.end(), {{w, STARPU_R}, {sys.dots_of(i, parity), STARPU_W}});
    submit(codelets::pipelined_dots, codelets::DotArgs{codelets::Write::replace, codelets::Library::own, &sys.gpus},
           accesses);
    // m <- M^-1 w
    if (block > 0) submit_precondition(sys, i, w);
  }
}

/// s, q, z of the direction p
void submit_direction(System& sys) {
  // m <- p;  s <- A m
  for (const int i : sys.own()) submit_copy(sys.direction[i], sys.p.piece(i));
  submit_whole_product(sys);
  for (const int i : sys.own()) {
    submit_copy(sys.q[i], sys.s[i]);
    // m <- M^-1 s;  q <- m
    if (sys.preconditioned()) {
      submit_precondition(sys, i, sys.s[i]);
      submit_copy(sys.p.piece(i), sys.mq[i]);
    } else {
      submit_copy(sys.s[i], sys.p.piece(i));
    }
  }
  // z <- A m
  submit_whole_product(sys);
  for (const int i : sys.own()) submit_copy(sys.q[i], sys.az[i]);
}

}  // namespace

void start(System& sys, Direction direction) {
  sys.p.after_product();
  if (direction == Direction::kept) {
    submit_direction(sys);
  } else {
    // z, s, p, q <- 0
    for (const int i : sys.own()) {
      submit(codelets::zero, codelets::NoArgs{}, {{sys.az[i], STARPU_W}});
      submit(codelets::zero, codelets::NoArgs{}, {{sys.s[i], STARPU_W}});
      submit(codelets::zero, codelets::NoArgs{}, {{sys.direction[i], STARPU_W}});
      if (sys.preconditioned()) submit(codelets::zero, codelets::NoArgs{}, {{sys.mq[i], STARPU_W}});
    }
  }
  submit_residual(sys, 0);
  sys.p.before_product();
}

void iteration(System& sys, HistorySlot history, int parity) {
  const bool inline_sums = sys.inline_sums();
  const int block = sys.options.preconditioner_block;
  // n <- A m
  submit_product(sys, ProductSums::none);
  sys.p.after_product();
  // beta, alpha from the sums of the iteration before, while the product runs
  sys.gather_dots(parity);
  const std::vector<Access> contributions = sys.all_dots(parity);
  if (!inline_sums) submit_step(sys, codelets::pipelined_step, 0, contributions, history);
  // z, q, s, p, x, r, u, w, m;  {r.r, gamma, delta};  m_ji <- what block-row j needs of m_i
  for (const int i : sys.own()) {
    std::vector<Access> accesses{{sys.state_of(i), inline_sums ? STARPU_RW : STARPU_R}};
    if (inline_sums) accesses.insert(accesses.end(), contributions.begin(), contributions.end());
    const bool writes_history = inline_sums && i == 0;
    static const Exchange::Packing nothing;
    const Exchange::Packing& packing = sys.p.packs_on_write() ? sys.p.packing(i) : nothing;
    const codelets::PipelinedArgs args{inline_sums ? sys.blocks() : 0,
                                       writes_history ? history.slot : codelets::no_slot, block,
                                       static_cast<std::int32_t>(packing.outputs.size()), &sys.gpus};
    accesses.push_back({sys.dots_of(i, 1 - parity), STARPU_W});
    accesses.push_back({sys.q[i], STARPU_R});
    for (starpu_data_handle_t v : {sys.az[i], sys.s[i], sys.direction[i], sys.x[i], sys.r[i]})
      accesses.push_back({v, STARPU_RW});
    accesses.push_back({block > 0 ? sys.w[i] : sys.p.piece(i), STARPU_RW});
    if (block > 0) {
      accesses.push_back({sys.inverse[i], STARPU_R});
      for (starpu_data_handle_t v : {sys.mq[i], sys.z[i], sys.p.piece(i)}) accesses.push_back({v, STARPU_RW});
    }
    if (writes_history) accesses.push_back({history.handle, STARPU_RW});
    if (!packing.outputs.empty()) accesses.push_back({packing.index, STARPU_R});
    for (starpu_data_handle_t output : packing.outputs) accesses.push_back({output, STARPU_W});
    submit(codelets::pipelined.of(args.partials), args, accesses);
  }
  submit_neighbours_packing(sys, codelets::pipelined.of(0));
  if (!sys.p.packs_on_write()) sys.p.before_product();
}

}  // namespace asterism::cg::pipelined

namespace asterism::cg {

void submit_replacement(System& sys, int parity) {
  sys.p.after_product();
  // r.r of the recurrence, which the true one is compared with
  sys.gather_dots(parity);
  for (int i = 0; i < (sys.inline_sums() ? sys.blocks() : 1); ++i)
    submit_step(sys, sys.inline_sums() ? codelets::note_residual : codelets::note_residual_shared, i,
                sys.all_dots(parity));
  pipelined::submit_direction(sys);
  pipelined::submit_residual(sys, parity);
  sys.p.before_product();
}

void submit_curvature(System& sys) {
  sys.p.after_product();
  // m <- u + beta p, the direction of the step that was not taken
  for (const int i : sys.own()) {
    submit_copy(sys.direction[i], sys.p.piece(i));
    submit(codelets::xpby, codelets::XpbyArgs{codelets::Library::own},
           {{sys.state_of(i), STARPU_R}, {sys.z_of(i), STARPU_R}, {sys.p.piece(i), STARPU_RW}});
  }
  // m.Am
  pipelined::submit_whole_product(sys, ProductSums::p_dot_q);
  sys.gather_sums();
}

}  // namespace asterism::cg
