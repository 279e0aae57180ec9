// SPDX-License-Identifier: Apache-2.0
// The share of the domain that GPUs get, from measured rates.
#pragma once

#include <vector>

#include "runtime/machine/unit_rates.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {

/// Measured with small bricks of the same method and precision; takes some tenths of a second.
Rates measure_rates(const Problem& problem, const Session& session);

}  // namespace asterism::lbm
