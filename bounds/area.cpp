// SPDX-License-Identifier: Apache-2.0
#include "bounds/area.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "bounds/area_columns.hpp"

namespace asterism::bounds {
namespace {

/// Relative difference of the primal and the dual value: what is asked of the solver, and what is accepted from it.
constexpr double solver_agreement = 1e-9;
constexpr double worst_agreement = 1e-7;

bool counts_links(const UnitKind& kind) {
  return std::isfinite(kind.receives);
}

/// Every class where it costs nothing; nothing to solve.
AreaSolution free_of_cost(const AreaProblem& problem) {
  AreaSolution s;
  const std::size_t kinds = problem.kinds.size();
  s.load.assign(kinds, 0);
  s.share.assign(kinds, 0);
  s.link_share.assign(kinds, 0);
  for (const TaskClass& c : problem.classes) {
    s.tasks.emplace_back(kinds, 0.0);
    const auto cheapest = std::min_element(c.seconds.begin(), c.seconds.end()) - c.seconds.begin();
    s.tasks.back()[static_cast<std::size_t>(cheapest)] = c.tasks;
  }
  return s;
}

}  // namespace

void require_runnable(const AreaProblem& problem) {
  for (const TaskClass& c : problem.classes)
    if (std::none_of(c.seconds.begin(), c.seconds.end(), [](double t) { return std::isfinite(t); }))
      bad_input("{}: no kind of unit has a duration for it, so no bound exists", c.name);
}

LinearProgram area_program(const AreaProblem& problem, double scale) {
  LinearProgram lp("area");
  const std::size_t kinds = problem.kinds.size();
  std::vector<int> load(kinds, -1);
  std::vector<int> link(kinds, -1);
  std::vector<Coefficient> of_t;
  for (std::size_t k = 0; k < kinds; ++k) {
    const UnitKind& kind = problem.kinds[k];
    load[k] = lp.add_row("load_" + program_name(kind.name), Relation::at_most, 0);
    of_t.push_back({load[k], -kind.units});
    if (!counts_links(kind)) continue;
    link[k] = lp.add_row("link_" + program_name(kind.name), Relation::at_most, 0);
    of_t.push_back({link[k], -1});
  }
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t c = 0; c < problem.classes.size(); ++c) {
    std::string name = program_name(problem.classes[c].name);
    if (!taken.insert(name).second) taken.insert(name += "_" + std::to_string(c));
    lp.add_row("all_" + name, Relation::equal, 1);
    names.push_back(std::move(name));
  }
  const int first_class = lp.rows() - static_cast<int>(problem.classes.size());
  lp.add_column("T", 1, of_t);
  for (std::size_t c = 0; c < problem.classes.size(); ++c) {
    const TaskClass& tasks = problem.classes[c];
    for (std::size_t k = 0; k < kinds; ++k) {
      if (!std::isfinite(tasks.seconds[k])) continue;
      std::vector<Coefficient> column{{load[k], tasks.tasks * tasks.seconds[k] / scale}};
      if (link[k] >= 0) column.push_back({link[k], tasks.tasks * tasks.bytes / problem.kinds[k].receives / scale});
      column.push_back({first_class + static_cast<int>(c), 1});
      lp.add_column("share_" + names[c] + "_" + program_name(problem.kinds[k].name), 0, column);
    }
  }
  return lp;
}

namespace {

AreaOptimum area_by_classes(const AreaProblem& problem, double scale) {
  const std::size_t kinds = problem.kinds.size();
  const Solution solution = area_program(problem, scale).minimise();
  AreaOptimum optimum{{std::vector<double>(kinds, 0), std::vector<double>(kinds, 0)}, {}};
  // Prices from the rows' dual values, which are <= 0 for "at most" rows of a minimisation.
  std::size_t row = 0;
  for (std::size_t k = 0; k < kinds; ++k) {
    optimum.prices.work[k] = std::max(0.0, -solution.dual[row++]);
    if (counts_links(problem.kinds[k]))
      optimum.prices.bytes[k] = std::max(0.0, -solution.dual[row++]) / problem.kinds[k].receives;
  }
  optimum.prices = normalised(problem, std::move(optimum.prices));
  std::size_t column = 1;  // column 0 is T
  for (const TaskClass& c : problem.classes) {
    optimum.tasks.emplace_back(kinds, 0.0);
    for (std::size_t k = 0; k < kinds; ++k)
      if (std::isfinite(c.seconds[k])) optimum.tasks.back()[k] = c.tasks * solution.value[column++];
  }
  return optimum;
}

/// `gap`: by how much the value of the tasks' assignment exceeds that of the prices, relative to it.
AreaSolution evaluate(const AreaProblem& problem, AreaOptimum optimum, double& gap) {
  const std::size_t kinds = problem.kinds.size();
  AreaSolution s;
  s.seconds = dual_value(problem, optimum.prices);
  for (std::size_t k = 0; k < kinds; ++k) {
    const UnitKind& kind = problem.kinds[k];
    s.share.push_back(kind.units * optimum.prices.work[k]);
    s.link_share.push_back(counts_links(kind) ? kind.receives * optimum.prices.bytes[k] : 0);
  }
  s.tasks = std::move(optimum.tasks);
  s.load.assign(kinds, 0);
  std::vector<double> received(kinds, 0);
  for (std::size_t i = 0; i < problem.classes.size(); ++i) {
    const TaskClass& c = problem.classes[i];
    double whole = 0;
    for (double& tasks : s.tasks[i]) whole += tasks = std::max(0.0, tasks);
    if (!(whole > 0)) continue;  // a class without tasks
    for (std::size_t k = 0; k < kinds; ++k) {
      if (!std::isfinite(c.seconds[k])) continue;
      s.tasks[i][k] *= c.tasks / whole;
      s.load[k] += s.tasks[i][k] * c.seconds[k];
      received[k] += s.tasks[i][k] * c.bytes;
    }
  }
  double primal = 0;
  for (std::size_t k = 0; k < kinds; ++k)
    primal = std::max({primal, s.load[k] / problem.kinds[k].units,
                       counts_links(problem.kinds[k]) ? received[k] / problem.kinds[k].receives : 0.0});
  gap = std::abs(primal - s.seconds) / primal;
  return s;
}

}  // namespace

AreaSolution solve_area(const AreaProblem& problem, const AreaOptions& options) {
  require_runnable(problem);
  const std::size_t kinds = problem.kinds.size();
  // Equal prices already give a bound within a factor of the number of units: it serves as the unit of time.
  Prices equal{std::vector<double>(kinds, 1), std::vector<double>(kinds, 0)};
  for (std::size_t k = 0; k < kinds; ++k)
    if (counts_links(problem.kinds[k])) equal.bytes[k] = 1 / problem.kinds[k].receives;
  const double scale = dual_value(problem, normalised(problem, equal));
  if (!(scale > 0)) return free_of_cost(problem);

  double gap = impossible;
  AreaSolution s;
  if (problem.classes.size() <= options.most_rows) {
    try {
      s = evaluate(problem, area_by_classes(problem, scale), gap);
    } catch (const Error&) {  // numerical failure: the other form has fewer rows
    }
  }
  if (gap <= solver_agreement) return s;
  double other_gap = impossible;
  AreaSolution other = evaluate(problem, area_by_columns(problem, scale), other_gap);
  if (other_gap < gap) {
    s = std::move(other);
    gap = other_gap;
  }
  if (!(gap <= worst_agreement))
    failed("linear program area: primal and dual value differ, {:.12g} s by {:.3g} of it", s.seconds, gap);
  return s;
}

}  // namespace asterism::bounds
