// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/division.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/apart.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/direct/direct_messages.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::fdtd {
namespace {

/// Do both fields take less than half of this machine's last-level cache?
bool cached(const Problem& problem) {
  const double element = problem.precision == Precision::single_precision ? sizeof(float) : sizeof(double);
  return !simulated && 12 * element * cells_of(problem) < static_cast<double>(sysconf(_SC_LEVEL3_CACHE_SIZE));
}

/// Updates of cells that take a GPU about a millisecond.
constexpr double cells_of_a_task = 4e7;
/// Strips of a core where ranks exchange: one is advanced while what the other needs travels.
constexpr int strips_per_core_of_ranks = 2;
/// Planes that a GPU advances by a step in the time that a step's share of overlapping planes takes between ranks: six
/// numbers of each cell of a plane, at 5 GB/s between processes of one machine, and 40 G cells/s of eight bytes.
constexpr int planes_that_hide_overlap = 400;

std::vector<int> cores_of(const Session& session) {
  std::vector<int> cores;
  for (const Unit& unit : session.units())
    if (!unit.gpu) cores.push_back(unit.worker);
  return cores;
}

/// Workers of each GPU.
std::vector<std::vector<int>> gpus_of(const Session& session) {
  std::map<int, std::vector<int>> workers;
  for (const Unit& unit : session.units())
    if (unit.gpu) workers[unit.device].push_back(unit.worker);
  std::vector<std::vector<int>> gpus;
  for (const auto& [device, of_device] : workers) gpus.push_back(of_device);
  return gpus;
}

/// Strips of a rank and their weights, of all of the domain; those of GPUs are first.
struct RankStrips {
  std::size_t gpus = 0;
  std::size_t cores = 0;
  std::vector<double> of_gpu;  ///< weight of each strip
  double of_core = 0;          ///< of one
};

/// Strips of a rank that has `planes` planes of the domain.
RankStrips strips_of(const RankShare& rank, std::size_t planes, int strips_per_gpu, int strips_per_core) {
  RankStrips s;
  const double share = rank.of_gpus / (rank.of_gpus + rank.of_cores);
  if (share > 0) s.gpus = static_cast<std::size_t>(rank.gpus) * static_cast<std::size_t>(strips_per_gpu);
  if (s.gpus > planes || (s.gpus == planes && share < 1))
    bad_input("{} strips for GPUs of {} planes of cells", s.gpus, planes);
  if (share < 1) {
    const double wanted =
        share > 0 ? std::ceil((1 - share) * static_cast<double>(planes)) : static_cast<double>(planes);
    s.cores = std::min({static_cast<std::size_t>(rank.cores * strips_per_core), planes - s.gpus,
                        static_cast<std::size_t>(std::max(wanted, 0.0))});
  }
  const std::vector<double>& weights = rank.gpu_weights;
  if (!weights.empty() && weights.size() != static_cast<std::size_t>(rank.gpus))
    bad_input("{} weights of GPUs: expected one for each of {}", weights.size(), rank.gpus);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < s.gpus; ++i) {
    const double part = weights.empty()
                            ? 1 / static_cast<double>(s.gpus)
                            : weights[i / static_cast<std::size_t>(strips_per_gpu)] / (sum * strips_per_gpu);
    s.of_gpu.push_back(rank.of_gpus * part);
  }
  if (s.cores > 0) s.of_core = rank.of_cores / static_cast<double>(s.cores);
  return s;
}

std::vector<double> weights_of(const std::vector<RankShare>& ranks) {
  std::vector<double> weights;
  for (const RankShare& rank : ranks) {
    weights.push_back(rank.of_gpus + rank.of_cores);
    if (!(weights.back() > 0)) bad_input("rank {} gets nothing of the domain", weights.size() - 1);
  }
  return weights;
}

/// Number of this rank in the list, which has one entry in a single process.
std::size_t own_rank(const std::vector<RankShare>& ranks) {
  return ranks.size() == 1 ? 0 : static_cast<std::size_t>(rank_group().rank());
}

/// cut(strips per GPU), with what the options say about it.
template <class CutDomain>
Division divided_by(const DivisionOptions& options, const Problem& problem, bool neighbours, bool of_ranks,
                    const CutDomain& cut) {
  const auto divided = [&](int per_gpu) {
    Division d = cut(per_gpu);
    d.exchange = options.exchange;
    d.overlap = options.overlap.value_or(options.exchange == Exchange::hidden ? best_overlap(problem, d) : 0);
    return d;
  };
  // strips that overlap exchange so seldom that one for each GPU is best, unless it is through main memory
  Division d = divided(options.bricks_per_gpu > 0                 ? options.bricks_per_gpu
                       : of_ranks && !all_gpus_reach_each_other() ? 2
                                                                  : 1);
  if (options.bricks_per_gpu == 0 && neighbours && d.overlap == 0) d = divided(2);
  if (options.scheduler_places) std::fill(d.placement.begin(), d.placement.end(), -1);
  return d;
}

}  // namespace

Division strips(const Problem& problem, const Session& session, double gpu_share, int strips_per_gpu,
                const std::vector<double>& gpu_weights) {
  if (!(gpu_share >= 0 && gpu_share <= 1)) bad_input("share of GPUs {}: expected 0 to 1", gpu_share);
  const auto gpus = static_cast<int>(gpus_of(session).size());
  const auto cores = static_cast<int>(cores_of(session).size());
  if (gpu_share > 0 && gpus == 0) bad_input("a part of the domain is for GPUs, of which this session has none");
  if (gpu_share < 1 && cores == 0) bad_input("a part of the domain is for CPUs, of which this session has none");
  return strips(problem, session, {RankShare{gpus, cores, gpu_share, 1 - gpu_share, gpu_weights}}, strips_per_gpu);
}

Division strips(const Problem& problem, const Session& session, const std::vector<RankShare>& ranks,
                int strips_per_gpu) {
  if (ranks.size() > static_cast<std::size_t>(problem.cells[0]))
    bad_input("{} planes of cells along x: expected one at least for each of {} processes", problem.cells[0],
              ranks.size());
  const std::vector<int> planes = cuts_of(problem.cells[0], weights_of(ranks));
  const std::vector<std::vector<int>> gpus = gpus_of(session);
  const std::vector<int> cores = cores_of(session);
  Division d;
  Cut cut;
  std::vector<int> rank_of;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const bool here = r == own_rank(ranks);
    const RankStrips of_rank = strips_of(ranks[r], static_cast<std::size_t>(planes[r + 1] - planes[r]), strips_per_gpu,
                                         ranks.size() > 1 ? strips_per_core_of_ranks : 1);
    d.gpu_share += ranks[r].of_gpus;
    for (std::size_t s = 0; s < of_rank.gpus; ++s) {
      cut.weights.push_back(of_rank.of_gpu[s]);
      d.placement.push_back(worker_elsewhere);
      if (!here) continue;
      const std::vector<int>& workers = gpus[s / static_cast<std::size_t>(strips_per_gpu)];
      d.placement.back() = workers[s % workers.size()];
    }
    const std::size_t used = std::min({cores.size(), static_cast<std::size_t>(ranks[r].cores), of_rank.cores});
    for (std::size_t s = 0; s < of_rank.cores; ++s) {
      cut.weights.push_back(of_rank.of_core);
      d.placement.push_back(here ? cores[s * used / of_rank.cores] : worker_elsewhere);
    }
    rank_of.resize(cut.weights.size(), static_cast<int>(r));
  }
  cut.parts[0] = static_cast<int>(cut.weights.size());
  d.bricks = decompose(problem, cut);
  if (ranks.size() > 1)
    for (std::size_t b = 0; b < d.bricks.size(); ++b) d.bricks[b].rank = rank_of[b];
  return d;
}

int best_overlap(const Problem& problem, const Division& division) {
  // a strip that is its own neighbour overlaps with itself
  if ((division.bricks.size() < 2 && problem.face[0] != Face::neighbour) || !may_overlap(problem)) return 0;
  int thinnest = problem.cells[0];
  for (const BrickPlace& brick : division.bricks) {
    if (brick.size(1) != problem.cells[1] || brick.size(2) != problem.cells[2]) return 0;
    thinnest = std::min(thinnest, brick.size(0));
  }
  // GPUs take steps one by one in thin domains with other faces, and around many poles
  const bool closed =
      std::all_of(problem.face.begin(), problem.face.end(), [](Face face) { return face == Face::electric; });
  if (division.gpu_share > 0 && !closed && !fills_tiles(whole_grid(problem), steps_at_once(problem.precision) / 2))
    return 0;
  if (division.gpu_share > 0 && !problem.couplings.empty()) return 0;
  if (division.gpu_share > 0 && 3 * cells_with_poles(problem).cells() > static_cast<std::int64_t>(cells_of(problem)))
    return 0;
  // half as many steps as the wavefront takes at best still gain more than two planes in eight cost, and no less than
  // all where the fields stay in the cache
  if (division.gpu_share == 0) {
    const bool thin = thinnest < 16 * cpu::steps_at_once;
    for (int steps = cpu::steps_at_once / (thin && cached(problem) ? 2 : 1); steps >= cpu::steps_at_once / 2;
         steps /= 2)
      if (thinnest >= 8 * steps * planes_of_step(problem)) return steps * planes_of_step(problem);
    return 0;
  }
  const bool of_ranks = std::any_of(division.bricks.begin(), division.bricks.end(),
                                    [](const BrickPlace& brick) { return brick.rank.has_value(); });
  if (of_ranks && !all_gpus_reach_each_other() && thinnest < planes_that_hide_overlap) return 0;
  // as many steps as go through memory at once, or several times as many to make up for what a task costs
  const int at_once = steps_at_once(problem.precision);
  const double cells = cells_of(problem) / static_cast<double>(division.bricks.size());
  const int for_tasks = static_cast<int>(std::ceil(cells_of_a_task / cells / at_once)) * at_once;
  const int affordable = thinnest / 8 / at_once * at_once;
  if (affordable >= at_once) return std::clamp(for_tasks, at_once, affordable);
  return thinnest >= 4 * at_once ? at_once : 0;
}

Division boxes(const Problem& problem, const Session& session, const std::array<int, 3>& parts) {
  return boxes(problem, session,
               {RankShare{static_cast<int>(gpus_of(session).size()), static_cast<int>(cores_of(session).size()), 1, 0}},
               parts);
}

Division boxes(const Problem& problem, const Session& session, const std::vector<RankShare>& ranks,
               const std::array<int, 3>& parts) {
  Division d;
  d.bricks = decompose(problem, {parts, {}});
  if (ranks.size() > d.bricks.size())
    bad_input("{} boxes: expected one at least for each of {} processes", d.bricks.size(), ranks.size());
  d.gpu_share = std::any_of(ranks.begin(), ranks.end(), [](const RankShare& rank) { return rank.gpus > 0; }) ? 1 : 0;
  const std::vector<int> first = cuts_of(static_cast<int>(d.bricks.size()), weights_of(ranks));
  d.placement.assign(d.bricks.size(), worker_elsewhere);
  std::vector<std::vector<int>> units = gpus_of(session);
  if (units.empty())
    for (const int core : cores_of(session)) units.push_back({core});
  const auto begin = static_cast<std::size_t>(first[own_rank(ranks)]);
  const auto own = static_cast<std::size_t>(first[own_rank(ranks) + 1]) - begin;
  for (std::size_t b = 0; b < own; ++b) {
    const std::vector<int>& workers = units[b * units.size() / own];
    d.placement[begin + b] = workers[b % workers.size()];
  }
  for (std::size_t r = 0; ranks.size() > 1 && r < ranks.size(); ++r)
    for (int b = first[r]; b < first[r + 1]; ++b) d.bricks[static_cast<std::size_t>(b)].rank = static_cast<int>(r);
  return d;
}

Division divide(const DivisionOptions& options, const Problem& problem, const Session& session, double share,
                const std::vector<double>& gpu_weights) {
  return divided_by(options, problem, share < 1 || session.devices() > 1, false, [&](int per_gpu) {
    return options.boxes ? boxes(problem, session, *options.boxes)
                         : strips(problem, session, share, per_gpu, gpu_weights);
  });
}

Division divide(const DivisionOptions& options, const Problem& problem, const Session& session,
                const std::vector<RankShare>& ranks) {
  return divided_by(options, problem, ranks.size() > 1, ranks.size() > 1, [&](int per_gpu) {
    return options.boxes ? boxes(problem, session, ranks, *options.boxes) : strips(problem, session, ranks, per_gpu);
  });
}

std::optional<int> suited_streams(const DivisionOptions& options) {
  const bool open = std::getenv("STARPU_NWORKER_PER_CUDA") == nullptr && !simulated;
  const bool neighbours = options.bricks_per_gpu > 1 || visible_gpus() > 1 || options.boxes;
  return options.bricks_per_gpu != 1 && visible_gpus() > 0 && open && neighbours ? std::optional(2) : std::nullopt;
}

}  // namespace asterism::fdtd
