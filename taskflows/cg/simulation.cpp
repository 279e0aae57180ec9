// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/simulation.hpp"

#include <omp.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <optional>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/preconditioner/gauss_seidel.hpp"
#include "taskflows/cg/preconditioner/multigrid.hpp"

namespace asterism::cg {
namespace {

void fill_block(const void* plan, void* memory) {
  static_cast<const MatrixBlock*>(plan)->fill(memory, MatrixBlock::Threads::caller);
}

/// While it lives the cores are OpenMP's: a thread that a worker disturbs makes all others wait. A small system is one
/// thread's: to wait for others takes longer than its loops.
class OwnThreads {
 public:
  explicit OwnThreads(std::int64_t entries) {
    if (!simulated) pause_.emplace();
    if (entries < small_system) omp_set_num_threads(1);
  }
  ~OwnThreads() { omp_set_num_threads(before_); }
  OwnThreads(const OwnThreads&) = delete;
  OwnThreads& operator=(const OwnThreads&) = delete;

 private:
  std::optional<Pause> pause_;
  int before_ = omp_get_max_threads();
};

}  // namespace

System::System(const Session& session, const CsrMatrix& a, std::span<const double> b_values, std::span<const double> x0,
               const Options& chosen, std::span<const double> shares)
    : System(session, a, b_values, x0, chosen, partition_rows(a, shares, chosen.balance, uncut_rows(chosen))) {}

System::System(const Session& session, const CsrMatrix& a, std::span<const double> b_values, std::span<const double> x0,
               const Options& chosen, Partition block_rows, const Hierarchy* hierarchy)
    : options(chosen),
      partition(std::move(block_rows)),
      gpus(options.format == Format::csr, options.vendor),
      team(session, chosen, partition),
      p(a, partition, chosen) {
  const int rank = rank_group().rank();
  for (int i = partition.first_block(rank); i < partition.first_block(rank + 1); ++i) own_.push_back(i);
  for (const std::int64_t of_rank : rank_group().all_gather(a.nnz())) nonzeros_ += static_cast<double>(of_rank);
  {
    const OwnThreads threads(a.nnz());
    make_vectors(b_values, x0);
    if (preconditioned()) collective_try([&] { make_preconditioner(a); });
  }
  make_scalars();
  make_matrix(a, session);
  if (options.preconditioner_flow == PreconditionerFlow::none) return;
  if (hierarchy == nullptr)
    failed("{}: --preconditioner {} without its setup", a.name, name_of(options.preconditioner_flow));
  const Clock::time_point begin = Clock::now();
  const OwnThreads threads(small_system);
  if (options.preconditioner_flow == PreconditionerFlow::ssor)
    preconditioner_tasks = std::make_unique<GaussSeidel>(*this, a, *hierarchy);
  else
    preconditioner_tasks = std::make_unique<Multigrid>(*this, a, *hierarchy);
  preconditioner_seconds = hierarchy->seconds + seconds_since(begin);
}

System::~System() {
  starpu_task_wait_for_all();
  if (!distributed() || team.introductions().empty()) return;
  gpus.close_memory_of_others();
  // a rank may free its memory when no other has it open; one that ends with an error waits for nobody
  if (std::uncaught_exceptions() == 0) rank_group().barrier();
}

/// Block-columns of a block-row in the order in which the product adds them.
std::vector<int> System::columns_of(int i) const {
  if (options.decomposition == Decomposition::one_d) return {i};
  std::vector<int> columns(as_size(blocks()));
  std::iota(columns.begin(), columns.end(), 0);
  if (options.column_order == ColumnOrder::local_first)
    std::rotate(columns.begin(), columns.begin() + i, columns.end());
  return columns;
}

/// Which entries block (i, j) takes and how it numbers its columns.
BlockRange System::range_of(int i, int j, const CsrMatrix& a, const Session& session) const {
  const bool two_d = options.decomposition == Decomposition::two_d;
  BlockRange range{partition.first(i), partition.first(i + 1), 0, a.n};
  if (two_d) {
    range.first_column = partition.first(j);
    range.last_column = partition.first(j + 1);
  }
  if (options.transfer == Transfer::packed && !(two_d && i == j)) {
    range.needed = p.needed(i);
    if (two_d) {
      range.needed_base = p.needed(i)->rank(range.first_column);
    } else {
      range.local_first = partition.first(i);
      range.local_last = partition.first(i + 1);
    }
  }
  // with the local block first, all others add to rows that it has written
  range.drop_empty_rows = dots_by_block() && i != j;
  // rates by bytes (the papers' machines) count a column index for each entry; durations by flops do not depend on it
  range.diagonals = session.gpus() == 0 || !simulated;
  return range;
}

void System::make_matrix(const CsrMatrix& a, const Session& session) {
  rows.resize(as_size(blocks()));
  const bool by_tasks = session.gpus() == 0 && static_cast<int>(own_.size()) >= session.cpus();
  std::optional<OwnThreads> threads(std::in_place, a.nnz());
  std::vector<std::unique_ptr<MatrixBlock>> plans;
  std::vector<const void*> plan_pointers;
  plan_pointers.reserve(own_.size() * as_size(blocks()));
  struct Assembly {
    codelets::AssembleArgs args;
    std::vector<Access> accesses;
  };
  std::vector<Assembly> assemblies;
  for (const int i : own_) {
    const std::vector<int> columns = columns_of(i);
    const std::size_t first_plan = plan_pointers.size();
    std::vector<Access> accesses;
    rows[as_size(i)].reserve(columns.size());
    for (const int j : columns) {
      auto plan = std::make_unique<MatrixBlock>(a, range_of(i, j, a, session), options.format);
      // 2D: blocks without entries are left out, but the diagonal one, which starts the sum
      if (plan->layout().nonzeros == 0 && i != j) continue;
      Block block{i, j, plan->layout(), HostBuffer<char>(plan->layout().bytes), {}};
      if (!by_tasks) {
        if (!simulated) plan->fill(block.memory.data(), MatrixBlock::Threads::all);
        plan->forget();
      }
      block.handle = Handle::vector(block.memory.data(), block.layout.bytes / BlockLayout::alignment,
                                    BlockLayout::alignment, fmt::format("A[{},{}]", i, j), Coordinates{i, j});
      accesses.push_back({block.handle, STARPU_W});
      rows[as_size(i)].push_back(std::move(block));
      plan_pointers.push_back(plan.get());
      plans.push_back(std::move(plan));
    }
    // A_i <- the blocks of block-row i
    if (by_tasks)
      assemblies.push_back({{fill_block, plan_pointers.data() + first_plan, static_cast<std::int32_t>(accesses.size())},
                            std::move(accesses)});
  }
  threads.reset();
  for (const Assembly& of : assemblies) submit(codelets::assemble, of.args, of.accesses);
  if (by_tasks) starpu_task_wait_for_all();
}

BlockVector System::make_vector(const char* name, Memory memory) {
  const bool on_host = memory == Memory::host;
  BlockVector v;
  if (on_host) v.memory = HostBuffer<double>(as_size(last_row() - first_row()));
  v.block.resize(as_size(blocks()));
  for (const int i : own_)
    v.block[as_size(i)] =
        Handle::vector(on_host ? v.memory.data() + (partition.first(i) - first_row()) : nullptr,
                       as_size(partition.rows(i)), sizeof(double), fmt::format("{}[{}]", name, i), Coordinates{i, i});
  return v;
}

void System::make_vectors(std::span<const double> b_values, std::span<const double> x0) {
  b = make_vector("b", Memory::host);
  x = make_vector("x", Memory::host);
  const auto n = simulated ? 0 : static_cast<std::int64_t>(b_values.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    b.memory[as_size(i)] = b_values[as_size(i)];
    x.memory[as_size(i)] = x0.empty() ? 0 : x0[as_size(i)];
  }
  r = make_vector("r", Memory::starpu);
  q = make_vector("q", Memory::starpu);
  if (preconditioned()) z = make_vector("z", Memory::starpu);
  saved = make_vector("saved", Memory::starpu);
  if (options.flow != Flow::pipelined) return;
  direction = make_vector("direction", Memory::starpu);
  s = make_vector("s", Memory::starpu);
  az = make_vector("Az", Memory::starpu);
  if (preconditioned()) {
    w = make_vector("w", Memory::starpu);
    mq = make_vector("Mq", Memory::starpu);
  }
}

void System::make_preconditioner(const CsrMatrix& a) {
  const std::int64_t size = options.preconditioner_block;
  inverse.memory = HostBuffer<double>(as_size((last_row() - first_row()) * size));
  std::int64_t singular = a.n;  // first row of the first diagonal block without a Cholesky factor
#pragma omp parallel for schedule(static) reduction(min : singular)
  for (std::int64_t first = first_row(); first < last_row(); first += size) {
    const std::int64_t width = std::min(size, a.n - first);  // the last block may be smaller
    Eigen::MatrixXd block = Eigen::MatrixXd::Zero(width, width);
    for (std::int64_t i = 0; i < width; ++i)
      for (std::int64_t k = a.begin_of(first + i); k < a.begin_of(first + i + 1); ++k) {
        const std::int64_t j = a.column[as_size(k)] - first;
        if (j >= 0 && j < width) block(i, j) = a.value[as_size(k)];
      }
    const Eigen::LLT<Eigen::MatrixXd> factor(block);
    if (factor.info() != Eigen::Success) {
      singular = std::min(singular, first);
      continue;
    }
    const Eigen::MatrixXd block_inverse = factor.solve(Eigen::MatrixXd::Identity(width, width));
    // within its block-row: inverse[k n + i], see PreconditionerView
    const auto cut = std::upper_bound(partition.begin.begin(), partition.begin.end(), first) - 1;
    const std::int64_t begin = *cut;
    const std::int64_t n = *(cut + 1) - begin;
    for (std::int64_t k = 0; k < width; ++k)
      for (std::int64_t i = 0; i < width; ++i)
        inverse.memory[as_size((begin - first_row()) * size + k * n + (first - begin) + i)] = block_inverse(i, k);
  }
  if (singular < a.n)
    bad_input("{}: the diagonal block of rows {} to {} is not positive definite", a.name, singular + 1,
              std::min(singular + size, a.n));
  inverse.block.resize(as_size(blocks()));
  for (const int i : own_)
    inverse.block[as_size(i)] =
        Handle::vector(inverse.memory.data() + (partition.first(i) - first_row()) * size,
                       as_size(partition.rows(i) * size), sizeof(double), fmt::format("M[{}]", i), Coordinates{i, i});
}

void System::make_scalars() {
  const int states = state_by_block() ? static_cast<int>(own_.size()) : 1;
  state_memory = HostBuffer<State>(as_size(states + 1));
  state_memory[as_size(states)] = State{};
  unit_state = Handle::vector(&state_memory[as_size(states)], 1, sizeof(State), "unit_state");
  for (int k = 0; k < states; ++k) {
    const int i = state_by_block() ? own_[as_size(k)] : 0;
    state.push_back(Handle::vector(&state_memory[as_size(k)], 1, sizeof(State), fmt::format("state[{}]", i),
                                   state_by_block() ? std::optional(Coordinates{i, i}) : std::nullopt));
  }
  const bool gather = options.dot == DotMode::gather;
  const int contributions = gather ? blocks() : 1;
  const auto where = [&](int i) { return gather ? std::optional(Coordinates{i, i}) : std::nullopt; };
  // in pinned memory, see codelets.hpp; a reduction must begin without a value
  sum_memory = HostBuffer<Sum>(as_size(contributions));
  for (auto& memory : dots_memory) memory = HostBuffer<Dots>(as_size(contributions));
  p_dot_q.resize(as_size(contributions));
  for (auto& d : dots) d.resize(as_size(contributions));
  for (int i = 0; i < contributions; ++i) {
    if (distributed() && gather && partition.owner(i) != rank_group().rank()) continue;
    p_dot_q[as_size(i)] =
        Handle::vector(gather ? &sum_memory[as_size(i)] : nullptr, 1, sizeof(Sum), fmt::format("p.q[{}]", i), where(i));
    for (int parity = 0; parity < 2; ++parity)
      dots[as_size(parity)][as_size(i)] =
          Handle::vector(gather ? &dots_memory[as_size(parity)][as_size(i)] : nullptr, 1, sizeof(Dots),
                         fmt::format("dots{}[{}]", parity, i), where(i));
  }
  if (distributed()) {
    std::vector<int> begin = partition.rank_begin;
    if (!gather) std::iota(begin.begin(), begin.end(), 0);  // a rank's block-rows have one sum
    distributed_p_dot_q = std::make_unique<AllGather>("p.q", sizeof(Sum), begin);
    for (auto& d : distributed_dots) d = std::make_unique<AllGather>("dots", sizeof(Dots), begin);
  }
  if (options.dot == DotMode::reduction) {
    starpu_data_set_reduction_methods(p_dot_q[0], &codelets::add_sum.starpu(), &codelets::zero_sum.starpu());
    for (auto& d : dots)
      starpu_data_set_reduction_methods(d[0], &codelets::add_dots.starpu(), &codelets::zero_dots.starpu());
  }
  for (int w = 0; w < 2; ++w) {
    history_memory[as_size(w)] = HostBuffer<HistoryEntry>(as_size(options.check_every));
    history[as_size(w)] = Handle::vector(history_memory[as_size(w)].data(), as_size(options.check_every),
                                         sizeof(HistoryEntry), fmt::format("history[{}]", w));
  }
}

void System::load(std::span<const double> b_values, std::span<const double> x0) {
  for (const int i : own_) {
    const asterism::Acquired values(b[i], STARPU_W);
    const asterism::Acquired start(x[i], STARPU_W);
    const auto first = as_size(partition.first(i) - first_row());
    const auto rows = as_size(partition.rows(i));
    std::copy_n(b_values.data() + first, rows, b.memory.data() + first);
    if (x0.empty())
      std::fill_n(x.memory.data() + first, rows, 0.0);
    else
      std::copy_n(x0.data() + first, rows, x.memory.data() + first);
  }
}

double System::stored_entries() const {
  double entries = 0;
  for (const auto& row : rows)
    for (const Block& block : row) entries += static_cast<double>(block.layout.entries);
  return entries;
}

namespace {
/// Reads the contributions of the block-rows of a rank, which may have one sum for all.
std::vector<Access> reads_of(const std::vector<Handle>& contributions, const std::vector<int>& own) {
  if (contributions.size() == 1) return {{contributions.front(), STARPU_R}};
  std::vector<Access> accesses;
  for (const int i : own) accesses.push_back({contributions[as_size(i)], STARPU_R});
  return accesses;
}
}  // namespace

void System::gather_sums() {
  if (distributed()) distributed_p_dot_q->submit(reads_of(p_dot_q, own_));
}

void System::gather_dots(int parity) {
  if (distributed()) distributed_dots[as_size(parity)]->submit(reads_of(dots[as_size(parity)], own_));
}

std::vector<Access> System::sums() const {
  if (distributed()) return {{distributed_p_dot_q->all(), STARPU_R}};
  std::vector<Access> accesses;
  for (const Handle& handle : p_dot_q) accesses.push_back({handle, STARPU_R});
  return accesses;
}

std::vector<Access> System::all_dots(int parity) const {
  if (distributed()) return {{distributed_dots[as_size(parity)]->all(), STARPU_R}};
  std::vector<Access> accesses;
  for (const Handle& handle : dots[as_size(parity)]) accesses.push_back({handle, STARPU_R});
  return accesses;
}

}  // namespace asterism::cg
