// SPDX-License-Identifier: Apache-2.0
#include "bounds/nodes.hpp"

#include <algorithm>

#include "bounds/fitting.hpp"

namespace asterism::bounds {
namespace {

/// The part of `whole` that rank `rank` has: its classes, and `units` of each kind; kinds without units fall away.
AreaProblem part_of(const AreaProblem& whole, const std::vector<std::uint32_t>& rank_of_class, std::uint32_t rank,
                    const std::vector<double>& units) {
  AreaProblem part;
  for (std::size_t k = 0; k < whole.kinds.size(); ++k)
    if (units[k] > 0) part.kinds.push_back({whole.kinds[k].name, units[k]});
  for (std::size_t c = 0; c < whole.classes.size(); ++c) {
    if (rank_of_class[c] != rank) continue;
    TaskClass tasks{whole.classes[c].name, whole.classes[c].tasks, {}, 0};
    for (std::size_t k = 0; k < whole.kinds.size(); ++k)
      if (units[k] > 0) tasks.seconds.push_back(whole.classes[c].seconds[k]);
    part.classes.push_back(std::move(tasks));
  }
  return part;
}

}  // namespace

NodeBounds solve_nodes(const AreaProblem& area, const AreaProblem& best_rates,
                       const std::vector<std::uint32_t>& rank_of_class, const traces::Recording& r) {
  NodeBounds bounds;
  const std::vector<Volume> volume = volumes(r);
  for (std::uint32_t rank = 0; rank < r.ranks; ++rank) {
    std::vector<double> units(area.kinds.size(), 0);
    for (const traces::Unit& u : r.units)
      for (std::size_t k = 0; k < area.kinds.size(); ++k)
        if (u.rank == rank && r.kinds[u.kind].name == area.kinds[k].name) ++units[k];
    const AreaProblem part = part_of(area, rank_of_class, rank, units);
    NodeBound bound;
    bound.kinds = part.kinds;
    bound.volume = volume[rank];
    for (const TaskClass& c : part.classes) bound.tasks += c.tasks;
    if (!part.classes.empty()) {
      const AreaSolution solution = solve_area(part);
      bound.area = solution.seconds;
      bound.fitting = solve_fitting(part, solution);
      bound.best_rates = solve_area(part_of(best_rates, rank_of_class, rank, units)).seconds;
    }
    bounds.area = std::max(bounds.area, bound.area);
    bounds.fitting = std::max(bounds.fitting, bound.fitting);
    bounds.best_rates = std::max(bounds.best_rates, bound.best_rates);
    bounds.rank.push_back(std::move(bound));
  }
  return bounds;
}

}  // namespace asterism::bounds
