// Parts of the record of a run of asterism-fmm.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "taskflows/fmm/system.hpp"
#include "taskflows/fmm/tree/tree_cost_model.hpp"

namespace asterism::apps::fmm {

nlohmann::json rates_record(const std::vector<asterism::fmm::UnitRates>& rates);
/// What each rank has of the problem, what it submitted and sent, and its `seconds`. All ranks have to call it.
nlohmann::json shares_record(const asterism::fmm::System& system, double seconds);
/// Levels, groups and leaves; `work`: of all ranks.
nlohmann::json tree_record(const asterism::fmm::System& system, const asterism::fmm::WorkSummary& work);

}  // namespace asterism::apps::fmm
