// SPDX-License-Identifier: Apache-2.0
// Sizes of the convolution matrices, without their values, under several numberings of the unknowns: the score of
// section 7.4.1 and Table 4 of Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "taskflows/tdbem/matrices/assembly.hpp"
#include "taskflows/tdbem/surface/surface.hpp"

namespace asterism::tdbem {

/// What the numbering of the unknowns decides.
struct NumberingStatistics {
  double score = 0;                 ///< of section 7.4.1
  std::int64_t padded_values = 0;   ///< values with what pads panels of panel_rows rows to their longest row-vector
  std::vector<BlockCounts> blocks;  ///< of Full-Blocking, one per shape
};

struct MatrixStatistics {
  LagCounts counts;  ///< the same under all numberings but for padded_values, which are those of Hilbert's
  std::vector<NumberingStatistics> numberings;
};

/// orders[o][i]: unknown of `surface` that has place i under numbering o. Shapes narrower than the longest row-vector
/// get no blocks.
///
/// The lags of a pair of unknowns do not depend on the numbering, so they are found once, along Hilbert's curve, and
/// looked up in other orders. Finding them in tiles of another numbering is correct but slow: unknowns that are not
/// neighbours share no triangles, and each pair of triangles is met up to nine times. In parallel (OpenMP); memory: 3
/// bytes per pair of unknowns. Throws as tiled_structure(), and Error (bad_input) if an order is no permutation.
MatrixStatistics matrix_statistics(const Surface& surface, const PairRules& rules, const Discretisation& d,
                                   std::span<const std::vector<std::int32_t>> orders,
                                   std::span<const BlockShape> shapes);

}  // namespace asterism::tdbem
