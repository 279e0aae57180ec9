// SPDX-License-Identifier: Apache-2.0
// The convolution matrices of a surface, cut into tiles: which tiles there are, what lags and how many values they
// have, and the assembly of all of them in memory, without StarPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "codelets/tdbem/kernels/assembly/pair_rules.hpp"
#include "codelets/tdbem/kernels/assembly/tile_structure.hpp"
#include "codelets/tdbem/kernels/assembly/tile_values.hpp"
#include "taskflows/tdbem/decomposition.hpp"

namespace asterism::tdbem {

/// How wide panels are.
enum class Widths : std::uint8_t {
  of_panels,  ///< as the longest row-vector of each
  uniform,    ///< as the longest of all: Contiguous-Blocking as published
};

/// Rows and slices are cut into the same blocks. There may be tiles of some slices only.
struct TiledStructure {
  std::vector<Range> blocks;         ///< of unknowns
  Range own;                         ///< blocks of slices that there are tiles of: all, or a rank's
  std::vector<TileStructure> tiles;  ///< tile (I, J) has rows of block I, slices of block J: place(I, J)
  LagCounts counts;                  ///< of all these
  /// At place(I, J): of a tile and its mirror image together, which if it is here as well, I > J, has 0.
  std::vector<std::int64_t> point_pairs;
  LagFault fault;  ///< some tiles are empty if it has a kind

  [[nodiscard]] bool has_slices(std::size_t block) const {
    return own.place(static_cast<std::int32_t>(block)) < static_cast<std::uint32_t>(own.size());
  }
  [[nodiscard]] std::size_t place(std::size_t row_block, std::size_t slice_block) const {
    return row_block * static_cast<std::size_t>(own.size()) + slice_block - static_cast<std::size_t>(own.begin);
  }
  /// Point pairs of a tile and its mirror image together.
  [[nodiscard]] std::int64_t points(std::size_t row_block, std::size_t slice_block) const {
    const bool below = has_slices(row_block) && row_block > slice_block;
    return point_pairs[below ? place(slice_block, row_block) : place(row_block, slice_block)];
  }
  /// Bytes of all tiles, as tile_layout() packs them.
  template <class T>
  [[nodiscard]] std::size_t bytes() const;
};

/// Throws Error (bad_input) saying why the lags of a tile cannot be stored and what to do; `fault` has a kind.
[[noreturn]] void refuse(const LagFault& fault, const Discretisation& d);

/// In parallel (OpenMP). Throws Error (bad_input), naming the time step and a pair of unknowns, when row-vectors have
/// holes, too many values or too large lags: all of them ask for larger steps. Throws Error (bad_input) as well for
/// speeds and steps that are not positive.
TiledStructure tiled_structure(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                               const std::vector<Range>& blocks, Widths widths = Widths::of_panels);

/// As tiled_structure(), of the slices of the blocks `own` only, with a fault instead of an error.
TiledStructure structure_of_own_blocks(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                       const std::vector<Range>& blocks, Range own);

/// M^0 by rows, columns ascending, or those of its columns that belong to some blocks.
struct InitialMatrix {
  std::vector<std::int64_t> start;  ///< unknowns + 1
  std::vector<std::int32_t> column;
  std::vector<double> value;
};
/// initial[place(I, J)]: values of tile (I, J), as TileTarget::initial has them.
InitialMatrix gather_initial(const TiledStructure& structure, std::span<const std::vector<double>> initial);

template <class T>
struct ConvolutionMatrices {
  TiledStructure structure;
  std::vector<TileLayout> layouts;        ///< of tiles, as those of the structure
  std::vector<Array<std::byte>> buffers;  ///< as many
  InitialMatrix initial;

  [[nodiscard]] Tile<T> tile(std::size_t row_block, std::size_t slice_block) const {
    const std::size_t x = structure.place(row_block, slice_block);
    return tile_in<T>(layouts[x], buffers[x].data());
  }
};

/// Structure and values of all tiles, in parallel (OpenMP); errors as those of tiled_structure().
template <class T>
ConvolutionMatrices<T> assemble_all(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                    const std::vector<Range>& blocks, Widths widths = Widths::of_panels);

}  // namespace asterism::tdbem
