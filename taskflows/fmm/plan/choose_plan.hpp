// SPDX-License-Identifier: Apache-2.0
// The plan of a run or of a library's evaluator: all pairs, or the best tree and units by known rates.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/machine/unit_choice.hpp"
#include "taskflows/fmm/plan/plan.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "taskflows/fmm/tree/tree_choice.hpp"

namespace asterism::fmm {

/// GPU streams, where neither options nor STARPU_NWORKER_PER_CUDA say how many.
inline constexpr int default_streams = 2;

struct PlanRequest {
  const Problem& problem;
  const Particles& particles;  ///< of this rank
  TreeKind tree = TreeKind::automatic;
  double evaluations = 1;             ///< that are to come
  std::optional<UnitCounts> units{};  ///< as expected_units
  bool open = false;                  ///< units may be left out
  bool keep_gpus = false;             ///< GPUs stay, whatever it takes to start them
  bool direct = true;                 ///< all pairs may be summed
  MeasureStart measure_start{};       ///< of GPUs; empty: a known start counts, or least_start_of_gpus
  int vectors = 1;                    ///< of charges that cores evaluate together
};

/// The plan, and the rates that it was made from (none for all pairs). Sets the costs of pairs in `options`, whose
/// shape and sources are as wanted. `measure` is called where rates are not kept; what it returns is.
struct ChosenPlan {
  Plan plan;
  std::vector<UnitRates> rates;
};
ChosenPlan choose_plan(const PlanRequest& request, Options& options,
                       const std::function<std::vector<UnitRates>(Pairs)>& measure);

}  // namespace asterism::fmm
