// SPDX-License-Identifier: Apache-2.0
#include "taskflows/decay/flow.hpp"

#include "codelets/decay/codelets.hpp"
#include "runtime/submit.hpp"

namespace asterism::decay {

void advance(Simulation& s, long steps) {
  const Problem& p = s.problem;
  const int blocks = s.decomposition.blocks;
  for (long n = 0; n < steps; ++n, ++s.time) {
    starpu_iteration_push(static_cast<unsigned long>(s.time));
    for (int b = 0; b < blocks; ++b) {
      const auto k = static_cast<std::size_t>(b);
      const codelets::StepArgs args{{s.decomposition.points_of(b), 1 - p.rate * p.dt}};
      // u_b(t + dt) = (1 - rate dt) u_b
      submit(codelets::step, args, {{s.fields[k].u, STARPU_RW}});
    }
    starpu_iteration_pop();
  }
}

}  // namespace asterism::decay
