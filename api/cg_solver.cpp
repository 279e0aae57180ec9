// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient for a program around: the choices of asterism-cg, the System and the solver of taskflows/cg.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "api/cg_matrix.hpp"
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
  if (cyclic && uses_gpus(options) && !options.cpus && !given("STARPU_NCPU")) options.cpus = 0;
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

Outcome outcome_of(house::Outcome outcome) {
  return outcome == house::Outcome::converged        ? Outcome::converged
         : outcome == house::Outcome::max_iterations ? Outcome::max_iterations
                                                     : Outcome::stagnated;
}

}  // namespace

class Solver::State {
 public:
  State(std::shared_ptr<Session::State> owner, const MatrixView& view, const Options& chosen)
      : session(std::move(owner)), preconditioner(chosen.preconditioner) {
    const Session::State::Call call(*session);
    require_options(chosen);
    a = matrix_of(view);
    if (chosen.check_symmetry) house::require_symmetric_positive_diagonal(a);
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
    system.emplace(running, a, std::span<const double>{}, std::span<const double>{}, options,
                   house::partition_rows(a, shares, options.balance, house::uncut_rows(options)),
                   hierarchy.level.empty() ? nullptr : &hierarchy);
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
  /// Several at once, most_right_hand_sides at most: those whose result is not there are to be solved alone.
  std::vector<std::optional<Result>> solve_together(std::span<const double> b, std::span<double> x, Start start,
                                                    const std::function<void(const Progress&)>& progress);

  std::shared_ptr<Session::State> session;
  house::CsrMatrix a;
  house::Hierarchy hierarchy;
  house::Options options;
  Preconditioner preconditioner;  ///< never automatic once the state is made
  std::string reason;
  std::optional<house::System> system;
  std::unique_ptr<house::MultiSystem> several;  ///< from the first solve of several right-hand sides on

 private:
  void choose_preconditioner(const Options& chosen, bool on_gpus);
  void make_hierarchy(const Options& chosen);
  void complete_options(const Options& chosen, const asterism::Session& running);
};

void Solver::State::choose_preconditioner(const Options& chosen, bool on_gpus) {
  if (preconditioner == Preconditioner::automatic && options.flow != house::Flow::fused)
    preconditioner = Preconditioner::none;
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
  int& size = options.node_rows;
  size = chosen.preconditioner_block.value_or(house::rows_of_nodes(a));
  if (size > house::most_rows_of_nodes || a.n % size != 0)
    bad_input("preconditioner_block {}: {} expects a divisor of {} rows, up to {}", size,
              name_of(options.preconditioner_flow), a.n, house::most_rows_of_nodes);
  hierarchy = options.preconditioner_flow == house::PreconditionerFlow::ssor
                  ? house::coloured(a, size)
                  : house::smoothed_aggregation(a, size, house::component_constants(a.n, size));
}

void Solver::State::complete_options(const Options& chosen, const asterism::Session& running) {
  house::apply_flow_defaults(options);
  const bool gpus = running.gpus() > 0;
  const int units = gpus ? running.gpus() : running.cpus();
  const std::int64_t most = std::max<std::int64_t>(1, a.n / house::uncut_rows(options));
  const double bytes = iteration_bytes(house::Iteration::fused, static_cast<double>(a.nnz()), static_cast<double>(a.n));
  const bool whole = units <= house::max_team && options.preconditioner_flow == house::PreconditionerFlow::none;
  const bool small = bytes <= (gpus ? house::bytes_for_one_gpu : house::bytes_for_one_core(whole));
  options.blocks = chosen.blocks.value_or(small ? 1 : static_cast<int>(std::min<std::int64_t>(units, most)));
  options.transfer = house::suited_transfer(options, gpus);
  house::choose_task(options, running, true);
  house::require_consistent(options);
}

Result Solver::State::solve(std::span<const double> b, std::span<double> x, Start start,
                            const std::function<void(const Progress&)>& progress) {
  const Session::State::Call call(*session);
  require_vector("b", b, a.n);
  if (start == Start::given)
    require_vector("x", x, a.n);
  else if (static_cast<std::int64_t>(x.size()) != a.n)
    bad_input("x has {} values: expected {}", x.size(), a.n);
  const Session::State::Awake awake(*session);
  starpu_task_wait_for_all();  // of a solve that the caller has ended
  system->load(b, start == Start::given ? std::span<const double>(x) : std::span<const double>{});
  const std::span<const double> right(system->b.memory.data(), as_size(a.n));
  std::function<void(const house::Progress&)> tell;
  if (progress) tell = [&](const house::Progress& p) { progress({p.iteration, p.residual}); };
  house::SolveResult solved = house::solve(*system, right, a.name, tell);
  std::memcpy(x.data(), system->x.memory.data(), x.size_bytes());
  return {outcome_of(solved.outcome), solved.iterations, solved.true_residual, std::move(solved.history),
          solved.seconds};
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
  const auto n = as_size(rows());
  translated([&] {
    if (n == 0) bad_input("a solver that was moved from: expected one with a matrix");
    if (b.size() != x.size() || b.size() % n != 0)
      bad_input("b has {} values and x has {}: expected as many, {} for each right-hand side", b.size(), x.size(), n);
  });
  std::vector<Result> results;
  constexpr std::size_t most = house::most_right_hand_sides;
  for (std::size_t first = 0; first < b.size(); first += most * n) {
    const std::size_t count = std::min(most, (b.size() - first) / n);
    std::vector<std::optional<Result>> together(count);
    if (count > 1)
      together = translated([&] {
        return state_->solve_together(b.subspan(first, count * n), x.subspan(first, count * n), start, progress);
      });
    for (std::size_t k = 0; k < count; ++k)
      results.push_back(together[k] ? std::move(*together[k])
                                    : solve(b.subspan(first + k * n, n), x.subspan(first + k * n, n), start, progress));
  }
  return results;
}

std::int64_t Solver::rows() const noexcept {
  return state_ == nullptr ? 0 : state_->a.n;
}
std::int64_t Solver::entries() const noexcept {
  return state_ == nullptr ? 0 : state_->a.nnz();
}
Preconditioner Solver::preconditioner() const noexcept {
  return state_ == nullptr ? Preconditioner::none : state_->preconditioner;
}
const std::string& Solver::reason() const noexcept {
  static const std::string none;
  return state_ == nullptr ? none : state_->reason;
}

}  // namespace asterism::v0::cg
