// SPDX-License-Identifier: Apache-2.0
#include "taskflows/decay/reference.hpp"

#include <cmath>

namespace asterism::decay {

std::vector<double> reference(const Problem& p, long steps) {
  std::vector<double> u;
  // u^n = (1 - rate dt)^n u^0
  const double factor = std::exp(static_cast<double>(steps) * std::log1p(-p.rate * p.dt));
  for (std::int32_t i = 0; i < p.points; ++i) u.push_back(factor * p.initial(i));
  return u;
}

}  // namespace asterism::decay
