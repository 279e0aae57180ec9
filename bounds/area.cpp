#include "bounds/area.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "taskflows/runtime/error.hpp"

namespace asterism::bounds {
namespace {

bool counts_links(const UnitKind& kind) {
  return std::isfinite(kind.receives);
}

/// The lower bound that prices give: pi per second of a kind's work, mu per byte a kind receives.
double dual_value(const AreaProblem& problem, const std::vector<double>& pi, const std::vector<double>& mu) {
  double value = 0;
  double correction = 0;  // Kahan: up to 10^6 classes, and bounds are compared to 1e-9
  for (const TaskClass& c : problem.classes) {
    double cheapest = impossible;
    for (std::size_t k = 0; k < problem.kinds.size(); ++k)
      if (std::isfinite(c.seconds[k])) cheapest = std::min(cheapest, pi[k] * c.seconds[k] + mu[k] * c.bytes);
    const double term = c.tasks * cheapest - correction;
    const double sum = value + term;
    correction = (sum - value) - term;
    value = sum;
  }
  return value;
}

void require_runnable(const AreaProblem& problem) {
  for (const TaskClass& c : problem.classes)
    if (std::none_of(c.seconds.begin(), c.seconds.end(), [](double t) { return std::isfinite(t); }))
      bad_input("{}: no kind of unit has a duration for it, so no bound exists", c.name);
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

AreaSolution solve_area(const AreaProblem& problem) {
  require_runnable(problem);
  const std::size_t kinds = problem.kinds.size();
  // Equal prices already give a bound within a factor of the number of units: it serves as the unit of time.
  double resources = 0;
  for (const UnitKind& kind : problem.kinds) resources += kind.units + (counts_links(kind) ? 1 : 0);
  std::vector<double> pi(kinds, 1 / resources);
  std::vector<double> mu(kinds, 0);
  for (std::size_t k = 0; k < kinds; ++k)
    if (counts_links(problem.kinds[k])) mu[k] = 1 / problem.kinds[k].receives / resources;
  const double scale = dual_value(problem, pi, mu);
  if (!(scale > 0)) return free_of_cost(problem);

  LinearProgram lp = area_program(problem, scale);
  const Solution solution = lp.minimise();

  // Prices from the rows' dual values (<= 0 for "at most" rows of a minimisation), made to sum to one exactly.
  std::vector<double> price;
  double sum = 0;
  int row = 0;
  for (std::size_t k = 0; k < kinds; ++k) {
    pi[k] = std::max(0.0, -solution.dual[static_cast<std::size_t>(row++)]);
    mu[k] = counts_links(problem.kinds[k]) ? std::max(0.0, -solution.dual[static_cast<std::size_t>(row++)]) : 0;
    sum += problem.kinds[k].units * pi[k] + mu[k];
  }
  AreaSolution s;
  for (std::size_t k = 0; k < kinds; ++k) {
    pi[k] /= sum;
    mu[k] /= sum;
    s.share.push_back(problem.kinds[k].units * pi[k]);
    s.link_share.push_back(mu[k]);
    if (counts_links(problem.kinds[k])) mu[k] /= problem.kinds[k].receives;
  }
  s.seconds = dual_value(problem, pi, mu);

  s.load.assign(kinds, 0);
  std::vector<double> received(kinds, 0);
  std::size_t column = 1;
  for (const TaskClass& c : problem.classes) {
    s.tasks.emplace_back(kinds, 0.0);
    double whole = 0;
    for (std::size_t k = 0; k < kinds; ++k)
      if (std::isfinite(c.seconds[k])) whole += s.tasks.back()[k] = std::max(0.0, solution.value[column++]);
    for (std::size_t k = 0; k < kinds; ++k) {
      if (!std::isfinite(c.seconds[k])) continue;
      s.tasks.back()[k] *= c.tasks / whole;
      s.load[k] += s.tasks.back()[k] * c.seconds[k];
      received[k] += s.tasks.back()[k] * c.bytes;
    }
  }
  double primal = 0;
  for (std::size_t k = 0; k < kinds; ++k)
    primal = std::max({primal, s.load[k] / problem.kinds[k].units,
                       counts_links(problem.kinds[k]) ? received[k] / problem.kinds[k].receives : 0.0});
  if (!(std::abs(primal - s.seconds) <= 1e-9 * primal))
    failed("linear program area: primal value {:.12g} s and dual value {:.12g} s differ", primal, s.seconds);
  return s;
}

}  // namespace asterism::bounds
