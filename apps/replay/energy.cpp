// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/energy.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <map>

#include "bounds/schedules/energy.hpp"

namespace asterism::apps::replay {
namespace {

/// By kind of TaskTimes; none: not all of the kinds that have units say their watts.
std::optional<std::vector<traces::UnitPower>> power_of(const Platform& platform, const std::vector<double>& units) {
  std::vector<traces::UnitPower> power;
  for (std::size_t k = 0; k < units.size(); ++k) {
    const std::optional<Watts>& watts = k == 0 ? platform.cpu_watts : platform.gpu_kinds[k - 1].watts;
    if (!watts && units[k] > 0) return std::nullopt;
    power.push_back(watts ? traces::UnitPower{watts->idle, watts->busy} : traces::UnitPower{});
  }
  return power;
}

/// Workers of StarPU by kind.
std::vector<double> workers(const Platform& platform) {
  std::vector<double> units(1 + platform.gpu_kinds.size(), 0);
  for (unsigned w = 0; w < starpu_worker_get_count(); ++w) {
    const int worker = static_cast<int>(w);
    const bool gpu = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    ++units[gpu ? 1 + platform.kind_of_gpu(starpu_worker_get_devid(worker)) : 0];
  }
  return units;
}

/// The kinds that have units, and the tasks by their durations there.
struct EnergyProblem {
  bounds::AreaProblem area;
  std::vector<traces::UnitPower> power;
};
EnergyProblem problem_of(const bounds::Workload& work, const std::vector<double>& units,
                         const std::vector<traces::UnitPower>& power) {
  EnergyProblem problem;
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < units.size(); ++k) {
    if (!(units[k] > 0)) continue;
    kinds.push_back(k);
    problem.area.kinds.push_back({fmt::format("kind {}", k), units[k]});
    problem.power.push_back(power[k]);
  }
  std::map<std::vector<double>, std::size_t> known;
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    std::vector<double> seconds;
    for (const std::size_t k : kinds) seconds.push_back(work.on(t, k));
    const auto [found, fresh] = known.try_emplace(seconds, problem.area.classes.size());
    if (fresh) problem.area.classes.push_back({fmt::format("class {}", found->second), 0, seconds, 0});
    ++problem.area.classes[found->second].tasks;
  }
  return problem;
}

}  // namespace

void report_energy(const Graph& graph, const Platform& platform, double seconds, const bounds::Workload* work,
                   double shortest, Report& report) {
  const std::vector<double> units = workers(platform);
  const auto power = power_of(platform, units);
  if (!power) return;
  const std::vector<double> busy = graph.busy_seconds();
  double in_tasks = 0, idle = 0;
  for (std::size_t k = 0; k < units.size(); ++k) {
    in_tasks += (*power)[k].busy * busy[k];
    idle += (*power)[k].idle * std::max(0.0, units[k] * seconds - busy[k]);
  }
  const double joules = in_tasks + idle;
  report.record["energy"] = {{"joules", joules}, {"busy", in_tasks}, {"idle", idle}};
  report.rows.emplace_back("energy", fmt::format("{:.5g} J: {:.5g} J in tasks, {:.5g} J idle", joules, in_tasks, idle));
  if (work == nullptr) return;
  const EnergyProblem problem = problem_of(*work, units, *power);
  constexpr std::size_t most_classes = 1000;  // seconds of lp_solve
  if (problem.area.classes.size() > most_classes) return;
  const double least = bounds::least_energy(problem.area, problem.power, seconds);
  const auto front = bounds::energy_front(problem.area, problem.power, shortest);
  nlohmann::json points = nlohmann::json::array();
  for (const bounds::EnergyPoint& point : front) points.push_back({point.seconds, point.joules});
  report.record["energy"]["least_at_this_makespan"] = least;
  report.record["energy"]["front"] = std::move(points);
  report.rows.emplace_back("", fmt::format("at least {:.5g} J at this makespan: {:.3f} times", least, joules / least));
  report.rows.emplace_back(
      "", front.size() == 1
              ? fmt::format("at least {:.5g} J at any makespan: the shortest one saves most", front.front().joules)
              : fmt::format("at least {:.5g} J in {:.5g} s, {:.5g} J in {:.5g} s and longer", front.front().joules,
                            front.front().seconds, front.back().joules, front.back().seconds));
}

}  // namespace asterism::apps::replay
