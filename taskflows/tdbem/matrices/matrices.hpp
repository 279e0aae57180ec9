// SPDX-License-Identifier: Apache-2.0
// The convolution matrices as StarPU data: a datum per block of slices, filled by tasks, and what is needed of them to
// march on in time, M^0 and the pairs that are near. Over several ranks each has an interval of the slices with the
// same number of values (Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), section 6.1), and all of M^0.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "codelets/tdbem/codelets.hpp"
#include "codelets/tdbem/kernels/assembly/near_rows.hpp"
#include "codelets/tdbem/kernels/product/block.hpp"
#include "runtime/handle.hpp"
#include "runtime/session.hpp"
#include "taskflows/tdbem/matrices/assembly.hpp"
#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

template <class T>
class Matrices {
 public:
  /// Finds the structure (OpenMP; StarPU's workers sleep meanwhile) and registers the blocks. Nothing is filled. Throws
  /// as tiled_structure(), as equal_values(), and as require_memory() for the blocks. `problem` is kept by reference.
  /// All ranks make it with the same arguments; so they call what is "collective" below.
  Matrices(const Problem& problem, std::int32_t block_size, Widths widths = Widths::of_panels);

  /// Submits the assembly: each pair of blocks is one task, in rounds in which no block occurs twice, so that all cores
  /// work. `progress` is called with the share of point pairs that is done, by the calling thread, until all is; then
  /// M^0 is gathered. A rank fills its own blocks; a tile whose mirror image is of another rank is computed by both.
  /// Collective.
  void assemble(const std::function<void(double)>& progress);

  /// Hands over the blocks one after the other, or sets them: bytes as in block(). For files. Those of this rank;
  /// set(): collective.
  void get(const std::function<void(std::size_t block, const void* bytes, const double* initial)>& write);
  void set(const std::function<void(std::size_t block, void* bytes, double* initial)>& read);

  [[nodiscard]] std::size_t blocks() const { return handles_.size(); }
  /// Those that this rank has; nothing else is known of others than how many there are.
  [[nodiscard]] Range own() const { return structure_.own; }
  [[nodiscard]] std::vector<std::size_t> own_blocks() const;
  /// The first block of each rank, and the end.
  [[nodiscard]] const std::vector<std::int32_t>& first_blocks() const { return first_blocks_; }
  [[nodiscard]] starpu_data_handle_t block(std::size_t b) const { return handles_[b]; }
  [[nodiscard]] std::int64_t block_bytes(std::size_t b) const { return bytes_[b]; }
  [[nodiscard]] std::int64_t initial_values(std::size_t b) const { return initial_offset_[b].back(); }
  [[nodiscard]] std::int64_t values(std::size_t b) const { return values_[b]; }  ///< without padding
  /// With what pads panels.
  [[nodiscard]] std::int64_t padded_values(std::size_t b) const { return padded_values_[b]; }
  /// The tiles of a block, by block of rows.
  [[nodiscard]] const std::vector<const TileStructure*>& tiles(std::size_t b) const { return of_block_[b]; }
  /// The structure of own blocks; its counts are those of all.
  [[nodiscard]] const TiledStructure& structure() const { return structure_; }
  [[nodiscard]] const InitialMatrix& initial() const { return initial_; }
  /// Tiles with rows of blocks [first, end).
  [[nodiscard]] codelets::PartOfBlock place(std::size_t b, std::size_t first, std::size_t end) const;
  [[nodiscard]] double bytes() const { return all_bytes_; }              ///< of the blocks of all ranks
  [[nodiscard]] double point_pairs() const { return all_point_pairs_; }  ///< of the assembly, on all ranks

  /// Pairs of all rows and slices with values at lags 1 to group - 1. Blocking; collective.
  [[nodiscard]] NearPairs<T> near(std::int32_t group);

 private:
  void find_structure(std::int32_t block_size);
  void widen_panels();
  void take_blocks(Range blocks);
  [[nodiscard]] std::vector<std::int64_t> values_of_blocks() const;
  void lay_out(std::size_t b);
  void count();
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> tasks_of_assembly() const;
  [[nodiscard]] std::int64_t own_point_pairs() const;
  [[nodiscard]] NearPairs<T> own_near(std::int32_t group);
  void check_memory() const;
  void prepare();
  void gather();
  void gather_ranks();

  const Problem& problem_;
  SurfaceView surface_;
  PairRules rules_;
  Discretisation discretisation_;
  TiledStructure structure_;
  std::vector<std::int32_t> first_blocks_;
  double all_bytes_ = 0, all_point_pairs_ = 0;
  std::vector<std::vector<PlacedTile>> places_;            ///< of each block, by block of rows; empty of other ranks'
  std::vector<std::vector<std::int64_t>> initial_offset_;  ///< of each block: blocks + 1
  std::vector<std::vector<const TileStructure*>> of_block_;
  std::vector<std::int64_t> directory_, bytes_, values_, padded_values_;
  std::vector<Handle> handles_, initial_handles_;
  InitialMatrix initial_;
};

}  // namespace asterism::tdbem
