// SPDX-License-Identifier: Apache-2.0
// The order in which the tiles of the matrices are computed. A task writes tile (I, J) and its mirror image, that is in
// blocks I and J, which no other task may write meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace asterism::tdbem {

/// Blocks I <= J of a tile and its mirror image.
using BlockPair = std::pair<std::size_t, std::size_t>;

/// All pairs of `blocks` blocks, those of a block with itself first, then in rounds without a block that occurs twice
/// (the circle method of tournaments): where tasks cost the same, half as many run at a time as there are blocks.
std::vector<BlockPair> pairs_in_rounds(std::size_t blocks);

/// All pairs, in the order in which tasks of the given costs would begin on `cores` cores if a core that is free took
/// the pair, among those whose blocks are free, whose blocks have most left to do (list scheduling). Where there are
/// so many blocks that cores always find a pair: those in rounds.
std::vector<BlockPair> pairs_by_cost(std::size_t blocks, std::size_t cores,
                                     const std::function<double(std::size_t, std::size_t)>& cost);

}  // namespace asterism::tdbem
