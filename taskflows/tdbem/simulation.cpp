// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/simulation.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/surface/observer_weights.hpp"

namespace asterism::tdbem {
namespace {

/// Bytes of blocks that make a task of a GPU long beside what starting it costs.
constexpr std::int64_t largest_batch = std::int64_t{2} << 30;
template <class U>
Handle constant(const std::vector<U>& values, const char* name) {
  return Handle::temporary(values.data(), values.size(), sizeof(U), name);
}

/// Unknowns for each of some cores up to which more cores may be slower.
constexpr double small_per_core = 400;

/// Unknowns times steps per second, of the march alone.
template <class T>
double step_rate(const Problem& problem, const Method& method, const Session& session) {
  const Sharing sharing = suited_sharing({}, session);
  Matrices<T> matrices(problem, suited_block_size(method, problem, session, sharing), suited_widths(method.kernel));
  matrices.assemble([](double) {});
  Simulation<T> simulation(problem, method, matrices, session, sharing);
  return problem.surface.unknowns() * median_step_rate([&](long steps) {
           for (const std::int64_t end = simulation.steps() + steps; simulation.steps() < end;) simulation.advance();
           starpu_task_wait_for_all();
         });
}

}  // namespace

template <class T>
Simulation<T>::Simulation(const Problem& problem, const Method& method, Matrices<T>& matrices, const Session& session,
                          Sharing sharing)
    : problem_(problem),
      method_(method),
      matrices_(matrices),
      sharing_(sharing),
      unknowns_(problem.surface.unknowns()),
      waves_(static_cast<std::int32_t>(problem.waves.size())),
      width_(method.ahead ? 2 * method.group : method.group),
      passage_(passage(problem)) {
  check(problem, method);
  std::vector<int> devices;
  int beside_products = any_worker;  // another stream of the first GPU
  for (const Unit& unit : session.units()) {
    if (!unit.gpu)
      cores_.push_back(unit.worker);
    else if (std::find(devices.begin(), devices.end(), unit.device) == devices.end()) {
      devices.push_back(unit.device);
      gpus_.push_back(unit.worker);
      // a small part of the GPU's memory, which may not hold all blocks
      const starpu_ssize_t memory = starpu_memory_get_total(unit.node);
      const std::int64_t most = memory > 0 ? memory / 16 : largest_batch;
      batch_bytes_ = std::min(batch_bytes_ == 0 ? largest_batch : batch_bytes_, most);
    } else if (unit.device == devices.front()) {
      beside_products = unit.worker;
    }
  }
  if (cores_.size() > static_cast<std::size_t>(most_partials) - gpus_.size())
    cores_.resize(static_cast<std::size_t>(most_partials) - gpus_.size());
  if (!runs_on_gpus(method.kernel) && !gpus_.empty())
    bad_input("kernel {}: on CPUs only, where this session has GPUs", name_of(method.kernel));
  if (problem.solver == Solver::factorisation && cores_.empty())
    bad_input("the factorisation of M^0 needs a core, of which this session has none");
  if (!gpus_.empty()) solving_unit_ = beside_products != any_worker ? beside_products : gpus_.front();
  if (sharing == Sharing::gpus && !gpus_.empty()) cores_.clear();
  const auto weights = [&] {
    if (problem.observers.empty()) return ObserverWeights<T>{};
    const Pause pause;
    return observer_weights<T>(problem.surface, problem.boundary, problem.speed, problem.dt,
                               triangle_rule(problem.rules.far_points), problem.observers);
  }();
  if (method.kernel == Kernel::full_blocking)
    full_blocks_ = std::make_unique<FullBlockMatrices<T>>(matrices, method.shape_of_full_blocks);
  build_windows(weights.largest_lag);
  build_surface();
  if (rank_group().distributed())
    distributed_sums_ = std::make_unique<DistributedSums<T>>(
        unknowns_, method.group, waves_, static_cast<std::int32_t>(gpus_.empty() ? cores_.size() : 1), radiation());
  build_parts();
  marches_ = marches();
  build_partials();
  build_initial();
  if (weights.observers > 0) build_observers(weights);
  check_memory_of_gpus();
  pin_constants();
  spans_ = std::vector<ProductSpan>(static_cast<std::size_t>(workers()));
  share(equal_sizes(matrices_.own().size(), workers()));
}

/// A choice that is the same on all ranks.
template <class T>
Radiation Simulation<T>::radiation() const {
  if (method_.radiation != Radiation::suitable) return method_.radiation;
  bool gpus = false;
  for (const char with_gpu : rank_group().all_gather(static_cast<char>(gpus_.empty() ? 0 : 1)))
    gpus = gpus || with_gpu != 0;
  return width_ == 1 || gpus ? Radiation::all_rows : Radiation::own_rows;
}

template <class T>
Simulation<T>::~Simulation() {
  starpu_task_wait_for_all();
  wait_for_record();
  for (const starpu_data_handle_t handle : pinned_) starpu_data_release_on_node(handle, node_of_solving_unit());
}

template <class T>
std::int32_t Simulation<T>::workers() const {
  return static_cast<std::int32_t>(gpus_.size() + (cores_.empty() ? 0 : 1));
}

template <class T>
void Simulation<T>::share(const Sizes& blocks) {
  if (blocks.size() != static_cast<std::size_t>(workers()) ||
      std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}) != matrices_.own().size())
    bad_input("{} blocks of slices have to be shared out among {} workers", matrices_.own().size(), workers());
  shares_ = blocks;
}

template <class T>
void Simulation<T>::build_surface() {
  const Surface& s = problem_.surface;
  surface_.push_back(constant(s.vertices, "vertices"));
  surface_.push_back(constant(s.triangles, "triangles"));
  surface_.push_back(constant(s.normals, "normals"));
  surface_.push_back(constant(s.areas, "areas"));
  surface_.push_back(constant(s.start, "triangles_start"));
  surface_.push_back(constant(s.around, "triangles_around"));
}

template <class T>
void Simulation<T>::build_initial() {
  const InitialMatrix& m = matrices_.initial();
  m0_start_.assign(m.start.begin(), m.start.end());
  m0_value_.assign(m.value.begin(), m.value.end());
  m0_inverse_.resize(static_cast<std::size_t>(unknowns_));
  const CsrView<T> view{unknowns_, m0_start_.data(), m.column.data(), m0_value_.data()};
  if (const std::int32_t row = cpu::invert_diagonal(view, m0_inverse_.data()); row >= 0 && !simulated)
    failed("M^0 has no positive diagonal entry in row {}: the quadrature is too coarse for this surface", row);
  m0_.push_back(constant(m0_start_, "m0_start"));
  m0_.push_back(constant(m.column, "m0_column"));
  m0_.push_back(constant(m0_value_, "m0_value"));
  m0_.push_back(constant(m0_inverse_, "m0_inverse_diagonal"));
  solve_scratch_ = Handle::temporary(nullptr, codelets::solve_scratch_bytes<T>(unknowns_), 1, "scratch_of_solutions");
  tally_memory_ = HostBuffer<SolveTally>(1);
  tally_memory_[0] = SolveTally{};
  tally_ = Handle::temporary(tally_memory_.data(), 1, sizeof(SolveTally), "tally");
  if (problem_.solver != Solver::factorisation) return;
  if (distributed_sums_) {
    distributed_direct_ = std::make_unique<DistributedDirectSolver<T>>(view);
    solve_directly_ = [this](void* rhs) {
      distributed_direct_->solve({static_cast<T*>(rhs), static_cast<std::size_t>(unknowns_)});
    };
  } else {
    direct_ = std::make_unique<DirectSolver<T>>(view);
    solve_directly_ = [this](void* rhs) {
      direct_->solve({static_cast<T*>(rhs), static_cast<std::size_t>(unknowns_)});
    };
  }
}

template <class T>
std::vector<double> Simulation<T>::product_seconds() {
  std::vector<double> seconds;
  for (ProductSpan& span : spans_) seconds.push_back(span.take());
  return seconds;
}

template <class T>
std::vector<double> Simulation<T>::solution(std::int64_t step, std::int32_t wave) {
  const std::int64_t first = steps_ - method_.group;
  if (step < first || step >= steps_) failed("step {} is not among the last {}", step, method_.group);
  const starpu_data_handle_t handle = solutions(steps_ / method_.group - 1);
  const Acquired held(handle, STARPU_R);
  const auto* values =
      static_cast<const T*>(starpu_data_get_local_ptr(handle)) + (wave * method_.group + (step - first)) * unknowns_;
  return {values, values + unknowns_};
}

template <class T>
SolveTally Simulation<T>::tally() {
  const Acquired held(tally_, STARPU_R);
  return *static_cast<const SolveTally*>(starpu_data_get_local_ptr(tally_));
}

template class Simulation<float>;
template class Simulation<double>;

Sharing suited_sharing(const std::optional<Sharing>& asked, const Session& session) {
  return asked.value_or(session.devices() > 0 ? Sharing::gpus : Sharing::intervals);
}

std::int32_t suited_block_size(const Method& method, const Problem& problem, const Session& session, Sharing sharing) {
  if (method.block_size > 0) return method.block_size;
  const std::int32_t unknowns = problem.surface.unknowns(), ranks = rank_group().ranks();
  std::int32_t size = suitable_block_size(unknowns, session.cpus(), session.devices(), ranks);
  if (sharing == Sharing::intervals && ranks == 1 && session.cpus() > 1)
    size = block_size_for_cores(unknowns, size, session.cpus());
  rank_group().broadcast(size);  // other ranks may have other units
  return size;
}

Widths suited_widths(Kernel kernel) {
  return kernel == Kernel::contiguous_blocking ? Widths::uniform : Widths::of_panels;
}

std::optional<StepWork> step_work_of(const Problem& problem, const Method& method, std::optional<Sharing> sharing) {
  if (method.kernel != Kernel::panels || sharing || method.block_size > 0 ||
      problem.surface.unknowns() > small_per_core)
    return std::nullopt;
  StepWork work;
  work.kind = fmt::format("tdbem/{}/{} waves", name_of(problem.precision), problem.waves.size());
  work.counted = "unknowns";
  work.size = work.largest = problem.surface.unknowns();
  work.small_per_core = small_per_core;
  work.shared = false;
  work.rate = [&](const Session& session, double /*gpu_share*/) {
    return with_precision(problem.precision,
                          [&](auto number) { return step_rate<decltype(number)>(problem, method, session); });
  };
  return work;
}

void require_solved(const SolveTally& tally, const Problem& problem) {
  if (tally.failed_step < 0) return;
  const double time = static_cast<double>(problem.first_step + tally.failed_step) * problem.dt;
  if (tally.ending == Ending::breakdown)
    failed(
        "the march broke down at step {} (t = {:.6g} s): values that are not finite, or M^0 is not positive definite "
        "(a finer quadrature may help: --near-points, --touching-points)",
        tally.failed_step, time);
  failed("M^0 a = s was not solved to {:.1e} in {} iterations at step {} (a larger --tolerance, or --solver mumps)",
         problem.limits.tolerance, problem.limits.most_iterations, tally.failed_step);
}

}  // namespace asterism::tdbem
