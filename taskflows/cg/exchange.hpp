// SPDX-License-Identifier: Apache-2.0
// The vector that the matrix multiplies: how it is kept, and how its elements reach the block-rows.
//
// Vector operations see one piece per block-row, piece(i). A product sees inputs(i, j). What lies between
// (nothing, pack tasks, a partition plan, blocking calls) depends on VectorMode and Transfer; the flows only
// say before_product() and after_product().
//
// Over several ranks a rank has its own block-rows, and what they send to and receive from those of other ranks, which
// are its neighbours: packed elements, or whole pieces. An assembled vector (blocking, plan) is assembled on each rank.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/handle.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/submit.hpp"
#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/options.hpp"

namespace asterism::cg {

class Exchange {
 public:
  Exchange(const CsrMatrix& a, const Partition& partition, const Options& options);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Piece i, as the vector operations use it.
  [[nodiscard]] starpu_data_handle_t piece(int i) const { return pieces_[static_cast<std::size_t>(i)]; }

  /// What the product with block (i, j) reads; j is ignored in 1D. x is the vector of the first handle,
  /// from x_offset on. The piece p_i is in handles[local], from element local_offset of that vector, or is
  /// that handle itself when local_offset is -1.
  struct Inputs {
    std::vector<starpu_data_handle_t> handles;
    std::int64_t x_offset = 0;
    int local = 0;
    std::int64_t local_offset = -1;
  };
  [[nodiscard]] Inputs inputs(int i, int j) const;

  /// The pieces written: makes them readable by the products. Not to be called when the pieces have been
  /// packed by the task that wrote them, see packing().
  void before_product();
  /// The products submitted: makes the pieces writable again (nothing happens when they are).
  void after_product();

  /// What a task that writes piece j may pack on the way: {index, outputs...}, empty when there is nothing to.
  struct Packing {
    starpu_data_handle_t index = nullptr;
    std::vector<starpu_data_handle_t> outputs;
  };
  [[nodiscard]] const Packing& packing(int j) const { return packing_[static_cast<std::size_t>(j)]; }
  /// Whether before_product() must still be called when the writers have packed.
  [[nodiscard]] bool packs_on_write() const { return mode_ == VectorMode::pieces; }

  /// The elements of p_j that block-row i needs; null when it needs none (packed only).
  [[nodiscard]] starpu_data_handle_t halo(int i, int j) const {
    const auto found = halo_.find({i, j});
    return found == halo_.end() ? nullptr : found->second;
  }
  /// The columns that block-row i needs from others (packed only).
  [[nodiscard]] const NeededColumns* needed(int i) const {
    return needed_.empty() ? nullptr : needed_[static_cast<std::size_t>(i)].get();
  }
  /// Block-rows of other ranks that need elements of those of this one, or the other way round; ascending.
  [[nodiscard]] const std::vector<int>& neighbours() const { return neighbours_; }
  /// What products of block-row i of another rank read of this one's.
  [[nodiscard]] std::vector<starpu_data_handle_t> read_by(int i) const;
  /// Full, over several ranks: also the pieces that no block of this rank has a column for, since they are sent.
  void receive_all() const;
  /// What the writers of piece j of another rank write for this one.
  [[nodiscard]] std::vector<starpu_data_handle_t> written_by(int j) const;
  /// Bytes that cross from one block-row to another in one product, over all ranks.
  [[nodiscard]] double bytes_exchanged() const { return bytes_exchanged_; }

 private:
  [[nodiscard]] bool is_here(int i) const;
  void make_pieces(const CsrMatrix& a);
  void make_parent(std::int64_t n);
  /// Elements of p_j that block-row i needs, by (i, j), where i or j is here; counted from the first row of j.
  using Needs = std::map<std::pair<int, int>, std::vector<std::int32_t>>;
  [[nodiscard]] Needs needs() const;
  void make_halos_of_pieces();
  void share_pieces();
  void gather_parent();
  void exchange_pieces();
  void make_copies_of_parent();

  const Partition& partition_;
  VectorMode mode_;
  Transfer transfer_;
  Decomposition decomposition_;
  double bytes_exchanged_ = 0;

  std::vector<std::unique_ptr<NeededColumns>> needed_;  ///< packed: by block-row; null: of another rank
  std::vector<int> neighbours_;
  std::vector<std::unique_ptr<Arena>> arenas_;  ///< pieces: one, or by block-row when packed
  std::vector<Handle> owned_;                   ///< every handle made here but the parent
  HostBuffer<double> memory_;                   ///< of the parent
  Handle parent_;
  starpu_data_filter filter_{};
  std::vector<std::uint32_t> piece_lengths_;
  std::vector<starpu_data_handle_t> pieces_;
  bool partitioned_ = false;
  std::vector<std::vector<std::int32_t>> index_memory_;
  std::vector<Packing> packing_;                              ///< by the block that writes (pieces) or reads (parent)
  std::map<std::pair<int, int>, starpu_data_handle_t> halo_;  ///< by (i, j): elements of p_j that row i needs
  std::vector<starpu_data_handle_t> copy_;                    ///< parent, packed, 1D: [p_i | halo] by i
};

}  // namespace asterism::cg
