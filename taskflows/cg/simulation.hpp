// SPDX-License-Identifier: Apache-2.0
// The data of one solve and their life: the blocks of A, the vectors in block-rows, the scalars. What other methods
// call a simulation is for conjugate gradient the linear system that is solved, hence the name of the class.
//
// The other parts of a solve:
//   exchange.hpp             p, the vector that the matrix multiplies, and how its elements reach the block-rows
//   matrix/matrix_block.hpp  a block of A in the layout that the kernels read
//   flow.hpp                 the tasks of a start and of an iteration
//   solver.hpp               the host: submits iterations ahead, reads the residual, restarts, writes checkpoints
//   checkpoint.hpp           the state on file
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/gpu_contexts.hpp"
#include "runtime/ranks/all_gather.hpp"
#include "runtime/session.hpp"
#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/exchange.hpp"
#include "taskflows/cg/flow/team.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix/matrix_block.hpp"
#include "taskflows/cg/options.hpp"
#include "taskflows/cg/preconditioner/hierarchy.hpp"
#include "taskflows/cg/preconditioner/preconditioner_tasks.hpp"

namespace asterism::cg {

/// A vector in block-rows, of which this rank has its own.
struct BlockVector {
  HostBuffer<double> memory;  ///< empty: allocated by StarPU where it is used
  std::vector<Handle> block;

  [[nodiscard]] starpu_data_handle_t operator[](int i) const { return block[static_cast<std::size_t>(i)]; }
};

class System {
 public:
  /// Registers everything and submits the tasks that build the blocks of A and set x = x0 (0 when empty).
  /// a, b must outlive the System. shares: relative size of each block-row (options.blocks of them).
  System(const Session& session, const CsrMatrix& a, std::span<const double> b, std::span<const double> x0,
         const Options& options, std::span<const double> shares);
  /// With the block-rows given, and for PreconditionerFlow::amg the hierarchy, which has to outlive this. Over several
  /// ranks: a, b and x0 are the rows of this rank's block-rows.
  System(const Session& session, const CsrMatrix& a, std::span<const double> b, std::span<const double> x0,
         const Options& options, Partition partition, const Hierarchy* hierarchy = nullptr);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  struct Block {
    int i;
    int j;
    BlockLayout layout;
    HostBuffer<char> memory;
    Handle handle;
  };

  Options options;
  Partition partition;
  GpuContexts gpus;
  Team team;                             ///< block-rows that iterate together
  std::vector<std::vector<Block>> rows;  ///< blocks of A by block-row, in the order of the product
  Exchange p;
  BlockVector b, x, r, q;
  BlockVector z;          ///< M^-1 r; empty without preconditioner, then r stands for it
  BlockVector s;          ///< pipelined: A p
  BlockVector az;         ///< pipelined: z of the algorithm (A M^-1 s); its u is `z`, its n is `q`
  BlockVector w;          ///< pipelined, preconditioned: A u
  BlockVector mq;         ///< pipelined, preconditioned: q of the algorithm (M^-1 s)
  BlockVector direction;  ///< pipelined: p of the algorithm; the vector `p` that travels is its m
  BlockVector inverse;    ///< of the preconditioner
  BlockVector saved;      ///< a direction, while `p` is needed for another product

  Handle unit_state;  ///< State{}, whose alpha is 1

  HostBuffer<State> state_memory;  ///< one, or one per block-row of this rank, and behind them that of unit_state
  std::vector<Handle> state;
  HostBuffer<Sum> sum_memory;
  std::array<HostBuffer<Dots>, 2> dots_memory;
  std::vector<Handle> p_dot_q;                     ///< one, or one per block-row (gather)
  std::array<std::vector<Handle>, 2> dots;         ///< {r.r, r.z}; the pipelined flow alternates
  std::unique_ptr<AllGather> distributed_p_dot_q;  ///< several ranks: the contributions of all block-rows
  std::array<std::unique_ptr<AllGather>, 2> distributed_dots;
  std::array<HostBuffer<HistoryEntry>, 2> history_memory;
  std::array<Handle, 2> history;
  /// z = M^-1 r as a flow; null: M is diagonal, or there is none
  std::unique_ptr<PreconditionerTasks> preconditioner_tasks;
  double preconditioner_seconds = 0;  ///< that these took to set up, their hierarchy included

  [[nodiscard]] int blocks() const { return partition.blocks(); }
  /// The block-rows of this rank, their first row and the row after their last.
  [[nodiscard]] const std::vector<int>& own() const { return own_; }
  [[nodiscard]] std::int64_t first_row() const { return partition.first(own_.front()); }
  [[nodiscard]] std::int64_t last_row() const { return partition.first(own_.back() + 1); }
  [[nodiscard]] bool distributed() const { return !partition.rank_begin.empty(); }
  /// By a preconditioner within the tasks of the iteration.
  [[nodiscard]] bool preconditioned() const { return options.preconditioner_block > 0; }
  /// Whether z is another vector than r.
  [[nodiscard]] bool has_z() const { return preconditioned() || preconditioner_tasks != nullptr; }
  /// Every consumer of a dot product adds the contributions itself, on its own replica of the state.
  [[nodiscard]] bool inline_sums() const {
    return options.dot == DotMode::gather && !distributed() && blocks() <= inline_sum_blocks &&
           (options.flow == Flow::fused || options.flow == Flow::pipelined);
  }
  /// Each block-row has its own state, which tasks on it bring forward.
  [[nodiscard]] bool state_by_block() const { return inline_sums() || options.task != TaskSize::operation; }
  /// 2D with the local block first: each block adds its own share of p.q, and none needs all rows.
  [[nodiscard]] bool dots_by_block() const {
    return options.decomposition == Decomposition::two_d && options.column_order == ColumnOrder::local_first &&
           options.format == Format::sell;
  }
  [[nodiscard]] starpu_data_handle_t state_of(int i) const {
    return state[state_by_block() ? static_cast<std::size_t>(i - own_.front()) : 0];
  }
  /// z, or r when there is no preconditioner.
  [[nodiscard]] starpu_data_handle_t z_of(int i) const {
    return preconditioner_tasks != nullptr ? preconditioner_tasks->z(i) : preconditioned() ? z[i] : r[i];
  }
  /// The handle the k-th block-row's contribution goes to.
  [[nodiscard]] starpu_data_handle_t sum_of(int i) const {
    return p_dot_q[options.dot == DotMode::gather ? static_cast<std::size_t>(i) : 0];
  }
  [[nodiscard]] starpu_data_handle_t dots_of(int i, int parity = 0) const {
    const auto& d = dots[static_cast<std::size_t>(parity)];
    return d[options.dot == DotMode::gather ? static_cast<std::size_t>(i) : 0];
  }
  /// Another right-hand side and another start (0 when empty) for the next solve, once the tasks of the last are done.
  void load(std::span<const double> b, std::span<const double> x0);
  [[nodiscard]] double stored_entries() const;  ///< of all blocks, padding included
  [[nodiscard]] double nonzeros() const { return nonzeros_; }

  /// The accesses of the contributions of all block-rows to a dot product; over several ranks in one vector, after
  /// gather_sums() or gather_dots(), which do nothing in one process.
  [[nodiscard]] std::vector<Access> sums() const;
  [[nodiscard]] std::vector<Access> all_dots(int parity = 0) const;
  void gather_sums();
  void gather_dots(int parity = 0);

 private:
  void make_matrix(const CsrMatrix& a, const Session& session);
  void make_vectors(std::span<const double> b, std::span<const double> x0);
  void make_preconditioner(const CsrMatrix& a);
  void make_scalars();
  enum class Memory {
    host,    ///< in pinned memory, with values
    starpu,  ///< allocated by StarPU where it is used
  };
  BlockVector make_vector(const char* name, Memory memory);
  [[nodiscard]] std::vector<int> columns_of(int i) const;
  [[nodiscard]] BlockRange range_of(int i, int j, const CsrMatrix& a, const Session& session) const;

  std::vector<int> own_;
  double nonzeros_ = 0;
};

}  // namespace asterism::cg
