// SPDX-License-Identifier: Apache-2.0
#include "taskflows/heat/cases.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace asterism::heat {

Case make_case(const CaseOptions& options) {
  Case c;
  Problem& p = c.problem;
  p.columns = options.size[0];
  p.rows = options.size[1];
  p.dt = 1;
  p.dt = options.dt.value_or(0.4 / (p.rx() + p.ry()));
  check(p);
  if (options.name == "mode") {
    const auto [m, n] = options.mode;
    constexpr double pi = std::numbers::pi;
    p.initial = [m, n](double x, double y) { return std::sin(pi * m * x) * std::sin(pi * n * y); };
    // u is an eigenvector of the differences: -4 sin^2(pi m dx / 2) along x, and the same along y
    const double sx = std::sin(pi * m * p.dx() / 2);
    const double sy = std::sin(pi * n * p.dy() / 2);
    c.factor = 1 - 4 * p.rx() * sx * sx - 4 * p.ry() * sy * sy;
  } else if (options.name == "spot") {
    p.initial = [](double x, double y) { return std::abs(x - 0.5) < 0.125 && std::abs(y - 0.5) < 0.125 ? 1.0 : 0.0; };
  } else {
    bad_input("--case {}: expected mode or spot", options.name);
  }
  return c;
}

}  // namespace asterism::heat
