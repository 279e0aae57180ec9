// SPDX-License-Identifier: Apache-2.0
#include "taskflows/decay/problem.hpp"

#include "base/error.hpp"

namespace asterism::decay {

void check(const Problem& p) {
  if (p.points < 1) bad_input("--size: {} points, expected 1 or more", p.points);
  if (!(p.dt > 0) || p.rate * p.dt > 1) bad_input("--dt {}: the scheme is stable up to {:.6g} s", p.dt, 1 / p.rate);
}

}  // namespace asterism::decay
