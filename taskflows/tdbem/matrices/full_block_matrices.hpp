// SPDX-License-Identifier: Apache-2.0
// The blocks of Full-Blocking (section 5.1 of the paper) of the convolution matrices as StarPU data: a datum per block
// of slices, beside the one that it is cut from, for Kernel::full_blocking. Slices are cut tile by tile, so that cores
// can share out the rows: a block of Full-Blocking ends where a tile ends.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "runtime/handle.hpp"
#include "taskflows/tdbem/matrices/matrices.hpp"

namespace asterism::tdbem {

template <class T>
class FullBlockMatrices {
 public:
  /// Finds the blocks of this rank's slices, registers them and submits the tasks that copy the values of `matrices`,
  /// which are filled. Throws Error (bad_input) when a row-vector is longer than blocks are wide.
  FullBlockMatrices(const Matrices<T>& matrices, const BlockShape& shape);

  [[nodiscard]] const BlockShape& shape() const { return shape_; }
  [[nodiscard]] starpu_data_handle_t block(std::size_t b) const { return handles_[b]; }
  [[nodiscard]] std::int64_t block_bytes(std::size_t b) const { return bytes_[b]; }
  /// Values with the zeros that fill blocks.
  [[nodiscard]] std::int64_t values(std::size_t b) const;
  /// By block of rows.
  [[nodiscard]] const PlacedFullBlocks* places(std::size_t b) const { return places_[b].data(); }

 private:
  void lay_out(const Matrices<T>& matrices, std::size_t b);

  BlockShape shape_;
  std::vector<std::vector<PlacedFullBlocks>> places_;  ///< of each block, by block of rows; empty of other ranks'
  std::vector<std::int64_t> bytes_;
  std::vector<Handle> handles_;
};

extern template class FullBlockMatrices<float>;
extern template class FullBlockMatrices<double>;

}  // namespace asterism::tdbem
