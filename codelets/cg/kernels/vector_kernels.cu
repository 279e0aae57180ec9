// SPDX-License-Identifier: Apache-2.0
// The vector operations of conjugate gradient on the GPU.
#include "base/cuda_check.hpp"
#include "codelets/cg/kernels/reduce.cuh"
#include "codelets/cg/kernels/team.cuh"

namespace asterism::cg::cuda {
namespace {

/// Calls f(indices, count) with up to `unroll` elements of this thread, whose loads the body issues before
/// its first store: needed where pointers may alias and the compiler must keep the order.
template <class F>
__device__ inline void for_each_tile(std::int64_t n, F f) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * tile;
  for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * tile + threadIdx.x; base < n; base += step) {
    std::int64_t i[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) i[u] = base + u * threads;
    const std::int64_t left = (n - base + threads - 1) / threads;
    f(i, left < unroll ? static_cast<int>(left) : unroll);
  }
}

__global__ void __launch_bounds__(threads)
    dot_kernel(std::int64_t n, const double* __restrict__ x, const double* __restrict__ y, Sum* out, bool accumulate,
               Workspace workspace) {
  Sums<1> s;
  for_each(n, [&](std::int64_t i) { add_product(s.sum[0], x[i], y[i]); });
  if (grid_add(s, workspace)) {
    if (accumulate)
      add(*out, s.sum[0]);
    else
      *out = s.sum[0];
  }
}

__global__ void __launch_bounds__(threads)
    dots_kernel(std::int64_t n, const double* __restrict__ r, const double* __restrict__ u,
                const double* __restrict__ w, Dots* out, bool accumulate, Workspace workspace) {
  Sums<3> s;
  for_each(n, [&](std::int64_t i) {
    const double ri = r[i];
    const double ui = u[i];
    add_product(s.sum[0], ri, ri);
    add_product(s.sum[1], ri, ui);
    if (w != nullptr) add_product(s.sum[2], w[i], ui);
  });
  if (grid_add(s, workspace)) {
    Dots total{s.sum[0], s.sum[1], s.sum[2]};
    if (accumulate) {
      add(total.rr, out->rr);
      add(total.rz, out->rz);
      add(total.wu, out->wu);
    }
    *out = total;
  }
}

__global__ void __launch_bounds__(threads)
    axpy_kernel(std::int64_t n, const double* alpha, const double* __restrict__ x, double* __restrict__ y) {
  const double a = *alpha;
  for_each(n, [&](std::int64_t i) { y[i] = fma(a, x[i], y[i]); });
}

__global__ void __launch_bounds__(threads)
    xpby_kernel(std::int64_t n, const double* __restrict__ x, const State* state, double* __restrict__ y) {
  if (state->alpha == 0) return;
  const double b = state->beta;
  for_each(n, [&](std::int64_t i) { y[i] = fma(b, y[i], x[i]); });
}

__global__ void __launch_bounds__(threads) pack_kernel(std::int64_t n, const std::int32_t* __restrict__ index,
                                                       const double* __restrict__ p, double* __restrict__ out) {
  for_each(n, [&](std::int64_t i) { out[i] = p[index[i]]; });
}

__global__ void __launch_bounds__(threads)
    pack_outputs_kernel(PackOutputs outputs, const std::int32_t* __restrict__ index, const double* __restrict__ p) {
  for_each(outputs.begin[outputs.count], [&](std::int64_t i) {
    int k = 0;
    while (i >= outputs.begin[k + 1]) ++k;
    outputs.out[k][i - outputs.begin[k]] = p[index[i]];
  });
}

__global__ void __launch_bounds__(threads)
    precondition_kernel(std::int64_t n, PreconditionerView m, const double* __restrict__ r, double* __restrict__ z) {
  __shared__ double shared[threads];
  for_each_whole(n, m.size, [&](std::int64_t i, bool active) {
    __syncthreads();
    shared[threadIdx.x] = active ? r[i] : 0;
    __syncthreads();
    if (active) z[i] = precondition_row(m, n, i, shared + threadIdx.x / m.size * m.size);
  });
}

/// In the last thread block, whose first thread holds the sums: every thread block has read the state by then.
template <bool in_team>
__device__ inline void finish_residual(const Dots& dots, Dots* out, State* step, HistoryCursor* history,
                                       const Team* team) {
  Dots total = dots;
  if constexpr (in_team) total = exchange(*team, &Mailbox::dots, dots);
  if (threadIdx.x != 0) return;
  *out = dots;
  if (step == nullptr) return;
  State s = *step;
  asterism::cg::beta_step(s, total);
  *step = s;
  if (history != nullptr) *history->next++ = history_entry(s);
}

template <bool in_team>
__global__ void __launch_bounds__(threads)
    residual_kernel(std::int64_t n, const State* state, const double* __restrict__ q, const double* r_in, double* r_out,
                    Dots* out, State* step, HistoryCursor* history, Workspace workspace, const Team* team) {
  const double alpha = state->alpha;
  Sums<1> s;
  for_each_tile(n, [&](const std::int64_t* i, int count) {
    double q_value[unroll], r_value[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (u < count) q_value[u] = __ldcs(q + i[u]), r_value[u] = r_in[i[u]];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (u < count) {
        const double r = fma(-alpha, q_value[u], r_value[u]);
        r_out[i[u]] = r;
        add_product(s.sum[0], r, r);
      }
  });
  if (grid_add_to_last_block(s, workspace))
    finish_residual<in_team>({s.sum[0], s.sum[0], {}}, out, step, history, team);
}

template <bool in_team>
__global__ void __launch_bounds__(threads)
    preconditioned_residual_kernel(std::int64_t n, const State* state, const double* __restrict__ q, const double* r_in,
                                   double* r_out, PreconditionerView m, double* __restrict__ z, Dots* out, State* step,
                                   HistoryCursor* history, Workspace workspace, const Team* team) {
  __shared__ double shared[threads];
  const double alpha = state->alpha;
  Sums<2> s;
  for_each_whole(n, m.size, [&](std::int64_t i, bool active) {
    __syncthreads();
    const double r = active ? fma(-alpha, q[i], r_in[i]) : 0;
    shared[threadIdx.x] = r;
    __syncthreads();
    if (!active) return;
    r_out[i] = r;
    const double zi = precondition_row(m, n, i, shared + threadIdx.x / m.size * m.size);
    z[i] = zi;
    add_product(s.sum[0], r, r);
    add_product(s.sum[1], r, zi);
  });
  if (grid_add_to_last_block(s, workspace))
    finish_residual<in_team>({s.sum[0], s.sum[1], {}}, out, step, history, team);
}

__global__ void __launch_bounds__(threads)
    direction_kernel(std::int64_t n, const State* state, const double* __restrict__ z, double* __restrict__ x,
                     double* __restrict__ p) {
  const double alpha = state->alpha;
  const double beta = state->beta;
  if (alpha == 0) return;
  for_each_tile(n, [&](const std::int64_t* i, int count) {
    double p_value[unroll];
    double x_value[unroll];
    double z_value[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (u < count) p_value[u] = p[i[u]], x_value[u] = __ldcs(x + i[u]), z_value[u] = z[i[u]];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (u < count) {
        __stcs(x + i[u], fma(alpha, p_value[u], x_value[u]));
        p[i[u]] = fma(beta, p_value[u], z_value[u]);
      }
  });
}

/// One thread a row; with a preconditioner the new w of the diagonal block goes through shared memory.
__global__ void __launch_bounds__(threads) pipelined_kernel(std::int64_t n, const State* state, cpu::PipelinedVectors v,
                                                            PreconditionerView m, Dots* out, Workspace workspace) {
  __shared__ double shared[threads];
  if (state->status != Status::running) return;
  const double alpha = state->alpha;
  const double beta = state->beta;
  Sums<3> sums;
  const auto update = [&](std::int64_t i) {  // returns the new w
    const double z = fma(beta, v.z[i], v.n[i]);
    const double s = fma(beta, v.s[i], v.w[i]);
    double u = v.u != nullptr ? v.u[i] : v.r[i];
    const double p = fma(beta, v.p[i], u);
    const double r = fma(-alpha, s, v.r[i]);
    const double w = fma(-alpha, z, v.w[i]);
    if (v.u != nullptr) {
      const double q = fma(beta, v.q[i], v.m[i]);
      u = fma(-alpha, q, u);
      v.q[i] = q;
      v.u[i] = u;
    } else {
      u = r;
    }
    v.z[i] = z;
    v.s[i] = s;
    v.p[i] = p;
    v.x[i] = fma(alpha, p, v.x[i]);
    v.r[i] = r;
    v.w[i] = w;
    add_product(sums.sum[0], r, r);
    add_product(sums.sum[1], r, u);
    add_product(sums.sum[2], w, u);
    return w;
  };
  if (m.size == 0) {
    for_each(n, update);
  } else {
    for_each_whole(n, m.size, [&](std::int64_t i, bool active) {
      __syncthreads();
      shared[threadIdx.x] = active ? update(i) : 0;
      __syncthreads();
      if (active) v.m[i] = precondition_row(m, n, i, shared + threadIdx.x / m.size * m.size);
    });
  }
  if (grid_add(sums, workspace)) *out = {sums.sum[0], sums.sum[1], sums.sum[2]};
}

void launched() {
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

/// `step`, `history` and `team`: null, or what the kernel takes the step beta with.
void residual(std::int64_t n, const State* state, const double* q, const double* r_in, double* r_out,
              const PreconditionerView& m, double* z, Dots* out, State* step, HistoryCursor* history,
              Workspace workspace, cudaStream_t stream, const Team* team) {
  if (m.size == 0) {
    const auto kernel = team != nullptr ? residual_kernel<true> : residual_kernel<false>;
    kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, state, q, r_in, r_out, out, step, history, workspace,
                                                               team);
  } else {
    const auto kernel = team != nullptr ? preconditioned_residual_kernel<true> : preconditioned_residual_kernel<false>;
    kernel<<<grid_for_elements(n, whole_rows(m.size)), threads, 0, stream>>>(n, state, q, r_in, r_out, m, z, out, step,
                                                                             history, workspace, team);
  }
  launched();
}

}  // namespace

void dot(std::int64_t n, const double* x, const double* y, Sum* out, bool accumulate, Workspace workspace,
         cudaStream_t stream) {
  dot_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, x, y, out, accumulate, workspace);
  launched();
}
void residual_dots(std::int64_t n, const double* r, const double* z, Dots* out, bool accumulate, Workspace workspace,
                   cudaStream_t stream) {
  dots_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, r, z, nullptr, out, accumulate, workspace);
  launched();
}
void pipelined_dots(std::int64_t n, const double* r, const double* u, const double* w, Dots* out, Workspace workspace,
                    cudaStream_t stream) {
  dots_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, r, u == nullptr ? r : u, w, out, false, workspace);
  launched();
}
void axpy(std::int64_t n, const double* alpha, const double* x, double* y, cudaStream_t stream) {
  axpy_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, alpha, x, y);
  launched();
}
void xpby(std::int64_t n, const double* x, const State* state, double* y, cudaStream_t stream) {
  xpby_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, x, state, y);
  launched();
}
void precondition(std::int64_t n, const PreconditionerView& m, const double* r, double* z, cudaStream_t stream) {
  precondition_kernel<<<grid_for_elements(n, whole_rows(m.size)), threads, 0, stream>>>(n, m, r, z);
  launched();
}
void pack(std::int64_t n, const std::int32_t* index, const double* p, double* out, cudaStream_t stream) {
  if (n == 0) return;
  pack_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, index, p, out);
  launched();
}
void pack(const PackOutputs& outputs, const std::int32_t* index, const double* p, cudaStream_t stream) {
  const std::int64_t n = outputs.begin[outputs.count];
  if (n == 0) return;
  pack_outputs_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(outputs, index, p);
  launched();
}
void update_residual(std::int64_t n, const State* state, const double* q, const double* r_in, double* r_out,
                     const PreconditionerView& m, double* z, Dots* out, Workspace workspace, cudaStream_t stream) {
  residual(n, state, q, r_in, r_out, m, z, out, nullptr, nullptr, workspace, stream, nullptr);
}
void update_residual_and_step(std::int64_t n, State* state, const double* q, double* r, const PreconditionerView& m,
                              double* z, Dots* out, HistoryCursor* history, Workspace workspace, cudaStream_t stream,
                              const Team* team) {
  residual(n, state, q, r, r, m, z, out, state, history, workspace, stream, team);
}
void update_direction(std::int64_t n, const State* state, const double* z, double* x, double* p, cudaStream_t stream) {
  direction_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, state, z, x, p);
  launched();
}
void pipelined_update(std::int64_t n, const State* state, const cpu::PipelinedVectors& v, const PreconditionerView& m,
                      Dots* out, Workspace workspace, cudaStream_t stream) {
  const std::int64_t per_block = m.size == 0 ? tile : whole_rows(m.size);
  pipelined_kernel<<<grid_for_elements(n, per_block), threads, 0, stream>>>(n, state, v, m, out, workspace);
  launched();
}

}  // namespace asterism::cg::cuda
