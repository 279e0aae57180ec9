// SPDX-License-Identifier: Apache-2.0
// Who has which part of the matrices. The unknowns are cut into blocks; slices and rows are cut in the same way, so
// that a tile has the rows of one block and the slices of another. Ranks have intervals of blocks of slices with the
// same number of values (Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), section 6.1). Within a rank each unit
// has an interval of its blocks, by measured times (balance.hpp, section 6.2 of the paper), or the scheduler decides.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/assembly/tile_triangles.hpp"

namespace asterism::tdbem {

/// Who computes the products with which slices.
enum class Sharing : std::uint8_t {
  intervals,  ///< consecutive blocks of slices for each worker: all cores together, and each GPU
  gpus,       ///< consecutive blocks of slices for each GPU, none for cores where there is a GPU
  scheduler,  ///< StarPU's scheduler decides for each block, and the sums are a reduction
};
const char* name_of(Sharing sharing);

/// Unknowns of a block that suit so many unknowns and units: enough blocks for the assembly to keep all cores at work
/// and for shares of a per cent, not more, as a GPU wants large ones. `cores` and `gpus`: those of one of `ranks`.
std::int32_t suitable_block_size(std::int32_t unknowns, std::int32_t cores, std::int32_t gpus, std::int32_t ranks = 1);

/// At most `wanted` unknowns, in blocks whose rows can be dealt to so many cores in about equal numbers (equal_rows).
std::int32_t block_size_for_cores(std::int32_t unknowns, std::int32_t wanted, std::int32_t cores);

/// [0, unknowns) in ranges of `size` unknowns, the last one maybe shorter. Throws Error (bad_input) unless there are
/// unknowns and size is a positive multiple of panel_rows.
std::vector<Range> blocks_of_unknowns(std::int32_t unknowns, std::int32_t size);

/// Consecutive blocks for each of `parts`: begin of each, and the end. Each has about the same sum of `values`, and one
/// block at least. Throws Error (bad_input) when there are fewer blocks than parts.
std::vector<std::int32_t> equal_values(const std::vector<std::int64_t>& values, std::int32_t parts);

/// Consecutive blocks for each of `parts`, with about as many rows: the end of each. Errors as equal_values.
std::vector<std::size_t> equal_rows(const std::vector<Range>& blocks, std::size_t parts);

}  // namespace asterism::tdbem
