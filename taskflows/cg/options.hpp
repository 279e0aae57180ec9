// SPDX-License-Identifier: Apache-2.0
// Everything that can be chosen about a conjugate gradient solve.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/kernels/block_layout.hpp"

namespace asterism::cg {

/// The task flow of an iteration.
enum class Flow {
  naive,      ///< paper, section 4: serial dot products, p partitioned and unpartitioned by blocking calls
  refined,    ///< paper, sections 7.2 to 7.4: dot as a reduction, p kept in pieces, x updated after the second dot
  fused,      ///< the refined flow with fused kernels: three tasks per block and iteration
  pipelined,  ///< Ghysels and Vanroose: the dot products overlap the matrix product
};

/// Block-rows, or block-rows cut again into block-columns.
enum class Decomposition { one_d, two_d };

/// What of p travels to the unit of a block-row: every piece, or only the elements that its columns name.
enum class Transfer { full, packed };

/// How p is kept between the matrix product, which reads all of it, and the other operations.
enum class VectorMode {
  blocking,  ///< starpu_data_partition / unpartition, through main memory, waiting for the tasks
  plan,      ///< StarPU's asynchronous partition plan
  pieces,    ///< never assembled: each unit gathers the missing pieces in place
};

/// How a dot product is summed over the block-rows.
enum class DotMode {
  serial,     ///< each task adds to the one sum
  reduction,  ///< STARPU_REDUX: a partial sum per unit
  gather,     ///< a partial sum per block-row, added by the task that needs the sum
};

/// Where in the iteration x += alpha p stands.
enum class XUpdate { early, late };

/// Order of the block-columns of a 2D product.
enum class ColumnOrder {
  ascending,    ///< each row summed in the order of its columns: bit-identical to 1D
  local_first,  ///< the block that needs no transfer first
};

/// What one task does.
enum class TaskSize {
  operation,   ///< an operation on a block-row
  iterations,  ///< all operations of several iterations on a block-row, at the same time as on the others
  graph,       ///< the same; on a GPU as a CUDA graph that is captured once and replayed
};

/// A preconditioner that is a task flow of its own.
enum class PreconditionerFlow {
  none,  ///< none, or a diagonal one within the tasks of the iteration
  ssor,  ///< symmetric Gauss-Seidel by colours
  amg,   ///< smoothed aggregation multigrid
};

/// What balances the block-rows.
enum class Balance { nonzeros, bytes };

struct Options {
  Flow flow = Flow::fused;
  Decomposition decomposition = Decomposition::one_d;
  int blocks = 1;
  Transfer transfer = Transfer::full;
  VectorMode vector = VectorMode::pieces;
  DotMode dot = DotMode::gather;
  XUpdate x_update = XUpdate::late;
  ColumnOrder column_order = ColumnOrder::ascending;
  Balance balance = Balance::bytes;
  Format format = Format::sell;
  TaskSize task = TaskSize::operation;
  bool vendor = false;           ///< cuBLAS for the vector operations of the separate flows (cuSPARSE: format csr)
  int preconditioner_block = 0;  ///< 0 none, 1 Jacobi, more: block Jacobi
  PreconditionerFlow preconditioner_flow = PreconditionerFlow::none;
  int node_rows = 1;        ///< consecutive rows that belong together, for a preconditioner flow
  double tolerance = 1e-8;  ///< on ||b - Ax|| / ||b||
  std::int64_t max_iterations = 10000;
  int check_every = 16;  ///< the host reads the residual at most every so many iterations
};

/// Consecutive rows that no cut separates.
inline int uncut_rows(const Options& options) {
  return std::max({1, options.preconditioner_block, options.node_rows});
}

/// Bytes of an iteration up to which a core that has them in its own cache needs no longer than several that wait for
/// each other in every iteration: between tasks (7pts-24 on two cores of a Xeon), and within tasks of whole iterations,
/// for which `whole` is to be true (7pts-12 on two cores of an EPYC).
inline constexpr double bytes_for_one_core(bool whole) {
  return whole ? 3e5 : 2.3e6;
}
/// Bytes of an iteration up to which a core of each rank that does all of it needs less time than ranks that send each
/// other vectors and sums in every iteration, some 0.45 ms (7pts-40, 10.6 MB, on two cores of a Xeon: 0.21 instead of
/// 0.57 ms over two ranks).
inline constexpr double bytes_for_each_rank = 1.2e7;
/// Bytes of an iteration up to which one GPU needs no longer than several, whose three exchanges in each iteration take
/// some 25 microseconds (four H100).
inline constexpr double bytes_for_one_gpu = 1e8;
/// Rows of a diagonal block of the preconditioner block-jacobi.
inline constexpr int default_diagonal_block = 3;
inline constexpr int largest_diagonal_block = 32;

/// Where it is open: packed, if pieces of p are copied from unit to unit; else packing is only work. `memories`: there
/// are several, of GPUs or ranks.
Transfer suited_transfer(const Options& options, bool memories);

/// The choices that belong to a flow: sets vector, dot and x_update.
void apply_flow_defaults(Options& options);

/// Throws Error (bad_input) when two choices contradict each other.
void require_consistent(const Options& options);

/// Whether a task can do whole iterations (TaskSize::iterations, graph) with these options; empty, or why not.
std::string why_no_whole_iterations(const Options& options);

/// gather: up to this many block-rows, every consumer adds the partial sums itself; beyond, a task does it once.
inline constexpr int inline_sum_blocks = codelets::max_inline_partials;

std::string name_of(Flow);
std::string name_of(Decomposition);
std::string name_of(Transfer);
std::string name_of(PreconditionerFlow);
std::string name_of(VectorMode);
std::string name_of(DotMode);
std::string name_of(XUpdate);
std::string name_of(ColumnOrder);
std::string name_of(TaskSize);
std::string name_of(Balance);
std::string name_of(Format);

}  // namespace asterism::cg
