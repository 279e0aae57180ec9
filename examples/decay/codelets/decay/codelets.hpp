// SPDX-License-Identifier: Apache-2.0
// The codelets of the decay equation, on CPUs and GPUs. Next to each: its arguments and, in order, its data.
#pragma once

#include "codelets/decay/kernels/kernels.hpp"
#include "runtime/codelet.hpp"

namespace asterism::decay::codelets {

/// A time step of a block.  u RW
struct StepArgs {
  Block block;
};
extern Codelet step;

/// The data of a task, as the kernels take them.
StepData step_data(void** buffers, const StepArgs& arguments);

}  // namespace asterism::decay::codelets
