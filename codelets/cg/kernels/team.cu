// SPDX-License-Identifier: Apache-2.0
// The elements of p that the GPUs of a team need of each other.
#include "codelets/cg/kernels/team.cuh"

#include "base/cuda_check.hpp"
#include "codelets/cg/kernels/reduce.cuh"

namespace asterism::cg::cuda {
namespace {

__global__ void place_kernel(Team* place, Team team) {
  *place = team;
}

/// The last thread block to have written tells the others, and waits until all have told this one.
__global__ void __launch_bounds__(threads) send_halo_kernel(Team* team, const std::int32_t* __restrict__ index,
                                                            const double* __restrict__ p, unsigned* ticket) {
  __shared__ bool last;
  const std::int64_t n = team->begin[team->outputs];
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  int k = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < n; i += step) {
    while (i >= team->begin[k + 1]) ++k;
    team->out[k][i - team->begin[k]] = p[index[i]];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  const std::uint64_t round = team->round + 1;
  if (static_cast<int>(threadIdx.x) < team->size) {
    __threadfence_system();
    send_round(team->mailbox[threadIdx.x]->halo[team->me], round);
    wait_for(team->mailbox[team->me]->halo[threadIdx.x], round);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  *ticket = 0;
  team->round = round;
}

}  // namespace

void place_team(Team* place, const Team& team, cudaStream_t stream) {
  place_kernel<<<1, 1, 0, stream>>>(place, team);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

void send_halo(std::int64_t n, Team* team, const std::int32_t* index, const double* p, Workspace workspace,
               cudaStream_t stream) {
  const std::int64_t blocks = (n + threads - 1) / threads;
  const int grid = static_cast<int>(blocks < 1 ? 1 : blocks < max_grid ? blocks : max_grid);
  send_halo_kernel<<<grid, threads, 0, stream>>>(team, index, p, workspace.ticket);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::cg::cuda
