// SPDX-License-Identifier: Apache-2.0
#include "codelets/decay/kernels/kernels.hpp"

namespace asterism::decay::cpu {

void step(const Block& block, const StepData& data) {
  for (std::int32_t i = 0; i < block.points; ++i) data.u[i] *= block.factor;
}

}  // namespace asterism::decay::cpu
