// SPDX-License-Identifier: Apache-2.0
// What check() says about absorbing layers, poles, plane waves and monitors.
#pragma once

#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

/// Checks the physics of a problem whose domain, materials and time step are right. Throws Error (bad input).
void check_physics(const Problem& problem);

}  // namespace asterism::fdtd
