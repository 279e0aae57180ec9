// Kernel rates of the units at hand, measured through the codelets themselves.
#pragma once

#include <vector>

#include "taskflows/fmm/shape.hpp"
#include "taskflows/fmm/system.hpp"
#include "taskflows/runtime/session.hpp"

namespace asterism::fmm {

/// One entry per kind of unit of the session, CPUs first: a small system is evaluated on one unit of each kind, twice,
/// in some tenths of a second.
std::vector<UnitRates> measure_rates(const Session& session, const Interaction& interaction, const Accuracy& accuracy);

}  // namespace asterism::fmm
