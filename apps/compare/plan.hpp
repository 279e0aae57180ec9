// SPDX-License-Identifier: Apache-2.0
// What to run in which order. A pure function of the settings and the runs done so far, so that an interrupted
// comparison resumes where it stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/compare/settings.hpp"
#include "apps/compare/state.hpp"

namespace asterism::apps::compare {

/// The order of `schedulers` candidates in round `round` (from 0): rows of a Latin square balanced for neighbours
/// (Williams 1949). Over n rounds (2n for odd n) each candidate is once (twice) in each place and comes once (twice)
/// right after each other candidate, so that neither a drift of the machine nor what the previous run left in caches
/// and clocks favours any.
std::vector<std::size_t> order_of_round(std::size_t round, std::size_t schedulers);

/// Whether a scheduler asks StarPU's performance models; unknown ones are taken to do.
bool uses_models(const std::string& scheduler);

/// All steps still to do if every run succeeds and every warm-up finds calibrated models: calibration first, then a
/// warm-up of each scheduler, repeated while StarPU says that models lack measurements, then the measured rounds, then
/// the rounds with (or without) recording. Schedulers that failed `give_up` times in a row are left out.
std::vector<Step> remaining_steps(const Settings& settings, const std::vector<Run>& runs);

/// The first of them.
std::optional<Step> next_step(const Settings& settings, const std::vector<Run>& runs);

/// The scheduler failed `give_up` times in a row.
bool given_up(const Settings& settings, const std::vector<Run>& runs, const std::string& scheduler);

}  // namespace asterism::apps::compare
