// SPDX-License-Identifier: Apache-2.0
#include "bounds/milp.hpp"

#include <cmath>

#include "base/error.hpp"

namespace asterism::bounds {

double solve_milp(const AreaProblem& problem, const MilpOptions& options) {
  AreaProblem work = problem;
  for (UnitKind& kind : work.kinds) kind.receives = LinearProgram::infinity;
  const double area = solve_area(work).seconds;
  if (area == 0) return 0;

  double units = 0;
  for (const UnitKind& kind : work.kinds) {
    if (kind.units != std::floor(kind.units))
      bad_input("MILP: {} units of kind {}, expected a whole number", kind.units, kind.name);
    units += kind.units;
  }
  const double variables = units * static_cast<double>(work.classes.size());
  if (variables > options.largest)
    bad_input("MILP: {} classes of tasks on {} units are {} integer variables, expected at most {}",
              work.classes.size(), units, variables, options.largest);

  LinearProgram lp("milp");
  for (const TaskClass& c : work.classes) lp.add_row("all_" + program_name(c.name), Relation::equal, c.tasks);
  struct Unit {
    std::size_t kind;
    int load;
    int order;  ///< row "load of this unit >= load of the next of its kind"; -1 for the last
  };
  std::vector<Unit> all;
  std::vector<Coefficient> of_t;
  for (std::size_t k = 0; k < work.kinds.size(); ++k)
    for (int p = 0; p < static_cast<int>(work.kinds[k].units); ++p) {
      const std::string name = program_name(work.kinds[k].name) + "_" + std::to_string(p);
      Unit unit{k, lp.add_row("load_" + name, Relation::at_most, 0), -1};
      if (p + 1 < static_cast<int>(work.kinds[k].units))
        unit.order = lp.add_row("order_" + name, Relation::at_least, 0);
      of_t.push_back({unit.load, -1});
      all.push_back(unit);
    }
  // T in units of the LP's optimum; starting at it closes the search early.
  lp.add_column("T", 1, of_t, 1);
  for (std::size_t c = 0; c < work.classes.size(); ++c)
    for (std::size_t u = 0; u < all.size(); ++u) {
      const double seconds = work.classes[c].seconds[all[u].kind];
      if (!std::isfinite(seconds)) continue;
      const double t = seconds / area;
      std::vector<Coefficient> column{{static_cast<int>(c), 1}, {all[u].load, t}};
      if (all[u].order >= 0) column.push_back({all[u].order, t});
      if (u > 0 && all[u - 1].kind == all[u].kind) column.push_back({all[u - 1].order, -t});
      // No upper bounds: the classes' rows imply them, and with them lp_solve 5.5.2.5 misses optima.
      lp.add_column("tasks_" + std::to_string(c) + "_" + std::to_string(u), 0, column, 0, LinearProgram::infinity,
                    true);
    }
  return lp.minimise(options.time_limit).objective * area;
}

}  // namespace asterism::bounds
