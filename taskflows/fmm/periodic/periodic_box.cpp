// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/periodic/periodic_box.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace asterism::fmm {

void wrap(const PeriodicBox& box, Particles& particles) {
  Array<double>* const coordinates[] = {&particles.x, &particles.y, &particles.z};
  for (int d = 0; d < box.directions; ++d)
    for (double& x : *coordinates[d]) {
      if (x >= 0 && x < box.width) continue;
      x -= box.width * std::floor(x / box.width);
      if (!(x >= 0 && x < box.width)) x = 0;  // just below a multiple of the width
    }
}

Box box_of(const PeriodicBox& box, const Particles& particles) {
  const Extent reached = extent(particles.x, particles.y, particles.z);
  double corner[3] = {0, 0, 0};
  for (int d = box.directions; d < 3; ++d) {
    const double length = reached.high[d] - reached.low[d];
    if (!(length < box.width))
      bad_input("--box {}: the particles extend over {} along {}, which is not periodic; expected less than the box",
                box.width, length, "xyz"[d]);
    corner[d] = (reached.low[d] + reached.high[d] - box.width) / 2;
  }
  return {corner[0], corner[1], corner[2], box.width};
}

void check_neutral(const Particles& particles) {
  constexpr double rounding = 1e-9;
  long double sum = 0;
  long double magnitude = 0;
  for (const double q : particles.charge) {
    sum += q;
    magnitude += std::abs(q);
  }
  if (std::abs(sum) > rounding * magnitude)
    bad_input(
        "--periodic: the charges sum to {:.6g}; expected 0, since images of a charged box have an infinite energy",
        static_cast<double>(sum));
}

}  // namespace asterism::fmm
