// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/pieces.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/balance.hpp"
#include "taskflows/lbm/fields/gather.hpp"

namespace asterism::lbm {

namespace {

/// Bricks of a GPU that exchanges with other units.
constexpr int waiting_bricks = 4;

/// Cores that have slabs along z rather than along y: on two these were 2 to 7 % faster, from 16 layers each.
constexpr int few_cores = 2;
constexpr int least_layers = 16;

/// Unless the options say how many: one for each rank, side by side along the longer of y and z; one for each of a few
/// cores without GPUs.
std::array<int, 3> subdomains_of(const PieceOptions& options, const Problem& problem, int cpus, int gpus) {
  if (options.subdomains != std::array{1, 1, 1}) return options.subdomains;
  const int y = problem.cells[1];
  const int z = problem.cells[2];
  if (rank_group().distributed())
    return y > z ? std::array{1, rank_group().ranks(), 1} : std::array{1, 1, rank_group().ranks()};
  const bool along_z =
      gpus == 0 && options.cores == 0 && cpus <= few_cores && z >= least_layers * cpus && 2 * y <= 3 * z;
  return {1, 1, along_z ? std::max(cpus, 1) : 1};
}

/// Cells of the largest flow that is measured: beyond the caches, a second's work at most.
constexpr double largest_sample = 1 << 22;
/// Cells for each of some cores up to which more cores may be slower: half a millisecond of a core.
constexpr double small_per_core = 1 << 16;

double cells_in(const Problem& problem) {
  return static_cast<double>(problem.cells[0]) * problem.cells[1] * problem.cells[2];
}

/// A flow of the same shape and method with at most `largest_sample` cells, all fluid, at rest.
Problem sample_of(const Problem& like) {
  Problem sample;
  sample.cells = shrunk(like.cells, largest_sample);
  sample.face = like.face;
  sample.collision = like.collision;
  sample.precision = like.precision;
  sample.initial = [](int, int, int) { return Flow{}; };
  return sample;
}

/// Cells per second, with the domain cut as that of a run would be.
double step_rate(const PieceOptions& options, const Problem& like, const Session& session, double gpu_share) {
  const Problem sample = sample_of(like);
  const Pieces pieces = cut(options, sample, session, gpu_share, PlacedBy::program);
  Simulation simulation(sample, pieces.bricks, pieces.placement);
  simulation.initialise();
  return cells_in(sample) * median_step_rate([&](long steps) {
           simulation.advance(steps);
           starpu_task_wait_for_all();
         });
}

/// A GPU that has to wait for others is given `waiting_bricks`.
int bricks_of_gpu(int gpus, int subdomains, double gpu_share) {
  if (gpus == 0 || (gpus == 1 && gpu_share == 1)) return 1;
  return (waiting_bricks * gpus + subdomains - 1) / subdomains;
}

}  // namespace

Pieces cut(const PieceOptions& options, const Problem& problem, const Session& session, double gpu_share,
           PlacedBy placed_by) {
  Pieces pieces;
  pieces.gpu_share = gpu_share;
  pieces.subdomains = subdomains_of(options, problem, session.cpus(), session.devices());
  const int all_subdomains = pieces.subdomains[0] * pieces.subdomains[1] * pieces.subdomains[2];
  const int subdomains = std::max(1, all_subdomains / rank_group().ranks());  // of a rank
  // the smallest number of CPUs of a rank: cuts go through the whole domain
  const std::vector<int> cpus = rank_group().all_gather(session.cpus());
  const int cores =
      options.cores > 0 ? options.cores : std::max(1, *std::min_element(cpus.begin(), cpus.end()) / subdomains);
  const int gpu_bricks =
      options.gpu_bricks > 0 ? options.gpu_bricks : bricks_of_gpu(session.devices(), subdomains, gpu_share);
  pieces.bricks = decompose(problem, {pieces.subdomains, gpu_share, cores, gpu_bricks});
  if (rank_group().distributed()) deal(pieces.bricks, rank_group().ranks());
  pieces.placement = placed_by == PlacedBy::scheduler ? Placement(pieces.bricks.size(), scheduler_decides)
                                                      : place(pieces.bricks, session);
  return pieces;
}

std::string kind_of(const Problem& problem) {
  return fmt::format("lbm/{}/{}{}", name_of(problem.precision), name_of(problem.collision.model),
                     problem.collision.smagorinsky > 0 ? "+smagorinsky" : "");
}

std::optional<StepWork> step_work_of(const PieceOptions& options, const Problem& problem) {
  const bool cut_by_options = options.subdomains != std::array{1, 1, 1} || options.cores > 0 || options.gpu_bricks > 0;
  if (options.gpu_share || options.scheduler_places || cut_by_options) return std::nullopt;
  StepWork work = grid_work(kind_of(problem), problem.cells, std::max(problem.cells[1], problem.cells[2]),
                            largest_sample, small_per_core);
  work.rate = [&options, &problem](const Session& session, double share) {
    return step_rate(options, problem, session, share);
  };
  return work;
}

bool several_bricks_per_gpu(const PieceOptions& options, const SessionOptions& session) {
  const int gpus = session.gpus.value_or(visible_gpus());
  const int subdomains = options.subdomains[0] * options.subdomains[1] * options.subdomains[2];
  const bool with_cpus = session.cpus.value_or(1) > 0 && options.gpu_share.value_or(0) < 1;
  return gpus > 0 && (gpus > 1 || subdomains > 1 || options.gpu_bricks > 1 || with_cpus);
}

std::optional<int> suited_streams(const PieceOptions& options, const SessionOptions& session) {
  const bool open = std::getenv("STARPU_NWORKER_PER_CUDA") == nullptr && !simulated;
  return open && several_bricks_per_gpu(options, session) ? std::optional(2) : std::nullopt;
}

std::string cores_share_name(const Problem& problem, const Session& session) {
  return fmt::format("{}/2^{} cells/share of {} cores beside {} GPUs", kind_of(problem),
                     std::lround(std::log2(cells_in(problem))), session.cpus(), session.devices());
}

GpuShare gpu_share_of(const PieceOptions& options, const Problem& problem, const Session& session,
                      const std::optional<double>& chosen, const std::function<void()>& measuring) {
  if (session.devices() == 0) return {0, {}};
  if (session.cpus() == 0) return {1, {}};
  if (options.gpu_share) return {*options.gpu_share, {}};
  KnownRates rates = known_rates();
  if (const auto cores = rates.find(cores_share_name(problem, session))) return {1 - *cores, {}};
  if (chosen) return {*chosen, {}};
  measuring();
  const Rates measured = measure_rates(problem, session, kind_of(problem), rates);
  return {measured.gpu_share(), measured};
}

std::unique_ptr<Simulation> moved(std::unique_ptr<Simulation> from, const Problem& problem, const Pieces& to) {
  const long time = from->time();
  const Array<char> state = simulated ? Array<char>() : gather_state(*from, problem);
  from.reset();
  auto simulation = std::make_unique<Simulation>(problem, to.bricks, to.placement);
  if (simulated)
    simulation->set(time, [](const DomainBox& /*box*/, void* /*slots*/) {});
  else
    scatter_state(*simulation, problem, time, state.data());
  return simulation;
}

}  // namespace asterism::lbm
