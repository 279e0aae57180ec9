// SPDX-License-Identifier: Apache-2.0
#include "codelets/cg/gpu_contexts.hpp"

#include <starpu.h>

#ifdef ASTERISM_CUDA
#include "base/cuda_check.hpp"
#include "base/on_demand.hpp"
#endif

namespace asterism::cg {

#ifdef ASTERISM_CUDA

GpuContexts::GpuContexts(bool cusparse, bool cublas)
    : contexts_(std::make_unique<GpuContext[]>(starpu_worker_get_count())), cusparse_(cusparse), cublas_(cublas) {
  if (starpu_cuda_worker_get_count() == 0) return;
  if (cusparse_) starpu_cusparse_init();
  if (cublas_) starpu_cublas_init();
  starpu_execute_on_each_worker(
      [](void* self) {
        GpuContext& context = static_cast<GpuContexts*>(self)->mine();
        void* scratch = nullptr;
        ASTERISM_CHECK_CUDA(cudaMalloc(&scratch, cuda::max_grid * sizeof(Dots) + sizeof(unsigned)));
        context.workspace.partial = static_cast<Dots*>(scratch);
        context.workspace.ticket = reinterpret_cast<unsigned*>(context.workspace.partial + cuda::max_grid);
        ASTERISM_CHECK_CUDA(cudaMemset(context.workspace.ticket, 0, sizeof(unsigned)));
        ASTERISM_CHECK_CUDA(cudaMalloc(&scratch, sizeof(cuda::HistoryCursor)));
        context.history = static_cast<cuda::HistoryCursor*>(scratch);
        ASTERISM_CHECK_CUDA(cudaMalloc(&scratch, sizeof(cuda::Team)));
        context.team = static_cast<cuda::Team*>(scratch);
        ASTERISM_CHECK_CUDA(cudaMalloc(&scratch, sizeof(Mailbox)));
        context.mailbox = static_cast<Mailbox*>(scratch);
        ASTERISM_CHECK_CUDA(cudaMemset(scratch, 0, sizeof(Mailbox)));
      },
      this, STARPU_CUDA);
}

GpuContexts::~GpuContexts() {
  if (starpu_cuda_worker_get_count() == 0) return;
  starpu_execute_on_each_worker(
      [](void* self) {
        GpuContext& context = static_cast<GpuContexts*>(self)->mine();
        context.of_others.reset();
        cudaFree(context.workspace.partial);
        cudaFree(context.history);
        cudaFree(context.team);
        cudaFree(context.mailbox);
        context.graph.destroy();
        for (auto& [address, block] : context.blocks) {
          ASTERISM_CUSPARSE(cusparseDestroySpMat)(block.matrix);
          ASTERISM_CUSPARSE(cusparseDestroyDnVec)(block.x);
          ASTERISM_CUSPARSE(cusparseDestroyDnVec)(block.y);
          cudaFree(block.buffer);
        }
      },
      this, STARPU_CUDA);
  if (cublas_) starpu_cublas_shutdown();
  if (cusparse_) starpu_cusparse_shutdown();
}

void GpuContexts::close_memory_of_others() {
  if (starpu_cuda_worker_get_count() == 0) return;
  starpu_execute_on_each_worker([](void* self) { static_cast<GpuContexts*>(self)->mine().of_others.reset(); }, this,
                                STARPU_CUDA);
}

GpuContext& GpuContexts::mine() {
  return contexts_[static_cast<std::size_t>(starpu_worker_get_id_check())];
}

#else

struct GpuContext {};

GpuContexts::GpuContexts(bool /*cusparse*/, bool /*cublas*/) {}
GpuContexts::~GpuContexts() = default;
void GpuContexts::close_memory_of_others() {}

#endif

}  // namespace asterism::cg
