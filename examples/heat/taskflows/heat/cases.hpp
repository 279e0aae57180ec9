// SPDX-License-Identifier: Apache-2.0
// Problems with a name, and the exact answer of the scheme where it is known.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "taskflows/heat/problem.hpp"

namespace asterism::heat {

struct CaseOptions {
  std::string name = "mode";  ///< mode: sin(pi m x) sin(pi n y); spot: 1 in the middle quarter
  std::array<std::int32_t, 2> size{256, 256};
  std::array<int, 2> mode{2, 1};
  std::optional<double> dt;  ///< none: four fifths of the stability limit
};

struct Case {
  Problem problem;
  /// Factor by which a step multiplies u, exact for the scheme; 0: u is no mode.
  double factor = 0;
};

/// Throws Error (bad_input).
Case make_case(const CaseOptions& options);

}  // namespace asterism::heat
