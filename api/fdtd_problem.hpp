// SPDX-License-Identifier: Apache-2.0
// The problem of a caller's grid, and his sources' values.
#pragma once

#include <asterism/fdtd.hpp>
#include <memory>
#include <vector>

#include "taskflows/fdtd/problem.hpp"

namespace asterism::v0::fdtd {

/// Values of each source by step, which the problem's sources look up for as long as it lives.
using Moments = std::vector<std::shared_ptr<std::vector<double>>>;

/// Throws Error (bad_input) for what Options and Materials do not allow.
asterism::fdtd::Problem problem_of(const Options& options, const Materials& materials, Moments& moments);

asterism::fdtd::Field field_of(Component component);
int axis_of(Component component);

}  // namespace asterism::v0::fdtd
