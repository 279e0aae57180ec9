// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient with fused kernels: per block-row and iteration one product with p.q, one update of
// r with r.r, one update of x and p that also packs what other block-rows need. Few blocks: each task adds
// the blocks' contributions itself and no task stands between a dot product and its use. Or a task does several
// iterations of a block-row: of a single one, or of several that run at the same time and exchange what they need.
#include "runtime/ranks/ranks.hpp"
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
  sys.team.known_to_ranks = false;  // what follows may move the data
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
  if (!sys.state_by_block()) submit_step(sys, codelets::begin_shared, 0, sys.all_dots());
  for (const int i : sys.state_by_block() ? sys.own() : std::vector<int>{})
    submit_step(sys, codelets::begin, i, sys.all_dots());
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
namespace {

/// A task of whole iterations on block-row i, without what it has of the members of a team.
struct IterationsTask {
  codelets::IterationsArgs args;
  std::vector<Access> accesses;
};

IterationsTask iterations_on(System& sys, int i, HistorySlot history, int count) {
  using Launch = codelets::IterationsArgs::Launch;
  const System::Block& block = sys.rows[static_cast<std::size_t>(i)].front();
  const bool writes_history = i == sys.own().front();
  IterationsTask task{{.layout = block.layout,
                       .block = sys.options.preconditioner_block,
                       .slot = writes_history ? history.slot : codelets::no_slot,
                       .count = count,
                       .launch = sys.options.task == TaskSize::graph ? Launch::graph : Launch::kernels,
                       .gpus = &sys.gpus,
                       .me = i,
                       .round = sys.team.round},
                      {{sys.state_of(i), STARPU_RW}, {sys.sum_of(i), STARPU_W}, {sys.dots_of(i), STARPU_W}}};
  std::vector<Access>& accesses = task.accesses;
  accesses.insert(accesses.end(), {{block.handle, STARPU_R}, {sys.q[i], STARPU_W}, {sys.r[i], STARPU_RW}});
  if (sys.preconditioned()) accesses.insert(accesses.end(), {{sys.inverse[i], STARPU_R}, {sys.z[i], STARPU_W}});
  accesses.insert(accesses.end(), {{sys.x[i], STARPU_RW}, {sys.p.piece(i), STARPU_RW}});
  if (writes_history) accesses.push_back({history.handle, STARPU_RW});
  if (sys.blocks() == 1) return task;
  task.args.team = sys.blocks();
  task.args.mailbox = sys.team.mailbox(i);
  if (sys.distributed()) task.args.rank = rank_group().rank();
  for (int j = 0; j < sys.blocks(); ++j) {
    if (sys.p.halo(i, j) != nullptr) {
      task.args.sources |= 1u << j;
      accesses.push_back({sys.p.halo(i, j), STARPU_RW});
    }
    if (sys.p.halo(j, i) != nullptr) task.args.targets |= 1u << j;
  }
  if (task.args.targets != 0) accesses.push_back({sys.p.packing(i).index, STARPU_R});
  return task;
}

/// The elements of p that a start has packed for block-rows of other ranks; those of later iterations come by the team.
void exchange_packed(const System& sys) {
  for (int i = 0; i < sys.blocks(); ++i)
    for (int j = 0; j < sys.blocks(); ++j)
      exchange_data(std::vector<Access>{{sys.p.halo(i, j), STARPU_R}}, sys.partition.owner(i));
}

std::vector<Access> all_introductions(const System& sys) {
  std::vector<Access> all;
  all.reserve(sys.team.introductions().size());
  for (const Handle& introduction : sys.team.introductions()) all.push_back({introduction, STARPU_R});
  return all;
}

/// introduction_i <- where block-row i takes what the others send
void submit_meetings(System& sys, HistorySlot history) {
  for (const int i : sys.own()) {
    IterationsTask task = iterations_on(sys, i, history, 0);
    task.args.members = 1;
    task.args.tells_ranks = sys.distributed() && !sys.team.known_to_ranks ? 1 : 0;
    task.accesses.insert(task.accesses.begin() + 1, {sys.team.introductions()[static_cast<std::size_t>(i)], STARPU_W});
    submit(codelets::meeting, task.args, task.accesses, {.worker = sys.team.worker(i), .exchange = false});
  }
}

/// Over several ranks, before the first iterations after a start: tells other ranks where this one's block-rows take
/// what comes from them, and opens the places where theirs do.
void submit_introductions(System& sys, HistorySlot history) {
  if (!sys.distributed() || sys.team.introductions().empty() || sys.team.known_to_ranks) return;
  exchange_packed(sys);
  const std::vector<Handle>& introductions = sys.team.introductions();
  for (int i = 0; i < sys.blocks(); ++i)
    exchange_data(std::vector<Access>{{introductions[static_cast<std::size_t>(i)], STARPU_W}}, sys.partition.owner(i));
  submit_meetings(sys, history);
  std::vector<Access> all = all_introductions(sys);
  for (int rank = 0; rank < rank_group().ranks(); ++rank) exchange_data(all, rank);
  for (int j = 0; j < sys.blocks(); ++j)
    if (sys.partition.owner(j) == rank_group().rank()) all[static_cast<std::size_t>(j)].mode = STARPU_RW;
  for (const int i : sys.own()) {
    IterationsTask task = iterations_on(sys, i, history, 0);
    task.args.members = sys.blocks();
    submit(codelets::opening, task.args, all, {.worker = sys.team.worker(i), .exchange = false});
  }
  sys.team.known_to_ranks = true;
}

}  // namespace

void prepare_iterations(System& sys) {
  if (!sys.distributed() || sys.team.introductions().empty()) return;
  submit_introductions(sys, {sys.history[0], 0});
  starpu_task_wait_for_all();
  rank_group().barrier();
}

void submit_iterations(System& sys, HistorySlot history, int count) {
  // the operations of fused::iteration() on every block-row, `count` times:
  // q <- A p;  alpha <- delta / p.q;  r <- r - alpha q;  z <- M^-1 r;  beta <- delta_new / delta;
  // x <- x + alpha p;  p <- z + beta p;  p_ji <- what block-row j needs of p_i
  if (sys.blocks() == 1) {
    const IterationsTask task = iterations_on(sys, 0, history, count);
    return submit(codelets::iterations, task.args, task.accesses);
  }
  submit_introductions(sys, history);
  submit_meetings(sys, history);
  for (const int i : sys.own()) {
    IterationsTask task = iterations_on(sys, i, history, count);
    task.args.members = sys.blocks();
    const std::vector<Access> all = all_introductions(sys);
    task.accesses.insert(task.accesses.begin() + 1, all.begin(), all.end());
    submit(codelets::team_iterations.of(sys.blocks()), task.args, task.accesses,
           {.worker = sys.team.worker(i), .exchange = false});
  }
  sys.team.round += static_cast<std::uint64_t>(count);
}

}  // namespace asterism::cg
