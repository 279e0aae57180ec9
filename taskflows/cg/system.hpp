// The data of one solve as StarPU sees it: the blocks of A, the vectors in block-rows, the scalars.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/gpu_contexts.hpp"
#include "runtime/ranks/all_gather.hpp"
#include "runtime/session.hpp"
#include "taskflows/cg/exchange.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix_block.hpp"
#include "taskflows/cg/options.hpp"
#include "taskflows/cg/partition.hpp"

namespace asterism::cg {

/// A vector in block-rows: those of this rank.
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
  /// Likewise, with the block-rows given. Over several ranks: a, b and x0 are the rows of this rank's block-rows.
  System(const Session& session, const CsrMatrix& a, std::span<const double> b, std::span<const double> x0,
         const Options& options, Partition partition);
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
  std::vector<std::vector<Block>> rows;  ///< blocks of A by block-row, in the order of the product
  Exchange p;
  BlockVector b, x, r, q;
  BlockVector z;             ///< M^-1 r; empty without preconditioner, then r stands for it
  BlockVector s, zz, w, qq;  ///< pipelined: s, z, w and (preconditioned) q of the algorithm; u is `z`, n is `q`
  BlockVector direction;     ///< pipelined: p
  BlockVector inverse;       ///< of the preconditioner

  HostBuffer<State> state_memory;  ///< one, or one per block-row
  std::vector<Handle> state;
  HostBuffer<Sum> sum_memory;
  std::array<HostBuffer<Dots>, 2> dots_memory;
  std::vector<Handle> p_dot_q;              ///< one, or one per block-row (gather)
  std::array<std::vector<Handle>, 2> dots;  ///< {r.r, r.z}; the pipelined flow alternates
  std::unique_ptr<AllGather> all_p_dot_q;   ///< several ranks: of all block-rows
  std::array<std::unique_ptr<AllGather>, 2> all_dots_of_ranks;
  std::array<HostBuffer<HistoryEntry>, 2> history_memory;
  std::array<Handle, 2> history;

  [[nodiscard]] int blocks() const { return partition.blocks(); }
  /// Block-rows of this rank, and what is first and last of them.
  [[nodiscard]] const std::vector<int>& own() const { return own_; }
  [[nodiscard]] std::int64_t first_row() const { return partition.first(own_.front()); }
  [[nodiscard]] std::int64_t last_row() const { return partition.first(own_.back() + 1); }
  [[nodiscard]] bool distributed() const { return !partition.rank_begin.empty(); }
  [[nodiscard]] bool preconditioned() const { return options.preconditioner_block > 0; }
  /// Every consumer of a dot product adds the contributions itself, on its own replica of the state.
  [[nodiscard]] bool inline_sums() const {
    return options.dot == DotMode::gather && !distributed() && blocks() <= inline_sum_blocks &&
           (options.flow == Flow::fused || options.flow == Flow::pipelined);
  }
  /// 2D with the local block first: each block adds its own share of p.q, and none needs all rows.
  [[nodiscard]] bool dots_by_block() const {
    return options.decomposition == Decomposition::two_d && options.column_order == ColumnOrder::local_first &&
           options.format == Format::sell;
  }
  [[nodiscard]] starpu_data_handle_t state_of(int i) const {
    return state[inline_sums() ? static_cast<std::size_t>(i) : 0];
  }
  /// z, or r when there is no preconditioner.
  [[nodiscard]] starpu_data_handle_t z_of(int i) const { return preconditioned() ? z[i] : r[i]; }
  /// The handle the k-th block-row's contribution goes to.
  [[nodiscard]] starpu_data_handle_t sum_of(int i) const {
    return p_dot_q[options.dot == DotMode::gather ? static_cast<std::size_t>(i) : 0];
  }
  [[nodiscard]] starpu_data_handle_t dots_of(int i, int parity = 0) const {
    const auto& d = dots[static_cast<std::size_t>(parity)];
    return d[options.dot == DotMode::gather ? static_cast<std::size_t>(i) : 0];
  }
  [[nodiscard]] double stored_entries() const;  ///< of all blocks, padding included
  [[nodiscard]] double nonzeros() const { return nonzeros_; }

  /// The accesses of the contributions of all block-rows to a dot product; over several ranks in one vector, which has
  /// them once gather_sums() or gather_dots() was called. These do nothing in one process.
  [[nodiscard]] std::vector<Access> sums() const;
  [[nodiscard]] std::vector<Access> all_dots(int parity = 0) const;
  void gather_sums();
  void gather_dots(int parity = 0);

  /// q <- A p: one task per block, with p.q on the way when `with_dot`.
  void submit_product(bool with_dot);

 private:
  void make_matrix(const CsrMatrix& a, const Session& session);
  void make_vectors(std::span<const double> b, std::span<const double> x0);
  void make_preconditioner(const CsrMatrix& a);
  void make_scalars();
  BlockVector make_vector(const char* name, bool on_host);

  std::vector<int> own_;
  double nonzeros_ = 0;
};

}  // namespace asterism::cg
