// SPDX-License-Identifier: Apache-2.0
#include "taskflows/heat/verify.hpp"

#include <algorithm>
#include <cmath>

#include "taskflows/heat/reference.hpp"

namespace asterism::heat {
namespace {

/// Rounding of a sum of a few terms per step, relative to the largest value.
constexpr double rounding = 1e-15;

}  // namespace

Verdict verify(const Case& c, const Simulation& simulation) {
  const bool exact = c.factor != 0;
  std::vector<double> expected = reference(c.problem, exact ? 0 : simulation.time);
  // u^n = factor^n u^0
  if (exact)
    for (double& value : expected) value *= std::pow(c.factor, static_cast<double>(simulation.time));
  const std::vector<double> found = simulation.values();
  double largest = 0;
  double error = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    largest = std::max(largest, std::abs(expected[k]));
    const double difference = std::abs(found[k] - expected[k]);
    if (!(difference <= error)) error = difference;
  }
  return {exact ? "the exact mode of the grid" : "two copies of the grid in one loop", error / largest,
          rounding * (10 + 4 * static_cast<double>(simulation.time))};
}

}  // namespace asterism::heat
