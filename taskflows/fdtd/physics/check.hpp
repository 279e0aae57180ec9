// What check() says about absorbing layers, poles, plane waves and monitors.
#pragma once

#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

/// Of a problem whose domain, materials and time step are right. Throws Error (bad input).
void check_features(const Problem& problem);

}  // namespace asterism::fdtd
