// SPDX-License-Identifier: Apache-2.0
// The codelets of the heat equation, on CPUs and GPUs. Next to each: its arguments and, in order, its data.
#pragma once

#include "codelets/heat/kernels/kernels.hpp"
#include "runtime/codelet.hpp"

namespace asterism::heat::codelets {

/// A time step of a block.  u R, v W, first row of v W, last row of v W, [row below R], [row above R]
struct StepArgs {
  Block block;
  bool has_below = false;
  bool has_above = false;
};
extern Codelet step;

/// The data of a task, as the kernels take them.
StepData step_data(void** buffers, const StepArgs& arguments);

}  // namespace asterism::heat::codelets
