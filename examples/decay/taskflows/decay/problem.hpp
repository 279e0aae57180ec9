// SPDX-License-Identifier: Apache-2.0
// The decay equation at many points: u_t = -rate u. SI units. Double precision only.
#pragma once

#include <cstdint>
#include <functional>

namespace asterism::decay {

struct Problem {
  std::int32_t points = 0;
  double rate = 1;  ///< 1 / s
  double dt = 0;    ///< s
  std::function<double(std::int32_t point)> initial;
};

/// Throws Error (bad_input): no points, or a time step beyond the stability limit rate dt <= 1.
void check(const Problem& problem);

}  // namespace asterism::decay
