// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/full_block_matrices.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/error.hpp"
#include "codelets/tdbem/kernels/product/cache_lines.hpp"
#include "runtime/submit.hpp"

namespace asterism::tdbem {

template <class T>
FullBlockMatrices<T>::FullBlockMatrices(const Matrices<T>& matrices, const BlockShape& shape)
    : shape_(shape), places_(matrices.blocks()), bytes_(matrices.blocks()), handles_(matrices.blocks()) {
  if (const std::int32_t longest = matrices.structure().counts.longest; longest > shape.columns)
    bad_input("full blocking: row-vectors have up to {} values, expected blocks of at least as many columns, not {}",
              longest, shape.columns);
  for (const std::size_t b : matrices.own_blocks()) {
    lay_out(matrices, b);
    codelets::CutArgs args;
    args.work.cells = bytes_[b];
    args.directory = matrices.place(b, 0, matrices.blocks()).directory;
    args.count = static_cast<std::int32_t>(places_[b].size());
    args.places = places_[b].data();
    args.shape = shape_;
    submit(codelets::cut.of<T>(), args, {{matrices.block(b), STARPU_R}, {handles_[b], STARPU_W}});
  }
}

/// Where the arrays of each tile are, and the datum.
template <class T>
void FullBlockMatrices<T>::lay_out(const Matrices<T>& matrices, std::size_t b) {
  std::int64_t bytes = 0;
  const auto take = [&](std::int64_t more) {
    const std::int64_t begin = bytes;
    bytes = aligned(bytes + more);
    return begin;
  };
  for (const TileStructure* const tile : matrices.tiles(b)) {
    const std::int64_t count = number_of_full_blocks(tile->template view<T>(nullptr), shape_);
    if (count > std::numeric_limits<std::int32_t>::max())
      bad_input("full blocking: {} blocks in a tile; blocks of fewer slices (--cluster) have less", count);
    PlacedFullBlocks p;
    p.row_begin = tile->rows.begin;
    p.rows = tile->rows.size();
    p.count = static_cast<std::int32_t>(count);
    p.slice = take(count * static_cast<std::int64_t>(sizeof(std::int32_t)));
    p.place = take(count * static_cast<std::int64_t>(sizeof(BlockPlace)));
    p.values = take(count * shape_.rows * shape_.columns * static_cast<std::int64_t>(sizeof(T)));
    places_[b].push_back(p);
  }
  bytes_[b] = bytes;
  handles_[b] = Handle::temporary(nullptr, static_cast<std::size_t>(bytes / 64), 64, fmt::format("full_blocks_{}", b));
}

template <class T>
std::int64_t FullBlockMatrices<T>::values(std::size_t b) const {
  std::int64_t blocks = 0;
  for (const PlacedFullBlocks& p : places_[b]) blocks += p.count;
  return blocks * shape_.rows * shape_.columns;
}

template class FullBlockMatrices<float>;
template class FullBlockMatrices<double>;

}  // namespace asterism::tdbem
