// SPDX-License-Identifier: Apache-2.0
// Whole iterations in a task, on a core.
#include "codelets/cg/iterations.hpp"

#include <algorithm>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/kernels/kernels.hpp"
#include "codelets/cg/kernels/team_exchange.hpp"
#include "codelets/cg/task_functions.hpp"

namespace asterism::cg::codelets {
namespace {

/// p_ji <- what block-row j of the team needs of p_i
void send_halo(const IterationBuffers& v, const IterationsArgs& a, std::uint64_t round) {
  const std::int32_t* index = v.index;
  for (int j = 0; j < a.team; ++j) {
    if ((a.targets >> j & 1u) == 0) continue;
    const Member& to = *v.members[j];
    const std::int32_t* const end = index + to.elements[a.me];
    std::transform(index, end, to.halo[a.me], [&](std::int32_t i) { return v.p[i]; });
    index = end;
  }
  cpu::exchange_halo(v.members, a.team, a.me, round);
}

/// p.q of all block-rows, and {r.r, r.z}, from those of this one.
Sum total_of(const Sum& mine, const IterationBuffers& v, const IterationsArgs& a, std::uint64_t round) {
  if (a.team == 0) return mine;
  return cpu::exchange(v.members, a.team, a.me, &Mailbox::p_dot_q, round, mine,
                       [](Sum& sum, const Sum& other) { add(sum, other); });
}
Dots total_of(const Dots& mine, const IterationBuffers& v, const IterationsArgs& a, std::uint64_t round) {
  if (a.team == 0) return mine;
  return cpu::exchange(v.members, a.team, a.me, &Mailbox::dots, round, mine, [](Dots& sum, const Dots& other) {
    add(sum.rr, other.rr);
    add(sum.rz, other.rz);
  });
}

}  // namespace

void iterations_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const IterationsArgs*>(arguments);
  const IterationBuffers v = iteration_buffers(b, a);
  State& state = *v.state;
  for (int k = 0; k < a.count; ++k) {
    // all members of a team see the same state
    if (state.status == Status::running) {
      const std::uint64_t round = a.round + static_cast<std::uint64_t>(k) + 1;
      *v.p_dot_q = cpu::spmv_dot(a.layout.sell(v.block), v.p, v.q, false, v.p, ProductDot::total);
      cg::alpha_step(state, total_of(*v.p_dot_q, v, a, round));
      *v.dots = cpu::update_residual(v.length, state.alpha, v.q, v.r, v.r, v.m, a.block > 0 ? v.z : nullptr);
      cg::beta_step(state, total_of(*v.dots, v, a, round));
      if (state.alpha != 0) cpu::update_direction(v.length, state.alpha, state.beta, v.z, v.x, v.p);
      if (a.team > 0) send_halo(v, a, round);
    }
    if (v.history != nullptr) v.history[k] = history_entry(state);
  }
}

void meeting_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const IterationsArgs*>(arguments);
  const IterationBuffers v = iteration_buffers(b, a);
  *v.introductions[0] = {.member = member_of(a.mailbox, v)};
}

}  // namespace asterism::cg::codelets
