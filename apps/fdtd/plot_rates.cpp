// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/plot_rates.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <set>

#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/core_kinds.hpp"
#include "taskflows/fdtd/division.hpp"
#include "taskflows/fdtd/farm.hpp"

namespace asterism::apps::fdtd {

using namespace asterism::fdtd;

namespace {
constexpr long warm_up = 4;

double flops_per_cell(const Problem& problem) {
  return benchmark_flops(problem.cells, 1) / cells_of(problem);
}

double rate_of_domain(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement,
                      long steps) {
  Simulation simulation(problem, bricks, placement,
                        best_overlap(problem, {bricks, placement, starpu_cuda_worker_get_count() > 0 ? 1.0 : 0.0}));
  simulation.advance(warm_up);
  starpu_task_wait_for_all();
  const Clock::time_point begin = Clock::now();
  simulation.advance(steps);
  starpu_task_wait_for_all();
  return cells_of(problem) * static_cast<double>(steps) / seconds_since(begin);
}

/// One unit of each kind, with a name.
std::vector<std::pair<std::string, int>> different_units(const Session& session) {
  const CoreKinds kinds;
  std::vector<std::pair<std::string, int>> units;
  std::set<std::pair<bool, int>> seen;
  for (const Unit& unit : session.units()) {
    const int which = unit.gpu ? unit.device : kinds.of(unit);
    if (!seen.insert({unit.gpu, which}).second) continue;
    std::string name = kinds.count() > 1 ? fmt::format("one core of kind {}", which) : "one core";
    units.emplace_back(unit.gpu ? unit.name : name, unit.worker);
  }
  return units;
}

double rate_of_farm(const SessionOptions& options, const Problem& problem, int domains, long steps) {
  const Session session(options);
  if (session.cpus() != *options.cpus)
    bad_input("{} CPU workers: StarPU starts {} of them on this machine", *options.cpus, session.cpus());
  if (options.streams && session.gpus() == 0) bad_input("streams of GPUs: this session has no GPU");
  const int window = farm_window(session, field_bytes(problem));
  const auto run = [&](std::size_t number, long of_each) {
    run_farm(std::vector<const Problem*>(number, &problem), {of_each, 1, window});
  };
  run(2 * session.units().size(), warm_up);
  const Clock::time_point begin = Clock::now();
  run(static_cast<std::size_t>(domains), steps);
  return domains * cells_of(problem) * static_cast<double>(steps) / seconds_since(begin);
}

}  // namespace

Problem benchmark_problem(const std::array<int, 3>& cells, Precision precision) {
  CaseOptions options;
  options.cells = cells;
  options.precision = precision;
  return make_case(options).problem;
}

std::vector<PlotPoint> points_of_sizes(const Session& session, const std::vector<int>& sizes, Precision precision,
                                       long steps) {
  std::vector<PlotPoint> points;
  for (const auto& [name, worker] : different_units(session))
    for (const int n : sizes) {
      const Problem problem = benchmark_problem({n, n, n}, precision);
      points.push_back({name,
                        static_cast<double>(n),
                        flops_per_cell(problem),
                        [problem, worker = worker, steps] {
                          return rate_of_domain(problem, decompose(problem, {{1, 1, 1}, {}}), {worker}, steps);
                        },
                        {}});
    }
  return points;
}

std::vector<PlotPoint> points_of_shares(const Session& session, const Problem& problem,
                                        const std::vector<double>& shares, int bricks_per_gpu, long steps) {
  std::vector<PlotPoint> points;
  const std::string name = fmt::format("{} cores, {} GPUs", session.cpus(), session.devices());
  for (const double share : shares) {
    const Division division = strips(problem, session, share, bricks_per_gpu);
    points.push_back(
        {name,
         100 * share,
         flops_per_cell(problem),
         [problem, division, steps] { return rate_of_domain(problem, division.bricks, division.placement, steps); },
         {}});
  }
  return points;
}

std::vector<PlotPoint> points_of_units(const SessionOptions& options, const Problem& problem,
                                       const std::vector<int>& cpus, const std::vector<int>& streams, int domains,
                                       long steps) {
  std::vector<PlotPoint> points;
  for (const int per_gpu : streams)
    for (const int cores : cpus) {
      if (cores == 0 && per_gpu == 0) continue;
      SessionOptions of_point = options;
      of_point.cpus = cores;
      if (per_gpu > 0)
        of_point.streams = per_gpu;
      else
        of_point.gpus = 0;
      points.push_back({per_gpu == 0 ? "no GPU" : fmt::format("{} streams per GPU", per_gpu),
                        static_cast<double>(cores),
                        flops_per_cell(problem),
                        [problem, of_point, domains, steps] { return rate_of_farm(of_point, problem, domains, steps); },
                        {}});
    }
  return points;
}

void measure(std::vector<PlotPoint>& points, int repetitions, const std::function<void(double)>& measured) {
  double done = 0;
  for (int r = 0; r < repetitions; ++r)
    for (PlotPoint& point : points) {
      point.cells_per_second.push_back(point.measure());
      measured(++done / (static_cast<double>(points.size()) * repetitions));
    }
}

}  // namespace asterism::apps::fdtd
