// SPDX-License-Identifier: Apache-2.0
#include "taskflows/heat/flow.hpp"

#include "codelets/heat/codelets.hpp"
#include "runtime/submit.hpp"

namespace asterism::heat {

void advance(Simulation& s, long steps) {
  const Problem& p = s.problem;
  const int blocks = s.decomposition.blocks;
  for (long n = 0; n < steps; ++n, ++s.time) {
    starpu_iteration_push(static_cast<unsigned long>(s.time));
    const auto& now = s.fields[static_cast<std::size_t>(s.time % 2)];
    const auto& next = s.fields[static_cast<std::size_t>((s.time + 1) % 2)];
    for (int b = 0; b < blocks; ++b) {
      const auto k = static_cast<std::size_t>(b);
      codelets::StepArgs args{{s.decomposition.rows_of(b), p.columns, p.rx(), p.ry()}, b > 0, b + 1 < blocks};
      std::vector<Access> data{
          {now[k].u, STARPU_R}, {next[k].u, STARPU_W}, {next[k].first, STARPU_W}, {next[k].last, STARPU_W}};
      if (args.has_below) data.push_back({now[k - 1].last, STARPU_R});
      if (args.has_above) data.push_back({now[k + 1].first, STARPU_R});
      // u_b(t + dt) = u_b + rx (u_W - 2 u_b + u_E) + ry (u_S - 2 u_b + u_N)
      submit(codelets::step, args, data);
    }
    starpu_iteration_pop();
  }
}

}  // namespace asterism::heat
