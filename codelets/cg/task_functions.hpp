// SPDX-License-Identifier: Apache-2.0
// What the CPU functions and the CUDA functions of the codelets share: the order of a task's buffers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/kernels/kernels.hpp"
#include "runtime/memory/arena.hpp"

namespace asterism::cg::codelets {

inline std::int64_t length(const void* buffer) {
  return static_cast<std::int64_t>(count_of(buffer));
}

inline PreconditionerView preconditioner(int block, void* inverse) {
  return {block, elements_of(inverse)};
}

/// The vectors of a pipelined task, in the order of its buffers; moves `next` past them.
struct PipelinedBuffers {
  cpu::PipelinedVectors vectors;
  PreconditionerView m;
  std::int64_t length;
};
inline PipelinedBuffers pipelined_buffers(void**& next, int block) {
  PipelinedBuffers result{};
  auto& v = result.vectors;
  result.length = length(next[0]);
  v.n = elements_of(*next++);
  v.z = elements_of(*next++);
  v.s = elements_of(*next++);
  v.p = elements_of(*next++);
  v.x = elements_of(*next++);
  v.r = elements_of(*next++);
  v.w = elements_of(*next++);
  v.m = v.w;
  if (block > 0) {
    result.m = preconditioner(block, *next++);
    v.q = elements_of(*next++);
    v.u = elements_of(*next++);
    v.m = elements_of(*next++);
  }
  return result;
}

/// What a residual task has after the state and the contributions.
struct ResidualBuffers {
  std::int64_t length;
  void* dots;
  const double* q;
  const double* r_in;
  double* r;
  PreconditionerView m;
  double* z;  ///< null without preconditioner
};
inline ResidualBuffers residual_buffers(void** next, const ResidualArgs& a) {
  ResidualBuffers result{};
  result.dots = *next++;
  result.length = length(*next);
  result.q = elements_of(*next++);
  void* const start = a.from == ResidualArgs::From::right_hand_side ? *next++ : nullptr;
  result.r = elements_of(*next++);
  result.r_in = start != nullptr ? elements_of(start) : result.r;
  if (a.block > 0) {
    result.m = preconditioner(a.block, *next++);
    result.z = elements_of(*next++);
  }
  return result;
}

/// The data of a task that does whole iterations, in the order of its buffers.
struct IterationBuffers {
  State* state;
  Introduction* introductions[max_team];
  const Member* members[max_team];  ///< of the introductions
  Sum* p_dot_q;
  Dots* dots;
  const void* block;
  double* q;
  double* r;
  PreconditionerView m;
  double* z;  ///< r without preconditioner
  double* x;
  double* p;
  HistoryEntry* history;   ///< null: another block-row writes it
  double* halo[max_team];  ///< elements of p of other block-rows, by these
  std::int64_t halo_elements[max_team];
  const std::int32_t* index;  ///< of the elements that others need, those of a block-row after those of the one before
  std::int64_t indices;
  std::int64_t length;
};
/// Moves `next` past them.
inline void take_introductions(IterationBuffers& v, void**& next, int count) {
  for (int k = 0; k < count; ++k) {
    v.introductions[k] = reinterpret_cast<Introduction*>(STARPU_VECTOR_GET_PTR(*next++));
    v.members[k] = &v.introductions[k]->member;
  }
}
inline IterationBuffers iteration_buffers(void** next, const IterationsArgs& a) {
  const auto pointer = [](void* buffer) { return reinterpret_cast<void*>(STARPU_VECTOR_GET_PTR(buffer)); };
  IterationBuffers v{};
  v.state = static_cast<State*>(pointer(*next++));
  take_introductions(v, next, a.members);
  v.p_dot_q = static_cast<Sum*>(pointer(*next++));
  v.dots = static_cast<Dots*>(pointer(*next++));
  v.block = pointer(*next++);
  v.length = length(*next);
  v.q = elements_of(*next++);
  v.r = elements_of(*next++);
  v.z = v.r;
  if (a.block > 0) {
    v.m = preconditioner(a.block, *next++);
    v.z = elements_of(*next++);
  }
  v.x = elements_of(*next++);
  v.p = elements_of(*next++);
  if (a.slot != no_slot) v.history = static_cast<HistoryEntry*>(pointer(*next++)) + a.slot;
  for (int j = 0; j < a.team; ++j) {
    if ((a.sources >> j & 1u) == 0) continue;
    v.halo_elements[j] = length(*next);
    v.halo[j] = elements_of(*next++);
  }
  if (a.targets == 0) return v;
  v.indices = static_cast<std::int64_t>(STARPU_VECTOR_GET_NX(*next));
  v.index = static_cast<const std::int32_t*>(pointer(*next));
  return v;
}

/// What the others need to know of the member with these data.
inline Member member_of(Mailbox* mailbox, const IterationBuffers& v) {
  Member member{};
  member.mailbox = mailbox;
  std::copy_n(v.halo, max_team, member.halo);
  std::copy_n(v.halo_elements, max_team, member.elements);
  return member;
}

}  // namespace asterism::cg::codelets
