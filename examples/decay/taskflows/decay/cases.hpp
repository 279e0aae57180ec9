// SPDX-License-Identifier: Apache-2.0
// Problems with a name.
#pragma once

#include <optional>
#include <string>

#include "taskflows/decay/problem.hpp"

namespace asterism::decay {

struct CaseOptions {
  std::string name = "ones";  ///< ones: 1 everywhere; ramp: from 0 to 1
  std::int32_t size = 1 << 20;
  std::optional<double> dt;  ///< none: a thousandth of the stability limit
};

struct Case {
  Problem problem;
};

/// Throws Error (bad_input).
Case make_case(const CaseOptions& options);

}  // namespace asterism::decay
