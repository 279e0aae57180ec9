// SPDX-License-Identifier: Apache-2.0
// The share of the domain that GPUs get, from measured rates.
#pragma once

#include <string>

#include "runtime/machine/known_rates.hpp"
#include "runtime/machine/unit_rates.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {

/// Of the session's units, by the kind of the flow among the known rates; what is not known is measured with small
/// bricks of the same method and precision, in some tenths of a second, and kept. Ranks measure together, and keep
/// nothing.
Rates measure_rates(const Problem& problem, const Session& session, const std::string& kind, KnownRates& rates);

}  // namespace asterism::lbm
