// SPDX-License-Identifier: Apache-2.0
// The scalar recurrences of conjugate gradient on the GPU, and sums of contributions.
#include "base/cuda_check.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"

namespace asterism::cg::cuda {
namespace {

enum class Step { begin, alpha, beta, note, pipelined };

/// One warp: the contributions, which may lie in main memory, are fetched together; one thread adds them in order.
template <Step step, class T>
__global__ void step_kernel(State* state, Partials<T> partials, HistoryEntry* history) {
  __shared__ T fetched[32];
  T total{};
  for (int first = 0; first < partials.count; first += 32) {
    const int i = first + static_cast<int>(threadIdx.x);
    if (i < partials.count) fetched[threadIdx.x] = *partials.at[i];
    __syncwarp();
    if (threadIdx.x == 0)
      for (int k = 0; k < 32 && first + k < partials.count; ++k) {
        if constexpr (step == Step::alpha) {
          asterism::cg::add(total, fetched[k]);
        } else {
          asterism::cg::add(total.rr, fetched[k].rr);
          asterism::cg::add(total.rz, fetched[k].rz);
          asterism::cg::add(total.wu, fetched[k].wu);
        }
      }
    __syncwarp();
  }
  if (threadIdx.x != 0) return;
  State s = *state;
  if constexpr (step == Step::begin) asterism::cg::begin(s, total);
  if constexpr (step == Step::alpha) asterism::cg::alpha_step(s, total);
  if constexpr (step == Step::beta) asterism::cg::beta_step(s, total);
  if constexpr (step == Step::note) asterism::cg::note_residual(s, total);
  if constexpr (step == Step::pipelined) asterism::cg::pipelined_step(s, total);
  *state = s;
  if (history != nullptr) *history = history_entry(s);
}

__global__ void place_kernel(HistoryCursor* cursor, HistoryEntry* next) {
  cursor->next = next;
}
__global__ void add_kernel(Sum* sum, const Sum* other) {
  asterism::cg::add(*sum, *other);
}
__global__ void add_kernel(Dots* sum, const Dots* other) {
  asterism::cg::add(sum->rr, other->rr);
  asterism::cg::add(sum->rz, other->rz);
  asterism::cg::add(sum->wu, other->wu);
}

}  // namespace

void place_history(HistoryCursor* cursor, HistoryEntry* next, cudaStream_t stream) {
  place_kernel<<<1, 1, 0, stream>>>(cursor, next);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void begin(State* state, const Partials<Dots>& dots, cudaStream_t stream) {
  step_kernel<Step::begin><<<1, 32, 0, stream>>>(state, dots, nullptr);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void alpha_step(State* state, const Partials<Sum>& sums, cudaStream_t stream) {
  step_kernel<Step::alpha><<<1, 32, 0, stream>>>(state, sums, nullptr);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void beta_step(State* state, const Partials<Dots>& dots, HistoryEntry* history, cudaStream_t stream) {
  step_kernel<Step::beta><<<1, 32, 0, stream>>>(state, dots, history);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void note_residual(State* state, const Partials<Dots>& dots, cudaStream_t stream) {
  step_kernel<Step::note><<<1, 32, 0, stream>>>(state, dots, nullptr);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void pipelined_step(State* state, const Partials<Dots>& dots, HistoryEntry* history, cudaStream_t stream) {
  step_kernel<Step::pipelined><<<1, 32, 0, stream>>>(state, dots, history);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void add(Sum* sum, const Sum* other, cudaStream_t stream) {
  add_kernel<<<1, 1, 0, stream>>>(sum, other);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void add(Dots* sum, const Dots* other, cudaStream_t stream) {
  add_kernel<<<1, 1, 0, stream>>>(sum, other);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::cg::cuda
