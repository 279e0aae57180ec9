// SPDX-License-Identifier: Apache-2.0
// One point of the grid, the same for CPUs and GPUs.
#pragma once

#include "base/host_device.hpp"
#include "codelets/heat/kernels/kernels.hpp"

namespace asterism::heat {

ASTERISM_HOST_DEVICE inline void step_point(const Block& b, const StepData& d, std::int32_t i, std::int32_t j) {
  const std::int64_t at = static_cast<std::int64_t>(i) * b.columns + j;
  const double here = d.u[at];
  const double west = j > 0 ? d.u[at - 1] : 0;
  const double east = j + 1 < b.columns ? d.u[at + 1] : 0;
  const double south = i > 0 ? d.u[at - b.columns] : d.below != nullptr ? d.below[j] : 0;
  const double north = i + 1 < b.rows ? d.u[at + b.columns] : d.above != nullptr ? d.above[j] : 0;
  const double next = here + b.rx * (west - 2 * here + east) + b.ry * (south - 2 * here + north);
  d.v[at] = next;
  if (i == 0) d.first[j] = next;
  if (i + 1 == b.rows) d.last[j] = next;
}

}  // namespace asterism::heat
