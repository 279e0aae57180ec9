// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/preconditioner_tasks.hpp"

#include <fmt/format.h>

#include "base/as_size.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/matrix/matrix_block.hpp"

namespace asterism::cg {

bool is_here(const Partition& owners, int k) {
  return owners.rank_begin.empty() || owners.owner(k) == rank_group().rank();
}

Operator make_operator(const CsrMatrix& a, const Cuts& rows, const HaloVector& x, const char* name, bool diagonals,
                       const Partition& owners) {
  Operator result(rows.size() - 1);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const int block_row = static_cast<int>(i);
    if (!is_here(owners, block_row) || rows[i] == rows[i + 1]) continue;
    const auto [first, last] = x.own_range(block_row);
    BlockRange range{rows[i], rows[i + 1], 0, a.n};
    range.needed = &x.needed(block_row);
    range.local_first = first;
    range.local_last = last;
    range.diagonals = diagonals;
    const MatrixBlock plan(a, range, Format::sell);
    OperatorBlock& block = result[i];
    block.layout = plan.layout();
    block.memory = HostBuffer<char>(block.layout.bytes);
    plan.fill(block.memory.data(), MatrixBlock::Threads::all);
    block.owned =
        Handle::vector(block.memory.data(), block.layout.bytes / BlockLayout::alignment, BlockLayout::alignment,
                       fmt::format("{}[{}]", name, i), Coordinates{block_row, block_row});
    block.handle = block.owned;
  }
  return result;
}

}  // namespace asterism::cg
