// SPDX-License-Identifier: Apache-2.0
// The performance models of all codelets: durations that StarPU measures by class of tasks, or on a simulated machine
// those of its platform.
#pragma once

#include <starpu.h>

#include <cstdint>

namespace asterism {

/// A model named `symbol`, which has to live as long as the model. `footprint`: the class of a task; null: by the sizes
/// of its data, as StarPU has it.
starpu_perfmodel performance_model(const char* symbol, std::uint32_t (*footprint)(starpu_task*) = nullptr);

}  // namespace asterism
