// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the codelets: unpacks StarPU's buffers and calls the kernels of kernels_cuda.hpp, or
// cuSPARSE and cuBLAS, asynchronously on the worker's stream.
#include "codelets/cg/codelets_cuda.hpp"

#include <cublas_v2.h>
#include <cusparse.h>
#include <starpu_cublas_v2.h>

#include <stdexcept>
#include <string>

#include "base/cuda_check.hpp"
#include "base/on_demand.hpp"
#include "codelets/cg/codelets.hpp"
#include "codelets/cg/gpu_contexts.hpp"
#include "codelets/cg/iterations.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"
#include "codelets/cg/task_functions.hpp"
#include "runtime/memory/arena.hpp"

namespace asterism::cg::codelets::gpu {
namespace {

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + ASTERISM_CUSPARSE(cusparseGetErrorString)(status));
}
void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + ASTERISM_CUBLAS(cublasGetStatusString)(status));
}
#define CHECK(call) check((call), #call)

template <class T>
T* scalar(void* buffer) {
  return reinterpret_cast<T*>(STARPU_VECTOR_GET_PTR(buffer));
}
cudaStream_t stream() {
  return starpu_cuda_get_local_stream();
}

template <class T>
cuda::Partials<T> partials(void** buffers, int count) {
  cuda::Partials<T> p;
  for (int i = 0; i < count; ++i) {  // each of one block-row, or of all in a row
    const std::size_t bytes = STARPU_VECTOR_GET_NX(buffers[i]) * STARPU_VECTOR_GET_ELEMSIZE(buffers[i]);
    for (std::size_t k = 0; k < bytes / sizeof(T); ++k) p.at[p.count++] = scalar<T>(buffers[i]) + k;
  }
  return p;
}

void pack_outputs(void* index_buffer, const double* p, void** buffers, int count) {
  const auto* index = scalar<const std::int32_t>(index_buffer);
  while (count > 0) {
    cuda::PackOutputs outputs;
    outputs.begin[0] = 0;
    for (; outputs.count < cuda::max_pack_outputs && count > 0; --count, ++buffers) {
      const int k = outputs.count++;
      outputs.out[k] = elements_of(*buffers);
      outputs.begin[k + 1] = outputs.begin[k] + length(*buffers);
    }
    cuda::pack(outputs, index, p, stream());
    index += outputs.begin[outputs.count];
  }
}

/// y (+)= A x by cuSPARSE. The block's description is made on the first call and kept.
void cusparse_spmv(GpuContext& context, const BlockLayout& layout, const void* base, const double* x, double* y,
                   bool accumulate) {
  const double one = 1;
  const double beta = accumulate ? 1 : 0;
  cusparseHandle_t handle = starpu_cusparse_get_local_handle();
  CHECK(ASTERISM_CUSPARSE(cusparseSetStream)(handle, stream()));
  CusparseBlock& block = context.blocks[base];
  auto* x_values = const_cast<double*>(x);
  if (block.matrix == nullptr) {
    const CsrView a = layout.csr(base);
    CHECK(ASTERISM_CUSPARSE(cusparseCreateCsr)(
        &block.matrix, a.rows, a.columns, a.entries, const_cast<std::int32_t*>(a.row_begin),
        const_cast<std::int32_t*>(a.column), const_cast<double*>(a.value), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    CHECK(ASTERISM_CUSPARSE(cusparseCreateDnVec)(&block.x, a.columns, x_values, CUDA_R_64F));
    CHECK(ASTERISM_CUSPARSE(cusparseCreateDnVec)(&block.y, a.rows, y, CUDA_R_64F));
    std::size_t bytes = 0;
    CHECK(ASTERISM_CUSPARSE(cusparseSpMV_bufferSize)(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, block.matrix,
                                                     block.x, &beta, block.y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                                     &bytes));
    ASTERISM_CHECK_CUDA(cudaMalloc(&block.buffer, bytes + 1));
    CHECK(ASTERISM_CUSPARSE(cusparseSpMV_preprocess)(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, block.matrix,
                                                     block.x, &beta, block.y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                                     block.buffer));
  }
  CHECK(ASTERISM_CUSPARSE(cusparseDnVecSetValues)(block.x, x_values));
  CHECK(ASTERISM_CUSPARSE(cusparseDnVecSetValues)(block.y, y));
  CHECK(ASTERISM_CUSPARSE(cusparseSpMV)(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, block.matrix, block.x, &beta,
                                        block.y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, block.buffer));
}

cublasHandle_t cublas(cublasPointerMode_t scalars) {
  cublasHandle_t handle = starpu_cublas_get_local_handle();
  CHECK(ASTERISM_CUBLAS(cublasSetStream)(handle, stream()));
  CHECK(ASTERISM_CUBLAS(cublasSetPointerMode)(handle, scalars));
  return handle;
}

/// *out (+)= x.y by cuBLAS, into the leading part of the sum.
void cublas_dot(std::int64_t n, const double* x, const double* y, Sum* out, bool accumulate, GpuContext& context) {
  Sum* target = accumulate ? reinterpret_cast<Sum*>(context.workspace.partial) : out;
  ASTERISM_CHECK_CUDA(cudaMemsetAsync(target, 0, sizeof(Sum), stream()));
  CHECK(ASTERISM_CUBLAS(cublasDdot)(cublas(CUBLAS_POINTER_MODE_DEVICE), static_cast<int>(n), x, 1, y, 1, &target->hi));
  if (accumulate) cuda::add(out, target, stream());
}

template <class Take>
void dots_step(void** b, void* arguments, Take take) {
  const auto& a = *static_cast<const StepArgs*>(arguments);
  HistoryEntry* history = a.slot != no_slot ? scalar<HistoryEntry>(b[1 + a.partials]) + a.slot : nullptr;
  take(scalar<State>(b[0]), partials<Dots>(b + 1, a.partials), history);
}

void copy(void** b, void*) {
  ASTERISM_CHECK_CUDA(cudaMemcpyAsync(elements_of(b[1]), elements_of(b[0]), count_of(b[0]) * sizeof(double),
                                      cudaMemcpyDeviceToDevice, stream()));
}

void zero(void** b, void*) {
  ASTERISM_CHECK_CUDA(cudaMemsetAsync(elements_of(b[0]), 0, count_of(b[0]) * sizeof(double), stream()));
}

void spmv(void** b, void* arguments) {
  const auto& a = *static_cast<const SpmvArgs*>(arguments);
  const void* block = scalar<const char>(b[0]);
  double* y = elements_of(b[1]);
  void** inputs = b + 2 + (a.dot != ProductDot::none ? 1 : 0);
  const double* x = window_of(inputs[0]) + a.x_offset;
  const double* p = nullptr;
  if (a.dot != ProductDot::none)
    p = a.dot_offset < 0 ? elements_of(inputs[a.dot_input]) : window_of(inputs[a.dot_input]) + a.dot_offset;
  GpuContext& context = a.gpus->mine();
  const bool accumulate = a.write == Write::add;
  if (a.layout.format == Format::csr) {
    cusparse_spmv(context, a.layout, block, x, y, accumulate);
    if (a.dot != ProductDot::none)
      cuda::dot(a.layout.rows, p, y, scalar<Sum>(b[2]), false, context.workspace, stream());
  } else if (a.dot != ProductDot::none) {
    cuda::spmv_dot(a.layout.sell(block), x, y, accumulate, p, scalar<Sum>(b[2]), context.workspace, stream(), a.dot);
  } else {
    cuda::spmv(a.layout.sell(block), x, y, accumulate, stream());
  }
}

void dot(void** b, void* arguments) {
  const auto& a = *static_cast<const DotArgs*>(arguments);
  GpuContext& context = a.gpus->mine();
  const bool accumulate = a.write == Write::add;
  if (a.library == Library::vendor)
    cublas_dot(length(b[0]), elements_of(b[0]), elements_of(b[1]), scalar<Sum>(b[2]), accumulate, context);
  else
    cuda::dot(length(b[0]), elements_of(b[0]), elements_of(b[1]), scalar<Sum>(b[2]), accumulate, context.workspace,
              stream());
}

void residual_dots(void** b, void* arguments) {
  const auto& a = *static_cast<const DotArgs*>(arguments);
  const bool with_z = STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()) == 3;
  const double* r = elements_of(b[0]);
  const double* z = with_z ? elements_of(b[1]) : r;
  Dots* out = scalar<Dots>(b[with_z ? 2 : 1]);
  GpuContext& context = a.gpus->mine();
  const bool accumulate = a.write == Write::add;
  if (a.library == Library::own) {
    cuda::residual_dots(length(b[0]), r, z, out, accumulate, context.workspace, stream());
    return;
  }
  cublas_dot(length(b[0]), r, r, &out->rr, accumulate, context);
  if (with_z)
    cublas_dot(length(b[0]), r, z, &out->rz, accumulate, context);
  else
    ASTERISM_CHECK_CUDA(cudaMemcpyAsync(&out->rz, &out->rr, sizeof(Sum), cudaMemcpyDeviceToDevice, stream()));
}

void begin(void** b, void* arguments) {
  dots_step(b, arguments, [](State* s, const cuda::Partials<Dots>& d, HistoryEntry*) { cuda::begin(s, d, stream()); });
}
void alpha_step(void** b, void* arguments) {
  const auto& a = *static_cast<const StepArgs*>(arguments);
  cuda::alpha_step(scalar<State>(b[0]), partials<Sum>(b + 1, a.partials), stream());
}
void beta_step(void** b, void* arguments) {
  dots_step(b, arguments,
            [](State* s, const cuda::Partials<Dots>& d, HistoryEntry* h) { cuda::beta_step(s, d, h, stream()); });
}
void note_residual(void** b, void* arguments) {
  dots_step(b, arguments,
            [](State* s, const cuda::Partials<Dots>& d, HistoryEntry*) { cuda::note_residual(s, d, stream()); });
}
void pipelined_step(void** b, void* arguments) {
  dots_step(b, arguments,
            [](State* s, const cuda::Partials<Dots>& d, HistoryEntry* h) { cuda::pipelined_step(s, d, h, stream()); });
}

void axpy(void** b, void* arguments) {
  const auto& a = *static_cast<const AxpyArgs*>(arguments);
  const State* state = scalar<State>(b[0]);
  const double* alpha = a.sign == AxpyArgs::Sign::minus ? &state->minus_alpha : &state->alpha;
  if (a.library == Library::vendor)
    CHECK(ASTERISM_CUBLAS(cublasDaxpy)(cublas(CUBLAS_POINTER_MODE_DEVICE), static_cast<int>(length(b[1])), alpha,
                                       elements_of(b[1]), 1, elements_of(b[2]), 1));
  else
    cuda::axpy(length(b[1]), alpha, elements_of(b[1]), elements_of(b[2]), stream());
}

void xpby(void** b, void* arguments) {
  const State* state = scalar<State>(b[0]);
  const std::int64_t n = length(b[1]);
  if (static_cast<const XpbyArgs*>(arguments)->library == Library::own) {
    cuda::xpby(n, elements_of(b[1]), state, elements_of(b[2]), stream());
    return;
  }
  // the paper's scal-axpy: p = beta p, then p = z + p
  const double one = 1;
  CHECK(ASTERISM_CUBLAS(cublasDscal)(cublas(CUBLAS_POINTER_MODE_DEVICE), static_cast<int>(n), &state->beta,
                                     elements_of(b[2]), 1));
  CHECK(ASTERISM_CUBLAS(cublasDaxpy)(cublas(CUBLAS_POINTER_MODE_HOST), static_cast<int>(n), &one, elements_of(b[1]), 1,
                                     elements_of(b[2]), 1));
}

void precondition(void** b, void* arguments) {
  const auto& a = *static_cast<const PreconditionArgs*>(arguments);
  cuda::precondition(length(b[1]), preconditioner(a.block, b[0]), elements_of(b[1]), elements_of(b[2]), stream());
}

void smooth_first(void** b, void* arguments) {
  const auto& a = *static_cast<const SmoothFirstArgs*>(arguments);
  if (a.product == 0) {
    cuda::smooth_first(length(b[1]), nullptr, nullptr, preconditioner(a.block, b[0]), a.w, elements_of(b[1]), nullptr,
                       elements_of(b[2]), stream());
    return;
  }
  const SellView matrix = a.layout.sell(scalar<const char>(b[0]));
  cuda::smooth_first(length(b[3]), &matrix, window_of(b[5]), preconditioner(a.block, b[2]), a.w, elements_of(b[3]),
                     elements_of(b[1]), elements_of(b[4]), stream());
}
void smooth_second(void** b, void* arguments) {
  const auto& a = *static_cast<const SmoothSecondArgs*>(arguments);
  cuda::smooth_second(length(b[3]), a.layout.sell(scalar<const char>(b[0])), window_of(b[3]),
                      preconditioner(a.block, b[2]), a.e, a.w, elements_of(b[3]), a.write == Write::add,
                      elements_of(b[1]), elements_of(b[4]), stream());
}
void relax(void** b, void* arguments) {
  const auto& a = *static_cast<const RelaxArgs*>(arguments);
  const double* q = nullptr;
  if (a.product != 0) {
    cuda::spmv(a.layout.sell(scalar<const char>(b[0])), window_of(b[5]), elements_of(b[1]), false, stream());
    q = elements_of(b[1]);
    b += 2;
  }
  cuda::relax(length(b[1]), scalar<const std::int32_t>(b[1]), preconditioner(a.block, b[0]), elements_of(b[2]), q,
              elements_of(b[3]), stream());
}
void defect(void** b, void* arguments) {
  const auto& a = *static_cast<const DefectArgs*>(arguments);
  cuda::defect(length(b[2]), a.layout.sell(scalar<const char>(b[0])), window_of(b[3]), elements_of(b[2]),
               elements_of(b[1]), stream());
}

void pack(void** b, void* arguments) {
  pack_outputs(b[0], elements_of(b[1]), b + 2, static_cast<const PackArgs*>(arguments)->outputs);
}

void residual(void** b, void* arguments) {
  const auto& a = *static_cast<const ResidualArgs*>(arguments);
  State* state = scalar<State>(b[0]);
  if (a.partials > 0) cuda::alpha_step(state, partials<Sum>(b + 1, a.partials), stream());
  const ResidualBuffers v = residual_buffers(b + 1 + a.partials, a);
  cuda::update_residual(v.length, state, v.q, v.r_in, v.r, v.m, v.z, scalar<Dots>(v.dots), a.gpus->mine().workspace,
                        stream());
}

void direction(void** b, void* arguments) {
  const auto& a = *static_cast<const DirectionArgs*>(arguments);
  State* state = scalar<State>(b[0]);
  void** next = b + 1 + a.partials;
  void* z = *next++;
  void* x = *next++;
  void* p = *next++;
  HistoryEntry* history = a.slot != no_slot ? scalar<HistoryEntry>(*next++) + a.slot : nullptr;
  if (a.partials > 0) cuda::beta_step(state, partials<Dots>(b + 1, a.partials), history, stream());
  cuda::update_direction(length(z), state, elements_of(z), elements_of(x), elements_of(p), stream());
  if (a.outputs > 0) pack_outputs(next[0], elements_of(p), next + 1, a.outputs);
}

void pipelined(void** b, void* arguments) {
  const auto& a = *static_cast<const PipelinedArgs*>(arguments);
  State* state = scalar<State>(b[0]);
  void** next = b + 1 + a.partials;
  Dots* dots = scalar<Dots>(*next++);
  const PipelinedBuffers buffers = pipelined_buffers(next, a.block);
  HistoryEntry* history = a.slot != no_slot ? scalar<HistoryEntry>(*next++) + a.slot : nullptr;
  if (a.partials > 0) cuda::pipelined_step(state, partials<Dots>(b + 1, a.partials), history, stream());
  cuda::pipelined_update(buffers.length, state, buffers.vectors, buffers.m, dots, a.gpus->mine().workspace, stream());
  if (a.outputs > 0) pack_outputs(next[0], buffers.vectors.m, next + 1, a.outputs);
}

void pipelined_dots(void** b, void* arguments) {
  const bool with_u = STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()) == 4;
  const double* u = with_u ? elements_of(b[1]) : nullptr;
  void* w = b[with_u ? 2 : 1];
  GpuContexts* gpus = static_cast<const DotArgs*>(arguments)->gpus;
  cuda::pipelined_dots(length(b[0]), elements_of(b[0]), u, elements_of(w), scalar<Dots>(b[with_u ? 3 : 2]),
                       gpus->mine().workspace, stream());
}

void zero_sum(void** b, void*) {
  ASTERISM_CHECK_CUDA(cudaMemsetAsync(scalar<Sum>(b[0]), 0, sizeof(Sum), stream()));
}
void zero_dots(void** b, void*) {
  ASTERISM_CHECK_CUDA(cudaMemsetAsync(scalar<Dots>(b[0]), 0, sizeof(Dots), stream()));
}
void add_sum(void** b, void*) {
  cuda::add(scalar<Sum>(b[0]), scalar<Sum>(b[1]), stream());
}
void add_dots(void** b, void*) {
  cuda::add(scalar<Dots>(b[0]), scalar<Dots>(b[1]), stream());
}

}  // namespace

Functions functions() {
  return {.copy = gpu::copy,
          .zero = gpu::zero,
          .spmv = gpu::spmv,
          .dot = gpu::dot,
          .residual_dots = gpu::residual_dots,
          .begin = gpu::begin,
          .alpha_step = gpu::alpha_step,
          .beta_step = gpu::beta_step,
          .note_residual = gpu::note_residual,
          .pipelined_step = gpu::pipelined_step,
          .axpy = gpu::axpy,
          .xpby = gpu::xpby,
          .precondition = gpu::precondition,
          .smooth_first = gpu::smooth_first,
          .smooth_second = gpu::smooth_second,
          .relax = gpu::relax,
          .defect = gpu::defect,
          .pack = gpu::pack,
          .residual = gpu::residual,
          .direction = gpu::direction,
          .iterations = gpu::iterations,
          .meeting = gpu::meeting,
          .opening = gpu::opening,
          .pipelined = gpu::pipelined,
          .pipelined_dots = gpu::pipelined_dots,
          .zero_sum = gpu::zero_sum,
          .zero_dots = gpu::zero_dots,
          .add_sum = gpu::add_sum,
          .add_dots = gpu::add_dots};
}

}  // namespace asterism::cg::codelets::gpu
