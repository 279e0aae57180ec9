// SPDX-License-Identifier: Apache-2.0
// The data of a P2P-Reduction: runs of particles of near results, which it adds to the result of a group.
#pragma once

#include <cstdint>

namespace asterism::fmm {

/// A run of particles: `from` in the near result number `set`, `to` in the result.
struct ReductionPart {
  std::int32_t set, from, to, count;
};
/// At the beginning of a reduction's parts, for each near result: number of particles of its set, first of its parts;
/// and the end.
struct ReductionSet {
  std::int32_t particles, first_part;
};

}  // namespace asterism::fmm
