// SPDX-License-Identifier: Apache-2.0
#include "bounds/area_columns.hpp"

#include <algorithm>
#include <cmath>

namespace asterism::bounds {
namespace {

constexpr double price_agreement = 1e-12;
constexpr int most_columns = 2000;

/// Everything where it is cheapest at some prices.
struct Column {
  Prices prices;
  std::vector<double> use;  ///< per row of the master program: time the assignment needs there, in units of `scale`
};

class Master {
 public:
  Master(const AreaProblem& problem, double scale) : problem_(problem), scale_(scale) {}

  void add(const Prices& prices) {
    const std::size_t kinds = problem_.kinds.size();
    Column column{prices, std::vector<double>(2 * kinds, 0)};
    for (const TaskClass& c : problem_.classes) {
      const std::size_t k = cheapest(c, prices).kind;
      column.use[k] += c.tasks * c.seconds[k];
      column.use[kinds + k] += c.tasks * c.bytes;
    }
    for (std::size_t k = 0; k < kinds; ++k) {
      column.use[k] /= problem_.kinds[k].units * scale_;
      column.use[kinds + k] /= problem_.kinds[k].receives * scale_;  // 0 where links do not count
    }
    columns_.push_back(std::move(column));
  }

  [[nodiscard]] bool knows_last() const {
    const auto same = [&](const Column& c) { return c.use == columns_.back().use; };
    return std::any_of(columns_.begin(), columns_.end() - 1, same);
  }

  /// The best mixture: T, and the prices that its rows give. In time 1 the units do as much as they can of all work,
  ///   max sum_j m_j  such that  sum_j use_jr m_j <= 1  for each row r,
  /// so T = 1 / sum_j m_j; the objective is scaled by the last T. lp_solve rounds values near 1e-11: each column is
  /// divided by its largest use.
  double solve(Prices& prices) {
    const std::size_t kinds = problem_.kinds.size();
    LinearProgram lp("area by columns");
    std::vector<int> row(2 * kinds, -1);
    for (std::size_t r = 0; r < 2 * kinds; ++r)
      if (r < kinds || std::isfinite(problem_.kinds[r - kinds].receives))
        row[r] = lp.add_row("r" + std::to_string(r), Relation::at_most, 1);
    for (const Column& c : columns_) {
      const double most = *std::max_element(c.use.begin(), c.use.end());
      std::vector<Coefficient> column;
      for (std::size_t r = 0; r < 2 * kinds; ++r)
        if (row[r] >= 0 && c.use[r] > 0) column.push_back({row[r], c.use[r] / most});
      lp.add_column("c" + std::to_string(lp.columns()), -time_ / most, column);
    }
    const Solution solution = lp.minimise();
    double work = 0;
    share_.clear();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      share_.push_back(solution.value[j] / *std::max_element(columns_[j].use.begin(), columns_[j].use.end()));
      work += share_.back();
    }
    for (double& share : share_) share /= work;
    time_ = 1 / work;
    const auto price = [&](std::size_t r) {
      return row[r] < 0 ? 0.0 : std::max(0.0, -solution.dual[static_cast<std::size_t>(row[r])]);
    };
    for (std::size_t k = 0; k < kinds; ++k) {
      prices.work[k] = price(k) / problem_.kinds[k].units;
      prices.bytes[k] = price(kinds + k) / problem_.kinds[k].receives;
    }
    prices = normalised(problem_, std::move(prices));
    return scale_ / work;
  }

  [[nodiscard]] std::size_t size() const { return columns_.size(); }

  [[nodiscard]] std::vector<std::vector<double>> mixture() const {
    std::vector<std::vector<double>> tasks(problem_.classes.size(), std::vector<double>(problem_.kinds.size(), 0));
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (!(share_[j] > 0)) continue;
      for (std::size_t c = 0; c < tasks.size(); ++c)
        tasks[c][cheapest(problem_.classes[c], columns_[j].prices).kind] += share_[j] * problem_.classes[c].tasks;
    }
    return tasks;
  }

 private:
  const AreaProblem& problem_;
  double scale_;
  std::vector<Column> columns_;
  std::vector<double> share_;
  double time_ = 1;
};

}  // namespace

Prices normalised(const AreaProblem& problem, Prices prices) {
  double sum = 0;
  for (std::size_t k = 0; k < problem.kinds.size(); ++k) {
    sum += problem.kinds[k].units * prices.work[k];
    if (prices.bytes[k] > 0) sum += problem.kinds[k].receives * prices.bytes[k];
  }
  for (double& price : prices.work) price /= sum;
  for (double& price : prices.bytes) price /= sum;
  return prices;
}

Choice cheapest(const TaskClass& tasks, const Prices& prices) {
  Choice best;
  for (std::size_t k = 0; k < tasks.seconds.size(); ++k) {
    if (!std::isfinite(tasks.seconds[k])) continue;
    const double cost = prices.work[k] * tasks.seconds[k] + prices.bytes[k] * tasks.bytes;
    if (cost < best.cost) best = {k, cost};
  }
  return best;
}

double dual_value(const AreaProblem& problem, const Prices& prices) {
  double value = 0;
  double correction = 0;  // Kahan: up to 10^6 classes, and bounds are compared to 1e-9
  for (const TaskClass& c : problem.classes) {
    const double term = c.tasks * cheapest(c, prices).cost - correction;
    const double sum = value + term;
    correction = (sum - value) - term;
    value = sum;
  }
  return value;
}

AreaOptimum area_by_columns(const AreaProblem& problem, double scale) {
  const std::size_t kinds = problem.kinds.size();
  Master master(problem, scale);
  // To begin with: every kind in turn gets all that it can run.
  for (std::size_t k = 0; k < kinds; ++k) {
    Prices prices{std::vector<double>(kinds, 1), std::vector<double>(kinds, 0)};
    prices.work[k] = 0;
    master.add(prices);
  }
  Prices prices{std::vector<double>(kinds, 0), std::vector<double>(kinds, 0)};
  Prices best = prices;
  double lower = -1;
  for (;;) {
    const double upper = master.solve(prices);
    const double value = dual_value(problem, prices);
    if (value > lower) {
      lower = value;
      best = prices;
    }
    if (upper - lower <= price_agreement * upper || master.size() >= most_columns) break;
    master.add(prices);
    if (master.knows_last()) {
      master.solve(prices);
      break;
    }
  }
  return {best, master.mixture()};
}

}  // namespace asterism::bounds
