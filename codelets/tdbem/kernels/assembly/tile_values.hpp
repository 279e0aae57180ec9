// SPDX-License-Identifier: Apache-2.0
// The values of a tile of the convolution matrices, of its mirror image and of their parts of M^0.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/assembly/tile_structure.hpp"

namespace asterism::tdbem {

/// What is filled: Tile::values is not read.
template <class T>
struct TileTarget {
  Tile<T> tile;
  T* values = nullptr;                          ///< of M^1, M^2, ..., what pads the panels among them
  const std::int32_t* initial_start = nullptr;  ///< as in TileStructure
  const std::int32_t* initial_slice = nullptr;
  double* initial = nullptr;  ///< of M^0, entry by entry
};

/// Fills `tile` and, if given, its `mirror`, where rows are slices and slices rows. The structures are those of
/// tile_structure() with the same arguments. A value is the same to the bit in any tile of any cut, on any thread, and
/// M^k(i, j) and M^k(j, i) are the same: sums over pairs of triangles have one order (for_each_pair()), and of a pair
/// the values are computed with the lower triangle first. Throws std::invalid_argument if mirror is no mirror image.
template <class T>
void assemble(const SurfaceView& surface, const PairRules& rules, const Discretisation& d, const TileTarget<T>& tile,
              const TileTarget<T>* mirror, TileScratch& scratch);

}  // namespace asterism::tdbem
