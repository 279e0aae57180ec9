// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient with fused kernels: per block-row and iteration one product with p.q, one update of
// r with r.r, one update of x and p that also packs what other block-rows need. Few blocks: each task adds
// the blocks' contributions itself and no task stands between a dot product and its use. A single block: a task may do
// several iterations, whose operations nothing outside of it waits for.
#include "taskflows/cg/flow.hpp"

namespace asterism::cg::fused {
namespace {

using From = codelets::ResidualArgs::From;

/// The state of block-row i and, on its own replica, the contributions with which the task takes the step.
std::vector<Access> state_accesses(const System& sys, int i, const std::vector<Access>& contributions) {
  if (!sys.inline_sums()) return {{sys.state_of(i), STARPU_R}};
  std::vector<Access> accesses{{sys.state_of(i), STARPU_RW}};
  accesses.insert(accesses.end(), contributions.begin(), contributions.end());
  return accesses;
}

/// r_i <- r_in - alpha q_i, z_i <- M^-1 r_i, {r.r, r.z}_i
void submit_residual(System& sys, int i, From from) {
  const bool starting = from == From::right_hand_side;
  const bool steps = sys.inline_sums() && !starting;
  std::vector<Access> accesses =
      steps ? state_accesses(sys, i, sys.sums()) : std::vector<Access>{{sys.state_of(i), STARPU_R}};
  const int block = sys.options.preconditioner_block;
  const codelets::ResidualArgs args{steps ? sys.blocks() : 0, from, block, &sys.gpus};
  accesses.push_back({sys.dots_of(i), STARPU_W});
  accesses.push_back({sys.q[i], STARPU_R});
  if (starting) accesses.push_back({sys.b[i], STARPU_R});
  accesses.push_back({sys.r[i], starting ? STARPU_W : STARPU_RW});
  if (sys.preconditioned()) {
    accesses.push_back({sys.inverse[i], STARPU_R});
    accesses.push_back({sys.z[i], STARPU_W});
  }
  submit(codelets::residual.of(args.partials), args, accesses);
}

/// z <- M^-1 r;  {r.r, r.z}_i, where M is a task flow of its own
void submit_preconditioner(System& sys) {
  if (sys.preconditioner_tasks == nullptr) return;
  sys.preconditioner_tasks->submit(sys);
  for (const int i : sys.own())
    submit(sys.blocks() > 1 ? codelets::residual_dots_shared : codelets::residual_dots,
           codelets::DotArgs{codelets::Write::replace, codelets::Library::own, &sys.gpus},
           {{sys.r[i], STARPU_R}, {sys.z_of(i), STARPU_R}, {sys.dots_of(i), STARPU_W}});
}

}  // namespace

void start(System& sys, Direction direction) {
  sys.p.after_product();
  if (direction == Direction::kept) submit_saving(sys);
  // p <- x
  for (const int i : sys.own()) submit_copy(sys.x[i], sys.p.piece(i));
  // q <- A p
  sys.p.before_product();
  submit_product(sys, ProductSums::none);
  sys.p.after_product();
  // r <- b - q (alpha = 1);  z <- M^-1 r;  delta <- dot(r, z)
  for (const int i : sys.own()) submit_residual(sys, i, From::right_hand_side);
  submit_preconditioner(sys);
  sys.gather_dots();
  for (int i = 0; i < (sys.inline_sums() ? sys.blocks() : 1); ++i)
    submit_step(sys, sys.inline_sums() ? codelets::begin : codelets::begin_shared, i, sys.all_dots());
  // p <- z, or p as it was
  if (direction == Direction::kept) submit_restoring(sys);
  for (const int i : direction == Direction::kept ? std::vector<int>{} : sys.own())
    submit(codelets::xpby, codelets::XpbyArgs{codelets::Library::own},
           {{sys.state_of(i), STARPU_R}, {sys.z_of(i), STARPU_R}, {sys.p.piece(i), STARPU_RW}});
  sys.p.before_product();
}

void iteration(System& sys, HistorySlot history) {
  const bool inline_sums = sys.inline_sums();
  // q <- A p;  p.q
  submit_product(sys, ProductSums::p_dot_q);
  sys.p.after_product();
  // alpha <- delta / p.q
  sys.gather_sums();
  if (!inline_sums) submit_step(sys, codelets::alpha_step_shared, 0, sys.sums());
  // r <- r - alpha q;  z <- M^-1 r;  delta_new <- dot(r, z)
  for (const int i : sys.own()) submit_residual(sys, i, From::residual);
  submit_preconditioner(sys);
  // beta <- delta_new / delta
  sys.gather_dots();
  if (!inline_sums) submit_step(sys, codelets::beta_step_shared, 0, sys.all_dots(), history);
  // x <- x + alpha p;  p <- z + beta p;  p_ji <- what block-row j needs of p_i
  for (const int i : sys.own()) {
    std::vector<Access> accesses = state_accesses(sys, i, sys.all_dots());
    const bool writes_history = inline_sums && i == 0;
    static const Exchange::Packing nothing;
    const Exchange::Packing& packing = sys.p.packs_on_write() ? sys.p.packing(i) : nothing;
    const codelets::DirectionArgs args{inline_sums ? sys.blocks() : 0,
                                       writes_history ? history.slot : codelets::no_slot,
                                       static_cast<std::int32_t>(packing.outputs.size())};
    accesses.push_back({sys.z_of(i), STARPU_R});
    accesses.push_back({sys.x[i], STARPU_RW});
    accesses.push_back({sys.p.piece(i), STARPU_RW});
    if (writes_history) accesses.push_back({history.handle, STARPU_RW});
    if (!packing.outputs.empty()) accesses.push_back({packing.index, STARPU_R});
    for (starpu_data_handle_t output : packing.outputs) accesses.push_back({output, STARPU_W});
    submit(codelets::direction.of(args.partials), args, accesses);
  }
  submit_neighbours_packing(sys, codelets::direction.of(0));
  if (!sys.p.packs_on_write()) sys.p.before_product();
}

}  // namespace asterism::cg::fused

namespace asterism::cg {

void submit_iterations(System& sys, HistorySlot history, int count) {
  // the operations of fused::iteration() on the one block-row, `count` times:
  // q <- A p;  alpha <- delta / p.q;  r <- r - alpha q;  z <- M^-1 r;  beta <- delta_new / delta;
  // x <- x + alpha p;  p <- z + beta p
  using Launch = codelets::IterationsArgs::Launch;
  const System::Block& block = sys.rows.front().front();
  const codelets::IterationsArgs args{block.layout,
                                      sys.options.preconditioner_block,
                                      history.slot,
                                      count,
                                      sys.options.task == TaskSize::graph ? Launch::graph : Launch::kernels,
                                      &sys.gpus};
  std::vector<Access> accesses{{sys.state_of(0), STARPU_RW}, {sys.sum_of(0), STARPU_W}, {sys.dots_of(0), STARPU_W},
                               {block.handle, STARPU_R},     {sys.q[0], STARPU_W},      {sys.r[0], STARPU_RW}};
  if (sys.preconditioned()) accesses.insert(accesses.end(), {{sys.inverse[0], STARPU_R}, {sys.z[0], STARPU_RW}});
  accesses.insert(accesses.end(), {{sys.x[0], STARPU_RW}, {sys.p.piece(0), STARPU_RW}, {history.handle, STARPU_RW}});
  submit(codelets::iterations, args, accesses);
}

}  // namespace asterism::cg
