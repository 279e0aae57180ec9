// SPDX-License-Identifier: Apache-2.0
// Problems of assignment for tests, and their optimum with whole tasks by exhaustive search.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bounds/area.hpp"

namespace asterism::bounds::testing {

/// The paper's Figure 14: six tasks, two CPUs, two GPUs. a and b belong on CPUs, c and d on GPUs, e and f fit both.
inline AreaProblem figure14() {
  return {
      {{"CPU", 2}, {"GPU", 2}},
      {{"a", 1, {2, 10}}, {"b", 1, {2, 10}}, {"c", 1, {10, 2}}, {"d", 1, {10, 2}}, {"e", 1, {4, 2}}, {"f", 1, {4, 2}}}};
}

/// Durations between e^-3 and e^3 s, some 0, some impossible; every class has one.
inline AreaProblem random_problem(std::mt19937& random, std::size_t most_kinds, int most_units, int most_classes,
                                  int most_tasks) {
  const auto whole = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  std::uniform_real_distribution<double> real(0, 1);
  AreaProblem p;
  const int kinds = whole(1, static_cast<int>(most_kinds));
  for (int k = 0; k < kinds; ++k)
    p.kinds.push_back({std::string(1, static_cast<char>('A' + k)), whole(1, most_units) * 1.0});
  const int classes = whole(1, most_classes);
  for (int c = 0; c < classes; ++c) {
    TaskClass tasks{"c" + std::to_string(c), whole(1, most_tasks) * 1.0, {}};
    for (int k = 0; k < kinds; ++k) {
      const double draw = real(random);
      tasks.seconds.push_back(draw < 0.15 ? impossible : draw < 0.2 ? 0 : std::exp(6 * real(random) - 3));
    }
    if (std::all_of(tasks.seconds.begin(), tasks.seconds.end(), [](double t) { return std::isinf(t); }))
      tasks.seconds[static_cast<std::size_t>(whole(0, kinds - 1))] = 1 + real(random);
    p.classes.push_back(std::move(tasks));
  }
  return p;
}

/// Every task a class of its own.
inline AreaProblem divided(const AreaProblem& p) {
  AreaProblem single{p.kinds, {}};
  for (TaskClass c : p.classes) {
    const int tasks = static_cast<int>(c.tasks);
    c.tasks = 1;
    for (int i = 0; i < tasks; ++i) single.classes.push_back(c);
  }
  return single;
}

/// The best of all assignments of whole tasks to units.
inline double exhaustive(const AreaProblem& p) {
  const AreaProblem tasks = divided(p);
  std::vector<std::size_t> units;
  for (std::size_t k = 0; k < p.kinds.size(); ++k)
    units.insert(units.end(), static_cast<std::size_t>(p.kinds[k].units), k);
  std::vector<double> load(units.size(), 0);
  double best = impossible;
  const auto place = [&](auto&& self, std::size_t task) -> void {
    if (task == tasks.classes.size()) {
      best = std::min(best, *std::max_element(load.begin(), load.end()));
      return;
    }
    for (std::size_t u = 0; u < units.size(); ++u) {
      const double t = tasks.classes[task].seconds[units[u]];
      if (std::isinf(t)) continue;
      load[u] += t;
      if (load[u] < best) self(self, task + 1);
      load[u] -= t;
    }
  };
  place(place, 0);
  return best;
}

}  // namespace asterism::bounds::testing
