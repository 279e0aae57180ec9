// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix and of vectors over ranks: those that the callers have, and those that the task flow computes. All
// functions are called by all ranks together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::v0::cg {

/// Rank r has rows [cuts[r], cuts[r + 1]).
using RankCuts = std::vector<std::int64_t>;

/// The cuts of the rows that each rank has in `a`. Throws Error (bad_input) where they do not follow on each other from
/// 0 to a.n.
RankCuts cuts_of(const asterism::cg::CsrMatrix& a);
/// The cuts of the block-rows of each rank.
RankCuts cuts_of(const asterism::cg::Partition& partition);

/// require_symmetric_positive_diagonal() of a matrix whose rows are on all ranks.
void require_symmetric(const asterism::cg::CsrMatrix& a, const RankCuts& cuts);

/// Block-rows of these relative sizes, the same whatever rows each rank has, dealt to the ranks.
asterism::cg::Partition partition_over_ranks(const asterism::cg::CsrMatrix& a, std::span<const double> shares,
                                             const asterism::cg::Options& options);

/// A value for each row of this rank in `from`, as those of its rows in `to`.
std::vector<double> moved(std::span<const double> values, const RankCuts& from, const RankCuts& to);
asterism::cg::CsrMatrix moved(const asterism::cg::CsrMatrix& a, const RankCuts& from, const RankCuts& to);
/// All rows, on every rank.
asterism::cg::CsrMatrix whole(const asterism::cg::CsrMatrix& a);

}  // namespace asterism::v0::cg
