// SPDX-License-Identifier: Apache-2.0
#include "taskflows/decay/verify.hpp"

#include <algorithm>
#include <cmath>

#include "taskflows/decay/reference.hpp"

namespace asterism::decay {
namespace {

/// Rounding of a step, relative to the largest value.
constexpr double rounding = 1e-15;

}  // namespace

Verdict verify(const Case& c, const Simulation& simulation) {
  const std::vector<double> expected = reference(c.problem, simulation.time);
  const std::vector<double> found = simulation.values();
  double largest = 0;
  double error = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    largest = std::max(largest, std::abs(expected[k]));
    const double difference = std::abs(found[k] - expected[k]);
    if (!(difference <= error)) error = difference;
  }
  return {"the exact answer of the scheme", error / largest,
          rounding * (10 + 4 * static_cast<double>(simulation.time))};
}

}  // namespace asterism::decay
