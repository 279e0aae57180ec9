// SPDX-License-Identifier: Apache-2.0
// The machine at hand: its units, its buses as StarPU measured them, its memories' bandwidth.
#pragma once

#include "runtime/machine/platform.hpp"

namespace asterism::apps::platform {

/// Everything of a platform but flops and seconds of the units' rates and the codelets. Starts StarPU, which measures
/// buses that it does not know yet (seconds for each GPU), then memories and links itself. Throws Error.
Platform measure_machine();

}  // namespace asterism::apps::platform
