// SPDX-License-Identifier: Apache-2.0
// Kernel rates of the units at hand, measured through the codelets themselves.
#pragma once

#include <vector>

#include "runtime/session.hpp"
#include "taskflows/fmm/plan/plan.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "taskflows/fmm/tree/tree_cost_model.hpp"

namespace asterism::fmm {

/// One entry per kind of unit of the session, CPUs first: a small simulation is evaluated on one unit of each kind,
/// twice, in some tenths of a second.
/// With Pairs::one_way, another one whose sources and targets are apart.
std::vector<UnitRates> measure_rates(const Session& session, const Problem& problem, Pairs pairs = Pairs::mutual);

/// The units of all ranks, and the means of what they have measured: the same on each, which have to call it together.
/// A rank with other kinds of units than rank 0 is left out.
std::vector<UnitRates> rates_of_all(const std::vector<UnitRates>& mine);

/// Seconds of a near and of a far pair with all units together.
PairCosts pair_seconds(const std::vector<UnitRates>& rates);

}  // namespace asterism::fmm
