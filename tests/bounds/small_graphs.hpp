// SPDX-License-Identifier: Apache-2.0
// Small task graphs with whole durations, and the makespan of their best schedule by exhaustive search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bounds/area.hpp"
#include "tests/traces/recording_builder.hpp"

namespace asterism::bounds::testing {

struct SmallGraph {
  std::vector<int> units;                          ///< per kind
  std::vector<std::vector<int>> seconds;           ///< [class][kind]; 0: does not run there
  std::vector<std::size_t> of_task;                ///< class
  std::vector<std::vector<std::uint32_t>> before;  ///< per task
};

inline SmallGraph random_graph(std::mt19937& random, int most_tasks, int most_kinds) {
  const auto whole = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  SmallGraph g;
  const int kinds = whole(1, most_kinds);
  for (int k = 0; k < kinds; ++k) g.units.push_back(whole(1, 3));
  const int classes = whole(1, 4);
  for (int c = 0; c < classes; ++c) {
    std::vector<int>& of_class = g.seconds.emplace_back();
    for (int k = 0; k < kinds; ++k) of_class.push_back(whole(0, 5) == 0 ? 0 : whole(1, 12));
    if (std::count(of_class.begin(), of_class.end(), 0) == kinds) of_class[0] = whole(1, 12);
  }
  const int tasks = whole(1, most_tasks);
  const int one_in = whole(1, 5);
  for (int t = 0; t < tasks; ++t) {
    g.of_task.push_back(static_cast<std::size_t>(whole(0, classes - 1)));
    std::vector<std::uint32_t>& before = g.before.emplace_back();
    for (int p = 0; p < t; ++p)
      if (whole(1, one_in) == 1) before.push_back(static_cast<std::uint32_t>(p));
  }
  return g;
}

inline AreaProblem problem_of(const SmallGraph& g) {
  AreaProblem problem;
  for (std::size_t k = 0; k < g.units.size(); ++k)
    problem.kinds.push_back({std::string(1, static_cast<char>('A' + k)), static_cast<double>(g.units[k])});
  for (std::size_t c = 0; c < g.seconds.size(); ++c) {
    TaskClass tasks{"c" + std::to_string(c), 0, {}, 0};
    tasks.tasks = static_cast<double>(std::count(g.of_task.begin(), g.of_task.end(), c));
    for (const int t : g.seconds[c]) tasks.seconds.push_back(t == 0 ? impossible : t);
    problem.classes.push_back(std::move(tasks));
  }
  return problem;
}

/// Its tasks one after the other, each on the first unit of the first kind that runs it.
inline traces::Recording recording_of(const SmallGraph& g) {
  traces::testing::Builder b("small");
  std::vector<std::uint32_t> first;
  std::uint32_t units = 0;
  for (std::size_t k = 0; k < g.units.size(); ++k) {
    b.units(std::string(1, static_cast<char>('A' + k)), g.units[k]);
    first.push_back(units);
    units += static_cast<std::uint32_t>(g.units[k]);
  }
  int now = 0;
  for (std::size_t t = 0; t < g.of_task.size(); ++t) {
    const std::vector<int>& seconds = g.seconds[g.of_task[t]];
    std::size_t kind = 0;
    while (seconds[kind] == 0) ++kind;
    b.task("c" + std::to_string(g.of_task[t]), first[kind], now, now + seconds[kind], g.before[t]);
    now += seconds[kind];
  }
  return b.finish();
}

/// Branch and bound over all schedules in which no task could start earlier with the rest as it is: tasks are appended
/// in the order of their starts, on the kind's unit that is free first. One of these schedules is optimal: all units of
/// a kind that are free when a task starts are alike for the tasks after it.
class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(const SmallGraph& g) : g_(g), end_(g.of_task.size(), -1), tail_(g.of_task.size(), 0) {
    for (const int units : g.units) free_.emplace_back(static_cast<std::size_t>(units), 0);
    for (std::size_t t = tail_.size(); t-- > 0;)
      for (const std::uint32_t p : g.before[t]) tail_[p] = std::max(tail_[p], tail_[t] + fastest(t));
  }
  int makespan() {
    append(0, 0, 0);
    return best_;
  }

 private:
  [[nodiscard]] int fastest(std::size_t task) const {
    int least = std::numeric_limits<int>::max();
    for (const int t : g_.seconds[g_.of_task[task]]) least = t == 0 ? least : std::min(least, t);
    return least;
  }
  void append(std::size_t placed, int last_start, int makespan) {
    if (placed == end_.size()) {
      best_ = std::min(best_, makespan);
      return;
    }
    for (std::size_t t = 0; t < end_.size(); ++t) {
      if (end_[t] >= 0) continue;
      int ready = last_start;
      bool eligible = true;
      for (const std::uint32_t p : g_.before[t]) {
        eligible = eligible && end_[p] >= 0;
        ready = std::max(ready, end_[p]);
      }
      if (!eligible) continue;
      for (std::size_t k = 0; k < free_.size(); ++k) {
        const int seconds = g_.seconds[g_.of_task[t]][k];
        if (seconds == 0) continue;
        const auto unit = std::min_element(free_[k].begin(), free_[k].end());
        const int start = std::max(ready, *unit);
        if (std::max(makespan, start + seconds + tail_[t]) >= best_) continue;
        const int was = *unit;
        *unit = end_[t] = start + seconds;
        append(placed + 1, start, std::max(makespan, start + seconds));
        *unit = was;
        end_[t] = -1;
      }
    }
  }

  const SmallGraph& g_;
  std::vector<std::vector<int>> free_;  ///< per kind and unit
  std::vector<int> end_;                ///< per task; -1: not placed
  std::vector<int> tail_;
  int best_ = std::numeric_limits<int>::max();
};

}  // namespace asterism::bounds::testing
