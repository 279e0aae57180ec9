// SPDX-License-Identifier: Apache-2.0
// The heat equation on the unit square: u_t = kappa (u_xx + u_yy), u = 0 on the boundary. SI units. Double precision
// only.
#pragma once

#include <cstdint>
#include <functional>

namespace asterism::heat {

struct Problem {
  std::int32_t rows = 0;     ///< inner points along y
  std::int32_t columns = 0;  ///< inner points along x
  double kappa = 1;          ///< m^2 / s
  double dt = 0;             ///< s
  std::function<double(double x, double y)> initial;

  [[nodiscard]] double dx() const { return 1.0 / (columns + 1); }
  [[nodiscard]] double dy() const { return 1.0 / (rows + 1); }
  [[nodiscard]] double rx() const { return kappa * dt / (dx() * dx()); }
  [[nodiscard]] double ry() const { return kappa * dt / (dy() * dy()); }
};

/// Throws Error (bad_input): no points, or a time step beyond the stability limit rx + ry <= 1/2.
void check(const Problem& problem);

}  // namespace asterism::heat
