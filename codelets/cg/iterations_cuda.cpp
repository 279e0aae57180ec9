// SPDX-License-Identifier: Apache-2.0
// Whole iterations in a task, on a GPU: as a CUDA graph, so that the host starts an iteration by one call; in a team
// the kernels exchange what they need from GPU to GPU and no host takes part.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/cuda_check.hpp"
#include "codelets/cg/codelets.hpp"
#include "codelets/cg/gpu_contexts.hpp"
#include "codelets/cg/iterations.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"
#include "codelets/cg/task_functions.hpp"

namespace asterism::cg::codelets::gpu {
namespace {

cudaStream_t worker_stream() {
  return starpu_cuda_get_local_stream();
}

/// The kernels of an iteration; scalars stay in device memory.
void launch_iteration(const IterationBuffers& v, const IterationsArgs& a, GpuContext& context) {
  cuda::Team* const team = a.team > 0 ? context.team : nullptr;
  cuda::HistoryCursor* const history = v.history != nullptr ? context.history : nullptr;
  cuda::spmv_dot(a.layout.sell(v.block), v.p, v.q, false, v.p, v.p_dot_q, context.workspace, worker_stream(),
                 ProductDot::total, v.state, team);
  cuda::update_residual_and_step(v.length, v.state, v.q, v.r, v.m, v.z, v.dots, history, context.workspace,
                                 worker_stream(), team);
  cuda::update_direction(v.length, v.state, v.z, v.x, v.p, worker_stream());
  if (team != nullptr) cuda::send_halo(v.indices, team, v.index, v.p, context.workspace, worker_stream());
}

/// The graph of an iteration on these data, captured anew when StarPU has moved them.
cudaGraphExec_t iteration_graph(const IterationBuffers& v, const IterationsArgs& a, GpuContext& context) {
  const IterationGraph::Key key{v.block, v.state, v.p_dot_q, v.dots, v.q, v.r, v.z, v.x, v.p, v.m.inverse, v.index};
  IterationGraph& graph = context.graph;
  if (graph.exec != nullptr && graph.key == key) return graph.exec;
  graph.destroy();
  cudaGraph_t captured = nullptr;
  // other threads of the process may go on with what a capture would forbid them
  ASTERISM_CHECK_CUDA(cudaStreamBeginCapture(worker_stream(), cudaStreamCaptureModeThreadLocal));
  launch_iteration(v, a, context);
  ASTERISM_CHECK_CUDA(cudaStreamEndCapture(worker_stream(), &captured));
  ASTERISM_CHECK_CUDA(cudaGraphInstantiate(&graph.exec, captured, 0));
  ASTERISM_CHECK_CUDA(cudaGraphDestroy(captured));
  graph.key = key;
  return graph.exec;
}

/// Where this GPU reaches a place of another member.
template <class T>
T* reached(T* here, const ExportedAddress& elsewhere, const Introduction& of, const IterationsArgs& a) {
  if (of.rank == a.rank) return here;
  std::unique_ptr<ImportedMemory>& memory = a.gpus->mine().of_others;
  if (memory == nullptr) memory = std::make_unique<ImportedMemory>();
  return static_cast<T*>(memory->address(of.rank, elsewhere));
}

/// The team as the kernels of this member see it.
cuda::Team team_of(const IterationBuffers& v, const IterationsArgs& a) {
  cuda::Team team{};
  team.me = a.me;
  team.size = a.team;
  team.round = a.round;
  for (int j = 0; j < a.team; ++j) {
    const Introduction& of = *v.introductions[j];
    team.mailbox[j] = reached(of.member.mailbox, of.mailbox, of, a);
    if ((a.targets >> j & 1u) == 0) continue;
    const int k = team.outputs++;
    team.out[k] = reached(of.member.halo[a.me], of.halo[a.me], of, a);
    team.begin[k + 1] = team.begin[k] + of.member.elements[a.me];
  }
  return team;
}

/// Throws where StarPU has moved what the others write to.
void require_unmoved(const IterationBuffers& v, const Member& known) {
  if (!std::equal(v.halo, v.halo + max_team, known.halo))
    throw std::runtime_error("conjugate gradient: StarPU has moved data of a team of GPUs; use --task operation");
}

/// With names of the places for other ranks.
Introduction introduction_of(const Member& member, std::int32_t rank) {
  Introduction result{.member = member, .rank = rank, .mailbox = exported(member.mailbox)};
  for (int j = 0; j < max_team; ++j)
    if (member.halo[j] != nullptr) result.halo[j] = exported(member.halo[j]);
  return result;
}

}  // namespace

void meeting(void** b, void* arguments) {
  const auto& a = *static_cast<const IterationsArgs*>(arguments);
  const IterationBuffers v = iteration_buffers(b, a);
  GpuContext& context = a.gpus->mine();
  // While kernels of the team wait for each other, nothing may be made that a GPU would have to be idle for; so CUDA
  // loads kernels when they are first launched, or are part of a graph.
  iteration_graph(v, a, context);
  cuda::place_history(context.history, nullptr, worker_stream());
  cuda::place_team(context.team, {}, worker_stream());
  const Member member = member_of(context.mailbox, v);
  if (a.rank == one_process) {
    *v.introductions[0] = {.member = member};
    return;
  }
  if (a.tells_ranks != 0)
    context.introduction = introduction_of(member, a.rank);
  else
    require_unmoved(v, context.introduction.member);
  *v.introductions[0] = context.introduction;
}

void opening(void** b, void* arguments) {
  const auto& a = *static_cast<const IterationsArgs*>(arguments);
  IterationBuffers v{};
  take_introductions(v, b, a.members);
  team_of(v, a);
}

void iterations(void** b, void* arguments) {
  const auto& a = *static_cast<const IterationsArgs*>(arguments);
  const IterationBuffers v = iteration_buffers(b, a);
  GpuContext& context = a.gpus->mine();
  const bool replays = a.launch == IterationsArgs::Launch::graph;
  const cudaGraphExec_t graph = replays ? iteration_graph(v, a, context) : nullptr;
  if (v.history != nullptr) cuda::place_history(context.history, v.history, worker_stream());
  if (a.team > 0) {
    require_unmoved(v, *v.members[a.me]);
    cuda::place_team(context.team, team_of(v, a), worker_stream());
  }
  for (int k = 0; k < a.count; ++k) {
    if (replays)
      ASTERISM_CHECK_CUDA(cudaGraphLaunch(graph, worker_stream()));
    else
      launch_iteration(v, a, context);
  }
}

}  // namespace asterism::cg::codelets::gpu
