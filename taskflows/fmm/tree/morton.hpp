// SPDX-License-Identifier: Apache-2.0
// Cells of the tree by their Morton indices.
#pragma once

#include <cstdint>

#include "codelets/fmm/kernels/far/far_field.hpp"
#include "io/mesh/space_filling.hpp"

namespace asterism::fmm {

constexpr CellIndex cell_of(std::uint64_t key) {
  return {static_cast<std::int32_t>(collect_bits(key)), static_cast<std::int32_t>(collect_bits(key >> 1)),
          static_cast<std::int32_t>(collect_bits(key >> 2))};
}

}  // namespace asterism::fmm
