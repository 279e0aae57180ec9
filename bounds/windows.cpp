// SPDX-License-Identifier: Apache-2.0
#include "bounds/windows.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

#include "bounds/fitting.hpp"
#include "traces/dag.hpp"

namespace asterism::bounds {
namespace {

using traces::none;

/// Per kind: what a second of a unit costs; sum_k P_k price_k = 1.
using WorkPrices = std::vector<double>;

double cheapest_cost(const std::vector<double>& seconds, const WorkPrices& price) {
  double least = impossible;
  for (std::size_t k = 0; k < seconds.size(); ++k)
    if (std::isfinite(seconds[k])) least = std::min(least, price[k] * seconds[k]);
  return least;
}

WorkPrices prices_of(const AreaProblem& problem, const AreaSolution& solution) {
  WorkPrices price(problem.kinds.size());
  for (std::size_t k = 0; k < price.size(); ++k) price[k] = solution.share[k] / problem.kinds[k].units;
  return price;
}

/// Prices to begin with: those of the LP of everything, equal ones, and each kind alone.
std::vector<WorkPrices> first_prices(const AreaProblem& problem) {
  const std::size_t kinds = problem.kinds.size();
  std::vector<WorkPrices> prices;
  const AreaSolution all = solve_area(problem);
  if (all.seconds > 0) prices.push_back(prices_of(problem, all));
  double units = 0;
  for (const UnitKind& kind : problem.kinds) units += kind.units;
  prices.emplace_back(kinds, 1 / units);
  for (std::size_t k = 0; kinds > 1 && k < kinds; ++k) {
    prices.emplace_back(kinds, 0);
    prices.back()[k] = 1 / problem.kinds[k].units;
  }
  return prices;
}

/// The graph in one direction: heads are computed in it, and tails in its reverse.
struct Direction {
  const std::vector<std::uint32_t>& order;  ///< every task after those of `before`
  const traces::Lists<std::uint32_t>& before;
};

class Heads {
 public:
  /// `cost`: [price][class].
  Heads(const GraphWork& work, const std::vector<double>& least, const std::vector<std::vector<double>>& cost,
        const Direction& graph)
      : work_(work), least_(least), cost_(cost), graph_(graph), head_(least.size(), 0), seen_(least.size(), none) {}

  /// `known`: per task a head known before; may be empty. `links`: fetches count, which is so for heads.
  std::vector<double> compute(std::uint64_t visits, bool raise, const std::vector<double>& known, bool links) {
    links_ = links && !work_.fetch.empty();
    std::uint64_t joins = 0;
    for (const std::uint32_t t : graph_.order) joins += graph_.before.count(t) > 1 ? 1 : 0;
    const std::uint64_t each = joins > 0 ? visits / joins : 0;
    for (const std::uint32_t t : graph_.order) {
      if (!known.empty()) head_[t] = known[t];
      for (const auto* p = graph_.before.begin(t); p != graph_.before.end(t); ++p)
        head_[t] = std::max(head_[t], head_[*p] + least_[*p]);
      if (raise && graph_.before.count(t) > 1) head_[t] = std::max(head_[t], by_ancestors(t, each));
    }
    return std::move(head_);
  }

 private:
  double by_ancestors(std::uint32_t t, std::uint64_t visits) {
    std::priority_queue<std::pair<double, std::uint32_t>> open;
    const auto add = [&](std::uint32_t task) {
      for (const auto* p = graph_.before.begin(task); p != graph_.before.end(task); ++p) {
        if (seen_[*p] == t) continue;
        seen_[*p] = t;
        open.emplace(head_[*p], *p);
      }
    };
    add(t);
    std::vector<double> sum(cost_.size(), 0);
    double best = 0;
    double fetched = 0;
    double shortest = impossible;  // of the tasks that fetch
    for (std::uint64_t visit = 0; !open.empty() && visit < visits; ++visit) {
      const auto [a, task] = open.top();
      open.pop();
      add(task);
      const std::uint32_t of = (*work_.of_task)[task];
      if (of == none) continue;
      double largest = 0;
      for (std::size_t j = 0; j < sum.size(); ++j) largest = std::max(largest, sum[j] += cost_[j][of]);
      best = std::max(best, a + largest);
      if (!links_ || !(work_.fetch[task] > 0)) continue;
      fetched += work_.fetch[task];
      shortest = std::min(shortest, least_[task]);
      best = std::max(best, fetched + shortest);
    }
    return best;
  }

  const GraphWork& work_;
  const std::vector<double>& least_;
  const std::vector<std::vector<double>>& cost_;
  Direction graph_;
  std::vector<double> head_;
  bool links_ = false;
  std::vector<std::uint32_t> seen_;  ///< per task: the last one among whose ancestors it was found
};

/// Values that divide those given into parts of about equal numbers, increasing; the least among them.
std::vector<double> quantiles_of(std::vector<double> values, std::size_t parts) {
  std::sort(values.begin(), values.end());
  std::vector<double> at;
  for (std::size_t i = 0; i < parts; ++i) at.push_back(values[i * values.size() / parts]);
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

std::size_t last_at_most(const std::vector<double>& values, double x) {
  return static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), x) - values.begin()) - 1;
}

class Sweep {
 public:
  Sweep(const GraphWork& work, const std::vector<double>& head, const std::vector<double>& tail, std::size_t parts)
      : work_(work), head_(head), tail_(tail) {
    std::vector<double> heads;
    std::vector<double> tails;
    for (std::uint32_t t = 0; t < head.size(); ++t) {
      if ((*work.of_task)[t] == none) continue;
      tasks_.push_back(t);
      heads.push_back(head[t]);
      tails.push_back(tail[t]);
    }
    after_ = quantiles_of(std::move(heads), parts);
    before_ = quantiles_of(std::move(tails), parts);
    value_.assign(after_.size() * before_.size(), 0);
    for (const std::uint32_t t : tasks_)
      cell_.push_back(cell(last_at_most(after_, head[t]), last_at_most(before_, tail[t])));
    for (const traces::Kind& kind : work.recording->kinds) {
      kind_.push_back(none);
      for (std::size_t k = 0; k < work.problem->kinds.size(); ++k)
        if (work.problem->kinds[k].name == kind.name) kind_.back() = static_cast<std::uint32_t>(k);
    }
  }

  /// a + b + dual value of the window at these prices, for all windows.
  void try_prices(const WorkPrices& price) {
    std::vector<double> cost;
    for (const TaskClass& c : work_.problem->classes) cost.push_back(cheapest_cost(c.seconds, price));
    std::vector<double> sum(value_.size(), 0);
    for (std::size_t i = 0; i < tasks_.size(); ++i) sum[cell_[i]] += cost[(*work_.of_task)[tasks_[i]]];
    for (std::size_t a = after_.size(); a-- > 0;)
      for (std::size_t b = before_.size(); b-- > 0;) {
        if (a + 1 < after_.size()) sum[cell(a, b)] += sum[cell(a + 1, b)];
        if (b + 1 < before_.size()) sum[cell(a, b)] += sum[cell(a, b + 1)];
        if (a + 1 < after_.size() && b + 1 < before_.size()) sum[cell(a, b)] -= sum[cell(a + 1, b + 1)];
        if (sum[cell(a, b)] > 0)
          value_[cell(a, b)] = std::max(value_[cell(a, b)], after_[a] + before_[b] + sum[cell(a, b)]);
      }
  }

  [[nodiscard]] std::size_t best_except(const std::set<std::size_t>& known) const {
    std::size_t best = value_.size();
    for (std::size_t i = 0; i < value_.size(); ++i)
      if (!known.contains(i) && (best == value_.size() || value_[i] > value_[best])) best = i;
    return best;
  }
  [[nodiscard]] std::size_t windows() const { return value_.size(); }
  [[nodiscard]] double value(std::size_t window) const { return value_[window]; }
  [[nodiscard]] double after(std::size_t window) const { return after_[window / before_.size()]; }
  [[nodiscard]] double before(std::size_t window) const { return before_[window % before_.size()]; }

  /// LP's problem of the tasks of a window, without classes that have none there.
  [[nodiscard]] AreaProblem problem(std::size_t window) const {
    const AreaProblem& whole = *work_.problem;
    const std::size_t kinds = whole.kinds.size();
    std::vector<double> count(whole.classes.size(), 0);
    std::vector<double> ran(whole.classes.size() * kinds, 0);
    std::vector<double> seconds(ran.size(), 0);
    for (const std::uint32_t t : tasks_) {
      if (head_[t] < after(window) || tail_[t] < before(window)) continue;
      const traces::Task& task = work_.recording->tasks[t];
      const std::size_t c = (*work_.of_task)[t];
      ++count[c];
      const std::uint32_t k = task.executed() ? kind_[work_.recording->units[task.unit].kind] : none;
      if (k == none) continue;
      ++ran[c * kinds + k];
      seconds[c * kinds + k] += task.duration();
    }
    AreaProblem part{whole.kinds, {}};
    for (std::size_t c = 0; c < count.size(); ++c) {
      if (!(count[c] > 0)) continue;
      part.classes.push_back(whole.classes[c]);
      part.classes.back().tasks = count[c];
      for (std::size_t k = 0; k < kinds; ++k)
        if (const std::size_t at = c * kinds + k; ran[at] > 0) {
          double& t = part.classes.back().seconds[k];
          t = std::min(t, seconds[at] / ran[at]);
        }
    }
    return part;
  }

 private:
  [[nodiscard]] std::size_t cell(std::size_t a, std::size_t b) const { return a * before_.size() + b; }

  const GraphWork& work_;
  const std::vector<double>& head_;
  const std::vector<double>& tail_;
  std::vector<std::uint32_t> tasks_;
  std::vector<double> after_;
  std::vector<double> before_;
  std::vector<std::size_t> cell_;    ///< per task of tasks_
  std::vector<std::uint32_t> kind_;  ///< per kind of the recording: that of the problem
  std::vector<double> value_;        ///< per window
};

}  // namespace

WindowBound window_bound(const GraphWork& work, const WindowOptions& options) {
  const traces::Recording& r = *work.recording;
  const std::size_t count = r.tasks.size();
  std::vector<double> least(count, 0);
  WindowBound bound;
  bool any = false;
  for (std::size_t t = 0; t < count; ++t)
    if (const std::uint32_t of = (*work.of_task)[t]; of != none) {
      least[t] = *std::min_element(work.least[of].begin(), work.least[of].end());
      any = true;
    }
  if (!any) return bound;

  AreaProblem fastest = *work.problem;
  for (UnitKind& kind : fastest.kinds) kind.receives = impossible;
  for (std::size_t c = 0; c < fastest.classes.size(); ++c) fastest.classes[c].seconds = work.least[c];
  const std::vector<WorkPrices> prices = first_prices(fastest);
  std::vector<std::vector<double>> cost;
  for (const WorkPrices& price : prices) {
    cost.emplace_back();
    for (const std::vector<double>& seconds : work.least) cost.back().push_back(cheapest_cost(seconds, price));
  }
  std::vector<std::uint32_t> order = traces::topological_order(r);
  bound.head =
      Heads(work, least, cost, {order, r.dependencies}).compute(options.visits, options.raise, work.release, true);
  std::reverse(order.begin(), order.end());
  const traces::Lists<std::uint32_t> after = traces::successors(r);
  bound.tail = Heads(work, least, cost, {order, after}).compute(options.visits, options.raise, work.due, false);
  const std::vector<double>& head = bound.head;
  const std::vector<double>& tail = bound.tail;
  for (std::size_t t = 0; t < count; ++t) bound.path = std::max(bound.path, head[t] + least[t] + tail[t]);

  Sweep sweep(work, head, tail, options.quantiles);
  for (const WorkPrices& price : prices) sweep.try_prices(price);
  std::set<std::size_t> known;
  std::size_t best = 0;
  while (known.size() < std::min(options.programs, sweep.windows())) {
    const std::size_t window = known.empty() ? 0 : sweep.best_except(known);  // window 0: everything
    known.insert(window);
    if (window != 0 && !(sweep.value(window) > 0)) break;
    const AreaProblem part = sweep.problem(window);
    const AreaSolution solution = solve_area(part);
    const double seconds = sweep.after(window) + solution.seconds + sweep.before(window);
    if (solution.seconds > 0) sweep.try_prices(prices_of(part, solution));
    if (seconds <= bound.seconds) continue;
    bound.seconds = seconds;
    best = window;
  }
  const AreaProblem part = sweep.problem(best);
  bound.after = sweep.after(best);
  bound.before = sweep.before(best);
  for (const TaskClass& c : part.classes) bound.tasks += static_cast<std::uint64_t>(c.tasks);
  bound.seconds = std::max(bound.path, bound.after + solve_fitting(part, solve_area(part)) + bound.before);
  return bound;
}

}  // namespace asterism::bounds
