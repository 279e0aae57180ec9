// SPDX-License-Identifier: Apache-2.0
#include "taskflows/heat/problem.hpp"

#include "base/error.hpp"

namespace asterism::heat {

void check(const Problem& p) {
  if (p.rows < 1 || p.columns < 1) bad_input("--size: {} x {} points, expected 1 or more", p.columns, p.rows);
  if (!(p.dt > 0) || p.rx() + p.ry() > 0.5)
    bad_input("--dt {}: the scheme is stable up to {:.6g} s", p.dt, 0.5 * p.dt / (p.rx() + p.ry()));
}

}  // namespace asterism::heat
