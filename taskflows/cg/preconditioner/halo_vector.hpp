// SPDX-License-Identifier: Apache-2.0
// A vector in block-rows that sparse matrices multiply: each of their block-rows sees its piece, if there is one of its
// number, followed by the elements of other pieces that its columns name, packed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/handle.hpp"
#include "runtime/memory/arena.hpp"
#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Where rows are cut: block k has rows [cuts[k], cuts[k + 1]).
using Cuts = std::vector<std::int64_t>;

class HaloVector {
 public:
  /// A matrix that multiplies the vector, and where its rows are cut.
  struct Reader {
    const CsrMatrix* matrix;
    const Cuts* rows;
  };
  /// `owners`: block k of every level is of the rank of its block-row k.
  HaloVector(const std::string& name, const Cuts& cuts, const std::vector<Reader>& readers, const Partition& owners);

  [[nodiscard]] starpu_data_handle_t piece(int k) const { return pieces_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int blocks() const { return static_cast<int>(cuts_.size()) - 1; }
  /// What a product of the readers' block-row i reads; the first is in the arena that the block's columns count from.
  [[nodiscard]] const std::vector<starpu_data_handle_t>& inputs(int i) const {
    return inputs_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const NeededColumns& needed(int i) const { return *needed_[static_cast<std::size_t>(i)]; }
  /// Rows of the piece that block-row i sees first; none: an empty range.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> own_range(int i) const;

  /// The pieces written: submits what brings their elements to the block-rows that need them.
  void exchange();

 private:
  [[nodiscard]] bool is_here(int k) const;
  void make_halo(int i, int j, std::vector<std::int32_t> columns, std::size_t offset, std::int64_t tag);

  std::string name_;
  Cuts cuts_;
  const Partition& owners_;
  std::vector<std::unique_ptr<Arena>> arenas_;  ///< by window
  std::vector<Handle> owned_;
  std::vector<starpu_data_handle_t> pieces_;
  std::vector<std::vector<starpu_data_handle_t>> inputs_;
  std::vector<std::unique_ptr<NeededColumns>> needed_;
  std::vector<std::vector<std::int32_t>> index_memory_;  ///< by the piece that is packed
  std::vector<starpu_data_handle_t> index_;
  std::map<std::pair<int, int>, starpu_data_handle_t> halo_;  ///< by (piece j, block-row i)
};

}  // namespace asterism::cg
