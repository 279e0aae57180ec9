// SPDX-License-Identifier: Apache-2.0
// What the CUDA tasks keep between calls, one set per worker: scratch of the reductions, cuSPARSE's descriptions of the
// matrix blocks, and the graph of an iteration. On a machine without GPUs it is empty.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "codelets/cg/kernels/block_layout.hpp"

#ifdef ASTERISM_CUDA
#include <cusparse.h>

#include "codelets/cg/introduction.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"
#include "runtime/ranks/direct/imported_memory.hpp"
#endif

namespace asterism::cg {

struct GpuContext;

#ifdef ASTERISM_CUDA
/// cuSPARSE's view of one matrix block in this GPU's memory.
struct CusparseBlock {
  cusparseSpMatDescr_t matrix = nullptr;
  cusparseDnVecDescr_t x = nullptr;
  cusparseDnVecDescr_t y = nullptr;
  void* buffer = nullptr;
};

/// An iteration as a CUDA graph, on the data that it was captured with.
struct IterationGraph {
  /// Addresses, which tell the data of a task: the block of A, scalars, vectors, the preconditioner, the elements that
  /// others need.
  using Key = std::array<const void*, 11>;
  Key key{};
  cudaGraphExec_t exec = nullptr;

  void destroy() {
    if (exec != nullptr) cudaGraphExecDestroy(exec);
    exec = nullptr;
  }
};

struct GpuContext {
  cuda::Workspace workspace{};
  cuda::HistoryCursor* history = nullptr;
  cuda::Team* team = nullptr;
  Mailbox* mailbox = nullptr;
  Introduction introduction{};                ///< of the member that iterates here, as other ranks know it
  std::unique_ptr<ImportedMemory> of_others;  ///< of members of other ranks; null: nothing is open
  IterationGraph graph;
  std::unordered_map<const void*, CusparseBlock> blocks;  ///< by address of the block
};
#endif

class GpuContexts {
 public:
  /// After StarPU has started. cusparse, cublas: whether tasks call these libraries, which take a while to start.
  explicit GpuContexts(bool cusparse = false, bool cublas = false);
  ~GpuContexts();
  GpuContexts(const GpuContexts&) = delete;
  GpuContexts& operator=(const GpuContexts&) = delete;

  /// No task writes to the memory of other ranks any more: once all have called this, each may free its own.
  void close_memory_of_others();

  /// The context of the worker that calls, with CUDA.
  GpuContext& mine();

 private:
  std::unique_ptr<GpuContext[]> contexts_;  ///< by worker; null without CUDA
  bool cusparse_ = false, cublas_ = false;
};

}  // namespace asterism::cg
