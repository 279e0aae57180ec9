#include "taskflows/fdtd/division.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "codelets/fdtd/kernels.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::fdtd {
namespace {

/// Updates of cells that take a GPU about a millisecond.
constexpr double cells_of_a_task = 4e7;

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

}  // namespace

Division strips(const Problem& problem, const Session& session, double gpu_share, int strips_per_gpu) {
  if (!(gpu_share >= 0 && gpu_share <= 1)) bad_input("share of GPUs {}: expected 0 to 1", gpu_share);
  const std::vector<std::vector<int>> gpus = gpus_of(session);
  std::vector<int> cores = cores_of(session);
  if (gpu_share > 0 && gpus.empty()) bad_input("a part of the domain is for GPUs, of which this session has none");
  if (gpu_share < 1 && cores.empty()) bad_input("a part of the domain is for CPUs, of which this session has none");
  const auto gpu_strips = gpu_share > 0 ? gpus.size() * static_cast<std::size_t>(strips_per_gpu) : 0;
  const auto planes = static_cast<std::size_t>(problem.cells[0]);
  if (gpu_strips > planes || (gpu_strips == planes && gpu_share < 1))
    bad_input("{} strips for GPUs of {} planes of cells", gpu_strips, planes);
  if (gpu_share == 1) cores.clear();
  const double wanted = gpu_share > 0 ? std::ceil((1 - gpu_share) * problem.cells[0]) : problem.cells[0];
  cores.resize(std::min({cores.size(), planes - gpu_strips, static_cast<std::size_t>(std::max(wanted, 0.0))}));
  Division d;
  d.gpu_share = gpu_share;
  Cut cut;
  for (std::size_t s = 0; s < gpu_strips; ++s) {
    const std::vector<int>& workers = gpus[s / static_cast<std::size_t>(strips_per_gpu)];
    d.placement.push_back(workers[s % workers.size()]);
    cut.weights.push_back(gpu_share / static_cast<double>(gpu_strips));
  }
  for (const int core : cores) {
    d.placement.push_back(core);
    cut.weights.push_back((1 - gpu_share) / static_cast<double>(cores.size()));
  }
  cut.parts[0] = static_cast<int>(cut.weights.size());
  d.bricks = decompose(problem, cut);
  return d;
}

int best_overlap(const Problem& problem, const Division& division) {
  if (division.bricks.size() < 2 || !may_overlap(problem)) return 0;
  int thinnest = problem.cells[0];
  for (const BrickPlace& brick : division.bricks) {
    if (brick.size(1) != problem.cells[1] || brick.size(2) != problem.cells[2]) return 0;
    thinnest = std::min(thinnest, brick.size(0));
  }
  // half as many steps as the wavefront takes at best still gain more than two planes in eight cost
  if (division.gpu_share == 0) {
    for (int steps = cpu::steps_at_once; steps >= cpu::steps_at_once / 2; steps /= 2)
      if (thinnest >= 8 * steps) return steps;
    return 0;
  }
  // as many steps as go through memory at once, or several times as many to make up for what a task costs
  const int at_once = steps_at_once(problem.single_precision);
  const double cells = cells_of(problem) / static_cast<double>(division.bricks.size());
  const int for_tasks = static_cast<int>(std::ceil(cells_of_a_task / cells / at_once)) * at_once;
  const int affordable = thinnest / 8 / at_once * at_once;
  if (affordable >= at_once) return std::clamp(for_tasks, at_once, affordable);
  return thinnest >= 4 * at_once ? at_once : 0;
}

Division boxes(const Problem& problem, const Session& session, const std::array<int, 3>& parts) {
  Division d;
  d.bricks = decompose(problem, {parts, {}});
  std::vector<std::vector<int>> units = gpus_of(session);
  d.gpu_share = units.empty() ? 0 : 1;
  if (units.empty())
    for (const int core : cores_of(session)) units.push_back({core});
  const std::size_t bricks = d.bricks.size();
  for (std::size_t b = 0; b < bricks; ++b) {
    const std::vector<int>& workers = units[b * units.size() / bricks];
    d.placement.push_back(workers[b % workers.size()]);
  }
  return d;
}

}  // namespace asterism::fdtd
