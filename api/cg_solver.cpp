// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient for a program around: the choices of asterism-cg, the System and the solver of taskflows/cg.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>

#include "api/agreed.hpp"
#include "api/cg_matrix.hpp"
#include "api/cg_rows.hpp"
#include "api/session_state.hpp"
#include "api/translated.hpp"
#include "base/as_size.hpp"
#include "codelets/cg/kernels/costs.hpp"
#include "taskflows/cg/multiple/multi_system.hpp"
#include "taskflows/cg/preconditioner/choice.hpp"
#include "taskflows/cg/preconditioner/gauss_seidel.hpp"
#include "taskflows/cg/solver.hpp"

namespace asterism::v0::cg {
namespace {

namespace house = asterism::cg;

bool given(const char* variable) {
  return std::getenv(variable) != nullptr;
}

/// Scheduler and units, where the caller leaves them open: the static mapper suits these graphs, and gives nothing to
/// cores beside GPUs.
asterism::SessionOptions suited(asterism::SessionOptions options) {
  if (!options.scheduler && !given("STARPU_SCHED")) options.scheduler = "cyclic";
  const bool cyclic = options.scheduler.value_or("") == "cyclic";
  if (cyclic && uses_gpus(options) && !options.cpus && !given("STARPU_NCPU"))
    options.cpus = rank_group().distributed() ? 1 : 0;  // which brings the ranks' sums together
  return options;
}

house::Flow flow_of(Flow flow) {
  switch (flow) {
    case Flow::naive:
      return house::Flow::naive;
    case Flow::refined:
      return house::Flow::refined;
    case Flow::pipelined:
      return house::Flow::pipelined;
    case Flow::fused:
      break;
  }
  return house::Flow::fused;
}

Preconditioner preconditioner_of(const std::string& name) {
  return name == "amg" ? Preconditioner::amg : name == "jacobi" ? Preconditioner::jacobi : Preconditioner::none;
}

void require_options(const Options& options) {
  if (!(options.tolerance >= 0)) bad_input("tolerance {}: expected 0 or more", options.tolerance);
  if (options.max_iterations < 0) bad_input("max_iterations {}: expected 0 or more", options.max_iterations);
  if (options.blocks && *options.blocks < 1) bad_input("blocks {}: expected at least 1", *options.blocks);
  const auto block = options.preconditioner_block;
  if (block && (*block < 1 || *block > house::largest_diagonal_block))
    bad_input("preconditioner_block {}: expected 1 to {}", *block, house::largest_diagonal_block);
}

bool same_options(const Options& a, const Options& b) {
  const auto all = [](const Options& o) {
    return std::tuple(o.preconditioner, o.preconditioner_block, o.tolerance, o.max_iterations, o.flow, o.blocks,
                      o.check_symmetry);
  };
  return all(a) == all(b);
}

Outcome outcome_of(house::Outcome outcome) {
  return outcome == house::Outcome::converged        ? Outcome::converged
         : outcome == house::Outcome::max_iterations ? Outcome::max_iterations
                                                     : Outcome::stagnated;
}

}  // namespace

class Solver::State {
 public:
  template <class Matrix>
  State(std::shared_ptr<Session::State> owner, const Matrix& matrix, const Options& chosen)
      : session(std::move(owner)), preconditioner(chosen.preconditioner) {
    const Session::State::Call call(*session);
    agreed([&] {
      require_options(chosen);
      a = matrix_of(matrix);
    });
    require_same("options", chosen, same_options);
    given_rows = cuts_of(a);
    if (chosen.check_symmetry) require_symmetric(a, given_rows);
    for (const std::int64_t of_rank : rank_group().all_gather(a.nnz())) entries += of_rank;
    options.flow = flow_of(chosen.flow);
    options.tolerance = chosen.tolerance;
    options.max_iterations = chosen.max_iterations;
    const asterism::SessionOptions wanted = suited(session->wanted());
    choose_preconditioner(chosen, session->running() ? session->running()->gpus() > 0 : uses_gpus(wanted));
    make_hierarchy(chosen);
    const Session::State::Awake awake(*session);
    const asterism::Session& running = session->start(wanted);
    complete_options(chosen, running);
    const std::vector<double> shares(as_size(options.blocks), 1.0);
    house::Partition partition = partition_over_ranks(a, shares, options);
    computed_rows = cuts_of(partition);
    if (moves()) a = moved(a, given_rows, computed_rows);
    system.emplace(running, a, std::span<const double>{}, std::span<const double>{}, options, std::move(partition),
                   hierarchy.level.empty() ? nullptr : &hierarchy);
    if (!moves()) return;
    a.column = {};
    a.value = {};
  }
  ~State() {
    const Session::State::Call call(*session);
    const Session::State::Awake awake(*session);
    several.reset();
    system.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result solve(std::span<const double> b, std::span<double> x, Start start,
               const std::function<void(const Progress&)>& progress);
  /// How many right-hand sides these are; over ranks as those say that have rows.
  [[nodiscard]] std::size_t count_of(std::size_t b, std::size_t x) const;
  [[nodiscard]] std::size_t own_rows() const {
    const auto rank = as_size(rank_group().rank());
    return as_size(given_rows[rank + 1] - given_rows[rank]);
  }
  /// Several at once, most_right_hand_sides at most: those whose result is not there are to be solved alone.
  std::vector<std::optional<Result>> solve_together(std::span<const double> b, std::span<double> x, Start start,
                                                    const std::function<void(const Progress&)>& progress);

  std::shared_ptr<Session::State> session;
  house::CsrMatrix a;        ///< of this rank: rows that it was given, and then those that it computes
  std::int64_t entries = 0;  ///< of all ranks
  RankCuts given_rows;       ///< that right-hand sides and solutions are of
  RankCuts computed_rows = {};
  house::Hierarchy hierarchy;
  house::Options options;
  Preconditioner preconditioner;  ///< never automatic once the state is made
  std::string reason;
  std::optional<house::System> system;
  std::unique_ptr<house::MultiSystem> several;  ///< from the first solve of several right-hand sides on

 private:
  [[nodiscard]] bool moves() const { return given_rows != computed_rows; }
  void choose_preconditioner(const Options& chosen, bool on_gpus);
  void make_hierarchy(const Options& chosen);
  void complete_options(const Options& chosen, const asterism::Session& running);
};

void Solver::State::choose_preconditioner(const Options& chosen, bool on_gpus) {
  const bool open = options.flow == house::Flow::fused && !rank_group().distributed();
  if (preconditioner == Preconditioner::automatic && !open) preconditioner = Preconditioner::none;
  if (preconditioner == Preconditioner::automatic) {
    const auto choice = house::choose_preconditioner(a, house::rows_of_nodes(a), options.tolerance, on_gpus);
    preconditioner = preconditioner_of(choice.name);
    reason = choice.reason;
  }
  if (preconditioner == Preconditioner::jacobi) options.preconditioner_block = 1;
  if (preconditioner == Preconditioner::block_jacobi)
    options.preconditioner_block = chosen.preconditioner_block.value_or(house::default_diagonal_block);
  if (preconditioner != Preconditioner::ssor && preconditioner != Preconditioner::amg) return;
  options.preconditioner_flow =
      preconditioner == Preconditioner::amg ? house::PreconditionerFlow::amg : house::PreconditionerFlow::ssor;
  options.check_every = 1;  // an iteration is long: none is to be computed in vain
}

void Solver::State::make_hierarchy(const Options& chosen) {
  if (options.preconditioner_flow == house::PreconditionerFlow::none) return;
  house::CsrMatrix all;  // over several ranks each makes the hierarchy of the whole matrix
  if (rank_group().distributed()) all = whole(a);
  const house::CsrMatrix& of = rank_group().distributed() ? all : a;
  int& size = options.node_rows;
  size = chosen.preconditioner_block.value_or(house::rows_of_nodes(of));
  if (size > house::most_rows_of_nodes || a.n % size != 0)
    bad_input("preconditioner_block {}: {} expects a divisor of {} rows, up to {}", size,
              name_of(options.preconditioner_flow), a.n, house::most_rows_of_nodes);
  hierarchy = options.preconditioner_flow == house::PreconditionerFlow::ssor
                  ? house::coloured(of, size)
                  : house::smoothed_aggregation(of, size, house::component_constants(a.n, size));
  if (rank_group().distributed()) hierarchy.level.front().a = std::move(all);
}

void Solver::State::complete_options(const Options& chosen, const asterism::Session& running) {
  house::apply_flow_defaults(options);
  const bool gpus = running.gpus() > 0;
  const bool distributed = rank_group().distributed();
  const int ranks = rank_group().ranks();
  int units = gpus ? running.gpus() : running.cpus();
  for (const int of_rank : rank_group().all_gather(units)) units = std::min(units, of_rank);
  const std::int64_t most = std::max<std::int64_t>(1, a.n / house::uncut_rows(options));
  if (chosen.blocks.value_or(ranks) < ranks || most < ranks)
    bad_input("{} rows in {} blocks: expected a block of {} rows at least for each of {} processes", a.n,
              chosen.blocks ? std::to_string(*chosen.blocks) : "as many", house::uncut_rows(options), ranks);
  if (!rank_group().everywhere(!distributed || running.cpus() > 0))
    bad_input("cpus 0 over several processes: expected a core, which brings the sums of all together");
  const double bytes = iteration_bytes(house::Iteration::fused, static_cast<double>(a.nnz()), static_cast<double>(a.n));
  const bool whole = units <= house::max_team && options.preconditioner_flow == house::PreconditionerFlow::none;
  const bool small = !distributed && bytes <= (gpus ? house::bytes_for_one_gpu : house::bytes_for_one_core(whole));
  options.blocks = chosen.blocks.value_or(small ? 1 : static_cast<int>(std::min(std::int64_t{ranks} * units, most)));
  options.transfer = house::suited_transfer(options, gpus || distributed);
  house::choose_task(options, running, true);
  house::require_consistent(options);
  if (distributed && !rank_group().everywhere(!gpus) && options.blocks > house::max_partials)
    bad_input("blocks {}: expected at most {} over several processes with GPUs", options.blocks, house::max_partials);
}

Result Solver::State::solve(std::span<const double> b, std::span<double> x, Start start,
                            const std::function<void(const Progress&)>& progress) {
  const Session::State::Call call(*session);
  const auto rows = static_cast<std::int64_t>(own_rows());
  agreed([&] {
    require_vector("b", b, rows);
    if (start == Start::given)
      require_vector("x", x, rows);
    else if (x.size() != own_rows())
      bad_input("x has {} values: expected {}", x.size(), rows);
  });
  require_same("start", start);
  std::vector<double> moved_b, moved_x;
  std::span<const double> first;
  if (start == Start::given) first = x;
  if (moves()) {
    b = moved_b = moved(b, given_rows, computed_rows);
    if (start == Start::given) first = moved_x = moved(x, given_rows, computed_rows);
  }
  const Session::State::Awake awake(*session);
  starpu_task_wait_for_all();  // of a solve that the caller has ended
  system->load(b, first);
  const std::span<const double> right(system->b.memory.data(), b.size());
  std::function<void(const house::Progress&)> tell;
  if (progress || rank_group().distributed())
    tell = [&](const house::Progress& p) {
      agreed([&] {
        if (progress) progress({p.iteration, p.residual});
      });
    };
  house::SolveResult solved = house::solve(*system, right, a.name, tell);
  std::span<const double> solution(system->x.memory.data(), b.size());
  if (moves()) solution = moved_x = moved(solution, computed_rows, given_rows);
  std::ranges::copy(solution, x.begin());
  rank_group().barrier();  // the others have what this rank's units send them: those may sleep
  return {outcome_of(solved.outcome), solved.iterations, solved.true_residual, std::move(solved.history),
          solved.seconds};
}

std::size_t Solver::State::count_of(std::size_t b, std::size_t x) const {
  const std::size_t n = own_rows();
  agreed([&] {
    if (b != x || (n == 0 ? b != 0 : b % n != 0))
      bad_input("b has {} values and x has {}: expected as many, {} for each right-hand side", b, x, n);
  });
  std::int64_t count = -1;
  bool differs = false;
  for (const std::int64_t of_rank :
       rank_group().all_gather(n == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(b / n))) {
    differs = differs || (of_rank >= 0 && count >= 0 && of_rank != count);
    count = std::max(count, of_rank);
  }
  if (differs) bad_input("right-hand sides: expected as many on all {} processes", rank_group().ranks());
  return as_size(count);
}

std::vector<std::optional<Result>> Solver::State::solve_together(std::span<const double> b, std::span<double> x,
                                                                 Start start,
                                                                 const std::function<void(const Progress&)>& progress) {
  const Session::State::Call call(*session);
  const auto n = static_cast<std::size_t>(a.n);
  const std::size_t count = b.size() / n;
  require_vector("b", b, static_cast<std::int64_t>(b.size()));
  if (start == Start::given) require_vector("x", x, static_cast<std::int64_t>(x.size()));
  std::vector<std::optional<Result>> results(count);
  const Session::State::Awake awake(*session);
  if (!house::MultiSystem::suits(*system, *session->running())) return results;
  starpu_task_wait_for_all();  // of a solve that the caller has ended
  const int width = house::MultiSystem::width_for(count);
  if (several == nullptr || several->vectors() != width) {
    several.reset();
    several = std::make_unique<house::MultiSystem>(*system, width);
  }
  std::vector<const double*> right, first;
  std::vector<double*> to;
  for (std::size_t k = 0; k < count; ++k) {
    right.push_back(b.data() + k * n);
    to.push_back(x.data() + k * n);
    first.push_back(start == Start::given ? to.back() : nullptr);
  }
  std::function<void(const house::Progress&)> tell;
  if (progress) tell = [&](const house::Progress& p) { progress({p.iteration, p.residual}); };
  std::vector<house::MultiSystem::Solved> solved = several->solve(right, first, to, tell);
  for (std::size_t k = 0; k < count; ++k) {
    house::SolveResult& one = solved[k].result;
    if (solved[k].settled)
      results[k] = {outcome_of(one.outcome), one.iterations, one.true_residual, std::move(one.history), one.seconds};
  }
  return results;
}

Solver::Solver(Session& session, const MatrixView& a, const Options& options)
    : state_(translated([&] { return std::make_unique<State>(state_of(session), a, options); })) {}
Solver::Solver(Session& session, const Rows& rows, const Options& options)
    : state_(translated([&] { return std::make_unique<State>(state_of(session), rows, options); })) {}
Solver::Solver(Session& session, const MatrixRows& a, const Options& options)
    : state_(translated([&] { return std::make_unique<State>(state_of(session), a, options); })) {}
Solver::~Solver() = default;
Solver::Solver(Solver&& other) noexcept = default;
Solver& Solver::operator=(Solver&& other) noexcept = default;

Result Solver::solve(std::span<const double> b, std::span<double> x, Start start,
                     const std::function<void(const Progress&)>& progress) {
  return translated([&] {
    if (state_ == nullptr) bad_input("a solver that was moved from: expected one with a matrix");
    return state_->solve(b, x, start, progress);
  });
}

std::vector<Result> Solver::solve_all(std::span<const double> b, std::span<double> x, Start start,
                                      const std::function<void(const Progress&)>& progress) {
  const auto n = as_size(own_rows());
  const std::size_t all = translated([&] {
    if (state_ == nullptr) bad_input("a solver that was moved from: expected one with a matrix");
    return state_->count_of(b.size(), x.size());
  });
  std::vector<Result> results;
  constexpr std::size_t most = house::most_right_hand_sides;
  for (std::size_t first = 0; first < all; first += most) {
    const std::size_t count = std::min(most, all - first);
    std::vector<std::optional<Result>> together(count);
    if (count > 1 && !rank_group().distributed())
      together = translated([&] {
        return state_->solve_together(b.subspan(first * n, count * n), x.subspan(first * n, count * n), start,
                                      progress);
      });
    for (std::size_t k = 0; k < count; ++k)
      results.push_back(together[k]
                            ? std::move(*together[k])
                            : solve(b.subspan((first + k) * n, n), x.subspan((first + k) * n, n), start, progress));
  }
  return results;
}

std::int64_t Solver::rows() const noexcept {
  return state_ == nullptr ? 0 : state_->a.n;
}
std::int64_t Solver::entries() const noexcept {
  return state_ == nullptr ? 0 : state_->entries;
}
std::int64_t Solver::first_row() const noexcept {
  return state_ == nullptr ? 0 : state_->given_rows[as_size(rank_group().rank())];
}
std::int64_t Solver::own_rows() const noexcept {
  return state_ == nullptr ? 0 : static_cast<std::int64_t>(state_->own_rows());
}
Preconditioner Solver::preconditioner() const noexcept {
  return state_ == nullptr ? Preconditioner::none : state_->preconditioner;
}
const std::string& Solver::reason() const noexcept {
  static const std::string none;
  return state_ == nullptr ? none : state_->reason;
}

}  // namespace asterism::v0::cg
