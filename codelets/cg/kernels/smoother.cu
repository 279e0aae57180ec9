// SPDX-License-Identifier: Apache-2.0
// The steps of smoothers and the defect on the GPU.
#include "base/cuda_check.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"
#include "codelets/cg/kernels/reduce.cuh"

namespace asterism::cg::cuda {
namespace {

__global__ void __launch_bounds__(threads)
    smooth_first_kernel(std::int64_t n, PreconditionerView m, double w, const double* __restrict__ b,
                        const double* __restrict__ q, double* __restrict__ d) {
  __shared__ double shared[threads];
  for_each_whole(n, m.size, [&](std::int64_t i, bool active) {
    __syncthreads();
    shared[threadIdx.x] = active ? (q != nullptr ? b[i] - q[i] : b[i]) : 0;
    __syncthreads();
    if (active) d[i] = w * precondition_row(m, n, i, shared + threadIdx.x / m.size * m.size);
  });
}

__global__ void __launch_bounds__(threads)
    smooth_second_kernel(std::int64_t n, PreconditionerView m, double e, double w, const double* __restrict__ d,
                         const double* __restrict__ q, bool add, double* __restrict__ x) {
  __shared__ double shared[threads];
  for_each_whole(n, m.size, [&](std::int64_t i, bool active) {
    __syncthreads();
    shared[threadIdx.x] = active ? q[i] : 0;
    __syncthreads();
    if (!active) return;
    const double step = fma(e, d[i], -w * precondition_row(m, n, i, shared + threadIdx.x / m.size * m.size));
    x[i] = add ? x[i] + step : step;
  });
}

__global__ void __launch_bounds__(threads)
    relax_kernel(std::int64_t n, const std::int32_t* __restrict__ row, PreconditionerView m,
                 const double* __restrict__ b, const double* __restrict__ q, double* __restrict__ x) {
  __shared__ double shared[threads];
  for_each_whole(n, m.size, [&](std::int64_t i, bool active) {
    __syncthreads();
    shared[threadIdx.x] = active ? (q != nullptr ? b[row[i]] - q[i] : b[row[i]]) : 0;
    __syncthreads();
    if (!active) return;
    const double z = precondition_row(m, n, i, shared + threadIdx.x / m.size * m.size);
    x[row[i]] = q != nullptr ? x[row[i]] + z : z;
  });
}

__global__ void __launch_bounds__(threads)
    defect_kernel(std::int64_t n, const double* __restrict__ b, double* __restrict__ t) {
  for_each(n, [&](std::int64_t i) { t[i] = b[i] - t[i]; });
}

}  // namespace

void smooth_first(std::int64_t n, const SellView* a, const double* x, const PreconditionerView& m, double w,
                  const double* b, double* q, double* d, cudaStream_t stream) {
  if (a != nullptr) spmv(*a, x, q, false, stream);
  const double* const product = a != nullptr ? q : nullptr;
  smooth_first_kernel<<<grid_for_elements(n, whole_rows(m.size)), threads, 0, stream>>>(n, m, w, b, product, d);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void smooth_second(std::int64_t n, const SellView& a, const double* d_all, const PreconditionerView& m, double e,
                   double w, const double* d, bool add, double* q, double* x, cudaStream_t stream) {
  spmv(a, d_all, q, false, stream);
  smooth_second_kernel<<<grid_for_elements(n, whole_rows(m.size)), threads, 0, stream>>>(n, m, e, w, d, q, add, x);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void relax(std::int64_t n, const std::int32_t* row, const PreconditionerView& m, const double* b, const double* q,
           double* x, cudaStream_t stream) {
  relax_kernel<<<grid_for_elements(n, whole_rows(m.size)), threads, 0, stream>>>(n, row, m, b, q, x);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}
void defect(std::int64_t n, const SellView& a, const double* x, const double* b, double* t, cudaStream_t stream) {
  spmv(a, x, t, false, stream);
  defect_kernel<<<grid_for_elements(n, tile), threads, 0, stream>>>(n, b, t);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::cg::cuda
