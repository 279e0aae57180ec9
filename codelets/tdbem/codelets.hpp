// SPDX-License-Identifier: Apache-2.0
// The StarPU codelets of time-domain boundary elements, each for float and double: extern objects, and next to each the
// structure of its arguments and, in order, the data that a task must be submitted with. prepare, assemble, cut,
// scalar_products, matrix_vector_products and solve_directly run on CPUs only, all others on CPUs and GPUs. The kernels
// behind them: kernels/kernels.hpp.
//   block     a block of slices (block.hpp), in lines of 64 bytes
//   window    past values of the unknowns of a block (slices.hpp), for every wave
//   partial   sums of some rows for a group of steps (partial_sums.hpp), of one unit
//   totals    sums of some rows, of all units; over several ranks also those on their way between them
//   solutions a of the steps of a group: [wave][g][unknown]; two of them, in turn
#pragma once

#include <starpu.h>

#include <cstdint>
#include <functional>

#include "codelets/tdbem/kernels/assembly/tile_values.hpp"
#include "codelets/tdbem/kernels/march/partial_sums.hpp"
#include "codelets/tdbem/kernels/march/radiation.hpp"
#include "codelets/tdbem/kernels/product/block.hpp"
#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/waves/illumination.hpp"
#include "runtime/buffers.hpp"
#include "runtime/codelet.hpp"

namespace asterism::tdbem::codelets {

/// Which tiles of which block: rows of some blocks, slices of one.
struct PartOfBlock {
  std::int64_t directory = 0;  ///< bytes (block.hpp)
  std::int32_t first_tile = 0;
  std::int32_t tiles = 0;
  std::int32_t panels = 0;  ///< of the tile that has most
  std::int32_t slice_begin = 0;
  std::int32_t slices = 0;
};

/// The arrays of a block but its values, which become zero.  block W, initial W
struct PrepareArgs {
  Work work;
  const TileStructure* const* tiles = nullptr;  ///< of the block, in main memory
  const PlacedTile* places = nullptr;           ///< as many
  std::int64_t directory = 0;
  std::int32_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t initial = 0;  ///< values of M^0
};
extern PrecisionCodelet prepare;

/// The values of a tile and of its mirror image, on CPUs.
/// block RW, initial RW, then of the mirror image unless both are one: block RW, initial RW
struct AssembleArgs {
  Work work;
  const SurfaceView* surface = nullptr;
  const PairRules* rules = nullptr;
  const Discretisation* discretisation = nullptr;
  const TileStructure* structure[2]{};
  std::int64_t directory[2]{};
  std::int32_t tile[2]{};            ///< number in its block
  std::int64_t initial_offset[2]{};  ///< of the tile's values of M^0 in those of the block
};
extern PrecisionCodelet assemble;

/// partial += tiles x windows of some blocks, the same rows of each.
/// of each block: block R, window R; then partial W (first) or RW, scratch SCRATCH (GPUs)
struct ProductArgs {
  Work work;
  std::int32_t blocks = 0;
  PartOfBlock place[most_blocks_at_once];
  WindowShape shape;
  std::int32_t waves = 1;
  std::int32_t row_begin = 0;  ///< of the partial sums
  std::int32_t rows = 0;
  double values = 0;   ///< of the matrices in these rows of these blocks that the task is to count as its work
  bool clear = false;  ///< set the partial sums to zero first
  BlockShape shape_of_full_blocks;
  const PlacedFullBlocks* full_blocks[most_blocks_at_once]{};  ///< of each block, by block of rows, in main memory
};
extern PrecisionCodelet product;
/// As product, by the kernels that the paper compares with (sections 3.2, 3.3 and 5.1); instead of blocks those that
/// cut has made of them.
extern PrecisionCodelet full_blocks_product;
/// As product, on CPUs only.
extern PrecisionCodelet scalar_products, matrix_vector_products;
/// Bytes of the scratch datum for any of up to most_blocks_at_once blocks that are no larger than this.
template <class T>
std::size_t product_scratch_bytes(const PartOfBlock& largest, std::int32_t group, std::int32_t waves);

/// The blocks of Full-Blocking of a block of slices.  block R, full blocks W
struct CutArgs {
  Work work;
  std::int64_t directory = 0;
  std::int32_t count = 0;  ///< of tiles
  const PlacedFullBlocks* places = nullptr;
  BlockShape shape;
};
extern PrecisionCodelet cut;

/// totals RW, one partial R for each part
struct CombineArgs {
  Work work;
  TotalsShape shape;
  Begun begun = Begun::nothing;
  std::int32_t partials = 0;
  struct Rows {
    std::int32_t begin = 0, count = 0;
    Arrangement arrangement = Arrangement::by_wave;
    std::int32_t wave = 0, first = 0, spacing = 1;
  } rows[most_partials]{};
};
extern PrecisionCodelet combine;

/// Right-hand sides of a group of steps and some rows.
/// incident W, then of the surface, R: vertices, triangles, normals, areas, start, around
struct IlluminateArgs {
  Work work;
  Illumination incident;
  Steps steps;
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::int32_t vertices = 0;
  std::int32_t triangles = 0;
};
extern PrecisionCodelet illuminate;

/// M^0 a = s for step n, place g of the group.
/// of M^0 R: start, column, value, inverse diagonal; solutions RW, the other solutions R, tally RW, scratch SCRATCH,
/// then for each part of the rows: totals R, and incident R if illuminated
struct SolveArgs {
  Work work;
  std::int32_t rows = 0;
  std::int32_t group = 1, width = 1, waves = 1;
  std::int32_t g = 0, wave = 0;
  std::int32_t totals_g = 0, totals_wave = 0;  ///< where the totals have them
  std::int64_t step = 0;                       ///< n
  SolveLimits limits;
  bool illuminated = false;
  std::int32_t parts = 0;
  std::int32_t part_rows[64]{};
  /// a factorisation instead of conjugate gradients: turns a right-hand side, an array of T, into the solution
  const std::function<void(void*)>* direct = nullptr;
};
inline constexpr std::int32_t most_parts = 64;
extern PrecisionCodelet solve;
/// As solve, on CPUs only, by `direct`.
extern PrecisionCodelet solve_directly;
/// Bytes of the scratch datum.
template <class T>
std::size_t solve_scratch_bytes(std::int32_t rows);

/// totals of later steps += M^(g-g0) a^(n+g0).  near R, solutions R, totals RW
struct RadiateArgs {
  Work work;
  std::int64_t reached = 0, column = 0, values = 0;  ///< bytes: where arrays of NearRowsView begin; `begin` is at 0
  std::int32_t row_begin = 0, rows = 0, lags = 0;
  std::int32_t unknowns = 0;
  std::int32_t group = 1;
  std::int32_t g0 = 0;
  std::int32_t waves = 1;
};
extern PrecisionCodelet radiate;

/// All solutions and radiations of a group of steps, for one part that has all rows.
/// the data of solve, of all waves, totals being RW; then near R if there are later steps in reach
struct MarchArgs {
  Work work;
  SolveArgs solve;  ///< of the first step
  RadiateArgs radiate;
};
extern PrecisionCodelet march;

/// The windows of some blocks.  window RW of each block, solutions R
struct MoveOnArgs {
  Work work;
  WindowShape shape;
  std::int32_t blocks = 0;
  struct Slices {
    std::int32_t begin = 0, count = 0;
  } slices[most_blocks_at_once]{};
  std::int32_t unknowns = 0;
  std::int32_t waves = 1;
};
extern PrecisionCodelet move_on;

/// Pressure at observers by the unknowns of a block: pressure[wave][observer][g].
/// start R, first R, weight R (ObserverView of the block), window R after it has moved on, pressure W
struct ObserveArgs {
  Work work;
  WindowShape shape;
  std::int32_t observers = 0, slices = 0, waves = 1;
};
extern PrecisionCodelet observe;

}  // namespace asterism::tdbem::codelets
