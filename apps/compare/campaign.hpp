// SPDX-License-Identifier: Apache-2.0
// Does the runs of a comparison, one after the other, and records each.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/compare/settings.hpp"
#include "apps/compare/state.hpp"

namespace asterism::apps::compare {

/// What must be the same for runs to be comparable: command and program, schedulers, how time is taken, machine, and
/// the environment variables of StarPU, OpenMP and CUDA.
nlohmann::json identity_of(const Settings& settings);

/// Does what remains to be done. Returns the signal that interrupted it, or 0. Throws Error when going on makes no
/// sense: the program leaves no recording, or does not say the time that was asked for.
int run_campaign(const Settings& settings, Journal& journal);

}  // namespace asterism::apps::compare
