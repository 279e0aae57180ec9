// SPDX-License-Identifier: Apache-2.0
#include "taskflows/decay/cases.hpp"

#include "base/error.hpp"

namespace asterism::decay {

Case make_case(const CaseOptions& options) {
  Case c;
  Problem& p = c.problem;
  p.points = options.size;
  p.dt = options.dt.value_or(1e-3 / p.rate);
  check(p);
  if (options.name == "ones") {
    p.initial = [](std::int32_t) { return 1.0; };
  } else if (options.name == "ramp") {
    p.initial = [n = p.points](std::int32_t i) { return static_cast<double>(i) / n; };
  } else {
    bad_input("--case {}: expected ones or ramp", options.name);
  }
  return c;
}

}  // namespace asterism::decay
