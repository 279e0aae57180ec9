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

namespace asterism::tdbem {

/// [0, unknowns) in ranges of `size` unknowns, the last one maybe shorter. Throws Error (bad_input) unless there are
/// unknowns and size is a positive multiple of panel_rows.
std::vector<Range> clusters(std::int32_t unknowns, std::int32_t size);

/// How wide panels are.
enum class Widths : std::uint8_t {
  of_panels,  ///< as the longest row-vector of each
  uniform,    ///< as the longest of all: Contiguous-Blocking as published
};

/// Rows and slices are cut in the same clusters. There may be tiles of some slices only.
struct TiledStructure {
  std::vector<Range> clusters;
  Range blocks;                      ///< clusters of slices that there are tiles of: all, or a rank's
  std::vector<TileStructure> tiles;  ///< tile (I, J) has rows of cluster I, slices of cluster J: place(I, J)
  LagCounts counts;                  ///< of all these
  /// At place(I, J): of a tile and its mirror image together, which if it is here as well, I > J, has 0.
  std::vector<std::int64_t> point_pairs;
  LagFault fault;  ///< some tiles are empty if it has a kind

  [[nodiscard]] bool has_slices(std::size_t cluster) const {
    return blocks.place(static_cast<std::int32_t>(cluster)) < static_cast<std::uint32_t>(blocks.size());
  }
  [[nodiscard]] std::size_t place(std::size_t row_cluster, std::size_t slice_cluster) const {
    return row_cluster * static_cast<std::size_t>(blocks.size()) + slice_cluster -
           static_cast<std::size_t>(blocks.begin);
  }
  /// Of a tile and its mirror image together.
  [[nodiscard]] std::int64_t points(std::size_t row_cluster, std::size_t slice_cluster) const {
    const bool below = has_slices(row_cluster) && row_cluster > slice_cluster;
    return point_pairs[below ? place(slice_cluster, row_cluster) : place(row_cluster, slice_cluster)];
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
                               const std::vector<Range>& clusters, Widths widths = Widths::of_panels);

/// Of the slices of some clusters, with a fault instead of an error.
TiledStructure structure_of_blocks(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                   const std::vector<Range>& clusters, Range blocks);

/// Consecutive blocks for each of `parts`: begin of each, and the end. Each has about the same sum of `values`, and one
/// block at least. Throws Error (bad_input) when there are fewer blocks than parts.
std::vector<std::int32_t> equal_values(const std::vector<std::int64_t>& values, std::int32_t parts);

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

  [[nodiscard]] Tile<T> tile(std::size_t row_cluster, std::size_t slice_cluster) const {
    const std::size_t x = structure.place(row_cluster, slice_cluster);
    return tile_in<T>(layouts[x], buffers[x].data());
  }
};

/// Structure and values of all tiles, in parallel (OpenMP); errors as those of tiled_structure().
template <class T>
ConvolutionMatrices<T> assemble_all(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                    const std::vector<Range>& clusters, Widths widths = Widths::of_panels);

}  // namespace asterism::tdbem
