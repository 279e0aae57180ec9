// SPDX-License-Identifier: Apache-2.0
// Parts of the record and of the table of a run of asterism-fmm.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "apps/common/report.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "taskflows/fmm/tree/tree_cost_model.hpp"
#include "taskflows/fmm/verify.hpp"

namespace asterism::apps::fmm {

nlohmann::json rates_record(const std::vector<asterism::fmm::UnitRates>& rates);
/// What each rank has of the problem, what it submitted and sent, and its `seconds`. All ranks have to call it.
nlohmann::json shares_record(const asterism::fmm::Simulation& simulation, double seconds);
/// Levels, groups and leaves; `work`: the sum over all ranks.
nlohmann::json tree_record(const asterism::fmm::Simulation& simulation, const asterism::fmm::WorkSummary& work);
/// The errors that --verify found, in the table and as record["verification"].
void report_errors(Report& report, const asterism::fmm::Errors& errors, const char* reference, double allowed,
                   double promised);

}  // namespace asterism::apps::fmm
