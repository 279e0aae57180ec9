// SPDX-License-Identifier: Apache-2.0
// Table 1 of the TD-BEM paper: how much longer than the exact optimum work takes that the heuristic balances.
#include <algorithm>
#include <cmath>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"
#include "base/error.hpp"
#include "taskflows/tdbem/balance.hpp"

namespace asterism::apps::reproduce {
namespace {

using namespace asterism::tdbem;

constexpr double same_time = 1e-12;  // relative: sums that are rounded in different orders

using Pair = std::vector<std::optional<double>>;
Pair columns_of(const Excess& e) {
  return {percent * e.mean, percent * e.fixed_point};
}
/// Both columns' smallest or largest.
template <class Better>
Pair better_of(const Pair& a, const Pair& b, const Better& better) {
  return {better(*a[0], *b[0]), better(*a[1], *b[1])};
}

class Table1 final : public Experiment {
 public:
  Table1() : Experiment("tdbem-table1", "TD-BEM paper, Table 1: balancing heuristic against the exact optimum") {}

  void add_options(CLI::App& app) override {
    app.add_option("--elements", elements_, "To be shared out")->check(CLI::Range(1, 1 << 24))->capture_default_str();
    app.add_option("--workers", workers_, "Consecutive intervals")->check(CLI::Range(1, 1024))->capture_default_str();
    app.add_option("--iterations", iterations_, "Iterations of the heuristic")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
  }

  [[nodiscard]] Outcome run(const Paper&) const override {
    Outcome outcome;
    outcome.settings = {{"elements", elements_}, {"workers", workers_}, {"iterations", iterations_}};
    for (const Excess& e : balance_table(elements_, workers_, iterations_)) {
      const std::string row = tdbem::name(e.heterogeneity);
      const Pair cell = columns_of(e);
      outcome.figures[{"Extra cost, workers: work", row + ": " + tdbem::name(e.distribution)}] = cell;
      const std::string section = "Extra cost over the exact optimum, by heterogeneity of the workers";
      const auto smaller = [](double a, double b) { return std::min(a, b); };
      const auto larger = [](double a, double b) { return std::max(a, b); };
      Pair& least = outcome.figures.try_emplace({section, row + ", smallest"}, cell).first->second;
      least = better_of(least, cell, smaller);
      Pair& most = outcome.figures.try_emplace({section, row + ", largest"}, cell).first->second;
      most = better_of(most, cell, larger);
      check_optimum({numbers_of(e.distribution, elements_), numbers_of(e.heterogeneity, workers_)});
    }
    return outcome;
  }

 private:
  /// The paper's way to the optimum has to lead to that of the bisection, which the excess is measured from.
  static void check_optimum(const Workload& load) {
    const double programmed = makespan(load, optimum_by_programming(load));
    const double bisected = makespan(load, optimum_by_bisection(load));
    if (std::abs(programmed - bisected) > same_time * bisected)
      failed("the optimum takes {} s by dynamic programming and {} s by bisection", programmed, bisected);
  }

  std::int64_t elements_ = 10000;
  std::int32_t workers_ = 6;
  std::int32_t iterations_ = 40;
};

}  // namespace

std::unique_ptr<Experiment> tdbem_table1() {
  return std::make_unique<Table1>();
}

}  // namespace asterism::apps::reproduce
