// SPDX-License-Identifier: Apache-2.0
#include "codelets/heat/kernels/kernels.hpp"

#include "codelets/heat/kernels/point.hpp"

namespace asterism::heat::cpu {

void step(const Block& block, const StepData& data) {
  for (std::int32_t i = 0; i < block.rows; ++i)
    for (std::int32_t j = 0; j < block.columns; ++j) step_point(block, data, i, j);
}

}  // namespace asterism::heat::cpu
