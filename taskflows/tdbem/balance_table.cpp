// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <random>

#include "taskflows/tdbem/balance.hpp"

namespace asterism::tdbem {

std::string name(Family family) {
  switch (family) {
    case Family::up:
      return "Up";
    case Family::up_down:
      return "Up-Down";
    case Family::up_up:
      return "Up-Up";
    case Family::random:
      return "Random";
    case Family::stable:
      return "Stable";
  }
  return {};
}

std::vector<double> numbers_of(Family family, std::int64_t count) {
  constexpr double most = 10;
  std::vector<double> numbers;
  std::mt19937 generator(1);
  for (std::int64_t n = 0; n < count; ++n) {
    const double x = (static_cast<double>(n) + 0.5) / static_cast<double>(count);
    const double half = x < 0.5 ? 2 * x : 2 * x - 1;
    switch (family) {
      case Family::up:
        numbers.push_back(1 + (most - 1) * x);
        break;
      case Family::up_down:
        numbers.push_back(1 + (most - 1) * (x < 0.5 ? half : 1 - half));
        break;
      case Family::up_up:
        numbers.push_back(1 + (most - 1) * half);
        break;
      case Family::random:  // not std::uniform_real_distribution, whose numbers depend on the library
        numbers.push_back(1 + (most - 1) * static_cast<double>(generator()) / 4294967296.0);
        break;
      case Family::stable:
        numbers.push_back(1);
        break;
    }
  }
  return numbers;
}

double excess(const Workload& load, std::int32_t iterations, Target target) {
  Balance balance(static_cast<std::int64_t>(load.costs.size()), static_cast<std::int32_t>(load.factors.size()),
                  iterations, target);
  while (balance.searches()) balance.measured(times(load, balance.sizes()));
  return makespan(load, balance.sizes()) / makespan(load, optimum_by_bisection(load)) - 1;
}

std::vector<Excess> balance_table(std::int64_t elements, std::int32_t workers, std::int32_t iterations) {
  std::vector<Excess> table;
  for (const Family heterogeneity : families)
    for (const Family distribution : families) {
      const Workload load{numbers_of(distribution, elements), numbers_of(heterogeneity, workers)};
      table.push_back({heterogeneity, distribution, excess(load, iterations, Target::mean),
                       excess(load, iterations, Target::fixed_point)});
    }
  return table;
}

}  // namespace asterism::tdbem
