// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/energy.hpp"

#include <algorithm>
#include <cmath>

namespace asterism::bounds {
namespace {

using traces::UnitPower;

/// Joules per task and kind beyond those of an idle unit.
double beyond_idle(const TaskClass& tasks, const std::vector<UnitPower>& power, std::size_t kind) {
  return (power[kind].busy - power[kind].idle) * tasks.seconds[kind];
}

/// What the tasks take beyond idle units when each runs where that is least.
double without_limits(const AreaProblem& problem, const std::vector<UnitPower>& power) {
  double joules = 0;
  for (const TaskClass& tasks : problem.classes) {
    double least = impossible;
    for (std::size_t k = 0; k < problem.kinds.size(); ++k)
      if (std::isfinite(tasks.seconds[k])) least = std::min(least, beyond_idle(tasks, power, k));
    joules += tasks.tasks * least;
  }
  return joules;
}

double idle_watts(const AreaProblem& problem, const std::vector<UnitPower>& power) {
  double watts = 0;
  for (std::size_t k = 0; k < problem.kinds.size(); ++k) watts += problem.kinds[k].units * power[k].idle;
  return watts;
}

/// A makespan from which on every task can run where it takes the least energy.
double longest_of_use(const AreaProblem& problem, const std::vector<UnitPower>& power) {
  std::vector<double> load(problem.kinds.size(), 0);
  for (const TaskClass& tasks : problem.classes) {
    std::size_t best = problem.kinds.size();
    for (std::size_t k = 0; k < problem.kinds.size(); ++k)
      if (std::isfinite(tasks.seconds[k]) &&
          (best == problem.kinds.size() || beyond_idle(tasks, power, k) < beyond_idle(tasks, power, best)))
        best = k;
    load[best] += tasks.tasks * tasks.seconds[best];
  }
  double seconds = 0;
  for (std::size_t k = 0; k < load.size(); ++k) seconds = std::max(seconds, load[k] / problem.kinds[k].units);
  return seconds;
}

/// Prices of a second of each kind: those of the optimum of the linear program, as near as the solver comes.
std::vector<double> prices_of(const AreaProblem& problem, const std::vector<UnitPower>& power, double seconds,
                              double joules) {
  LinearProgram lp("energy");
  for (const UnitKind& kind : problem.kinds) lp.add_row("load_" + program_name(kind.name), Relation::at_most, 1);
  const int first = lp.rows();
  for (std::size_t c = 0; c < problem.classes.size(); ++c) lp.add_row("all_" + std::to_string(c), Relation::equal, 1);
  for (std::size_t c = 0; c < problem.classes.size(); ++c) {
    const TaskClass& tasks = problem.classes[c];
    for (std::size_t k = 0; k < problem.kinds.size(); ++k) {
      if (!std::isfinite(tasks.seconds[k])) continue;
      const std::vector<Coefficient> column{
          {static_cast<int>(k), tasks.tasks * tasks.seconds[k] / problem.kinds[k].units / seconds},
          {first + static_cast<int>(c), 1}};
      lp.add_column("share_" + std::to_string(c) + "_" + std::to_string(k),
                    tasks.tasks * beyond_idle(tasks, power, k) / joules, column);
    }
  }
  const Solution solution = lp.minimise();
  std::vector<double> prices;
  prices.reserve(problem.kinds.size());
  for (std::size_t k = 0; k < problem.kinds.size(); ++k)
    prices.push_back(std::max(0.0, -solution.dual[k]) * joules / (problem.kinds[k].units * seconds));
  return prices;
}

}  // namespace

double least_energy(const AreaProblem& problem, const std::vector<UnitPower>& power, double seconds) {
  constexpr double rounding = 1e-9;
  const double shortest = solve_area(problem).seconds;
  if (seconds < shortest * (1 - rounding)) return impossible;
  const double idle = idle_watts(problem, power) * seconds;
  const double free = without_limits(problem, power);
  if (seconds >= longest_of_use(problem, power) || !(free > 0)) return idle + free;
  // a little longer than LP, where the program has one solution up to rounding; its prices are valid for T all the same
  const std::vector<double> price = prices_of(problem, power, std::max(seconds, shortest * (1 + 1e-7)), free);
  double joules = 0;
  for (const TaskClass& tasks : problem.classes) {
    double least = impossible;
    for (std::size_t k = 0; k < price.size(); ++k)
      if (std::isfinite(tasks.seconds[k]))
        least = std::min(least, beyond_idle(tasks, power, k) + price[k] * tasks.seconds[k]);
    joules += tasks.tasks * least;
  }
  for (std::size_t k = 0; k < price.size(); ++k) joules -= price[k] * problem.kinds[k].units * seconds;
  return idle + std::max(joules, free);
}

std::vector<EnergyPoint> energy_front(const AreaProblem& problem, const std::vector<UnitPower>& power, double shortest,
                                      std::size_t points) {
  const double begin = std::max(shortest, solve_area(problem).seconds);
  const auto joules = [&](double seconds) { return least_energy(problem, power, seconds); };
  double low = begin;
  double high = std::max(begin, longest_of_use(problem, power));
  const double golden = (std::sqrt(5.0) - 1) / 2;
  constexpr int steps = 40;
  for (int step = 0; step < steps && high - low > 1e-6 * high; ++step) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    if (joules(left) <= joules(right))
      high = right;
    else
      low = left;
  }
  const double first = joules(begin);
  double end = 0.5 * (low + high);
  constexpr double worth = 1 - 1e-6;
  if (!(joules(end) < worth * first)) return {{begin, first}};
  std::vector<EnergyPoint> front;
  front.reserve(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double seconds = begin + (end - begin) * static_cast<double>(i) / static_cast<double>(points - 1);
    front.push_back({seconds, joules(seconds)});
  }
  return front;
}

}  // namespace asterism::bounds
