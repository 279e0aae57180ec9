// SPDX-License-Identifier: Apache-2.0
// Which expansions ranks send each other: multipoles that M2L or M2M of another rank reads, and local expansions that
// L2L of another rank reads. Pure structure, without data.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// An own group and a rank that reads it.
struct Reader {
  std::int32_t group;
  int rank;
  auto operator<=>(const Reader&) const = default;
};

/// The messages of one rank about the cells of one level, all in increasing order.
struct CellMessages {
  std::vector<std::int32_t> multipoles_in;  ///< groups of other ranks
  std::vector<std::int32_t> locals_in;
  std::vector<Reader> multipoles_out;
  std::vector<Reader> locals_out;
};

CellMessages cell_messages(const Tree& tree, int level);

}  // namespace asterism::fmm
