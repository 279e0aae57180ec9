// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/pieces.hpp"

#include <algorithm>

#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/fields/gather.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

/// Bricks of a GPU that exchanges with other units.
constexpr int waiting_bricks = 4;

/// One for each rank, side by side along the longer of y and z, unless the options say how many.
std::array<int, 3> subdomains_of(const Arguments& args, const Problem& problem) {
  std::array<int, 3> parts = args.subdomains;
  if (parts[0] * parts[1] * parts[2] == 1) parts[problem.cells[1] > problem.cells[2] ? 1 : 2] = rank_group().ranks();
  return parts;
}

/// A GPU that has to wait for others is given `waiting_bricks`.
int bricks_of_gpu(int gpus, int subdomains, double gpu_share) {
  if (gpus == 0 || (gpus == 1 && gpu_share == 1)) return 1;
  return (waiting_bricks * gpus + subdomains - 1) / subdomains;
}

}  // namespace

Pieces cut(const Arguments& args, const Problem& problem, const Session& session, double gpu_share,
           PlacedBy placed_by) {
  Pieces pieces;
  pieces.gpu_share = gpu_share;
  pieces.subdomains = subdomains_of(args, problem);
  const int all_subdomains = pieces.subdomains[0] * pieces.subdomains[1] * pieces.subdomains[2];
  const int subdomains = std::max(1, all_subdomains / rank_group().ranks());  // of a rank
  // the smallest number of CPUs of a rank: cuts go through the whole domain
  const std::vector<int> cpus = rank_group().all_gather(session.cpus());
  const int cores = args.cores > 0 ? args.cores : std::max(1, *std::min_element(cpus.begin(), cpus.end()) / subdomains);
  const int gpu_bricks =
      args.gpu_bricks > 0 ? args.gpu_bricks : bricks_of_gpu(session.devices(), subdomains, gpu_share);
  pieces.bricks = decompose(problem, {pieces.subdomains, gpu_share, cores, gpu_bricks});
  if (rank_group().distributed()) deal(pieces.bricks, rank_group().ranks());
  pieces.placement = placed_by == PlacedBy::scheduler ? Placement(pieces.bricks.size(), scheduler_decides)
                                                      : place(pieces.bricks, session);
  return pieces;
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

}  // namespace asterism::apps::lbm
