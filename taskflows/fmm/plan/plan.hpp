// SPDX-License-Identifier: Apache-2.0
// Which units evaluate a simulation, and on which tree: a function of the particles and of rates that are measured once
// on a machine and kept, so that a command makes the same choices in every run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/known_rates.hpp"
#include "runtime/session.hpp"
#include "taskflows/fmm/problem.hpp"
#include "taskflows/fmm/tree/tree_cost_model.hpp"

namespace asterism::fmm {

struct Plan {
  TreeShape shape;
  NearPieces pieces;              ///< of the near field, for cores beside GPUs
  std::optional<int> cpus, gpus;  ///< as SessionOptions: 0 where that kind of unit is left out, else as they were
  std::string reason;             ///< one line with figures when units are left out; empty: all take part
  double seconds = 0;             ///< predicted, of an evaluation; 0: not predicted
};

/// Units that a session will have, known before it starts.
struct UnitCounts {
  int cpus = 0;
  int gpus = 0;
};
/// As far as options and environment say how many; else all cores but one for each GPU and one that submits. Nothing
/// over several ranks and on a simulated machine, where a session has to be asked.
std::optional<UnitCounts> expected_units(const SessionOptions& options);

/// Whether the user left the choice of units to the program: neither a number of cores nor a scheduler is given.
bool units_are_open(const SessionOptions& options);
/// Whether the user asked for GPUs by number: then they are not left out.
bool gpus_are_asked_for(const SessionOptions& options);

/// Seconds that GPUs take to start, at least, where that was not measured.
inline constexpr double least_start_of_gpus = 0.1;

/// Seconds that operators and rates of a problem take on so many cores before the first evaluation: a rough estimate.
double measuring_estimate(const Problem& problem, int cores);

/// The plan for so few particles that summing over all pairs, `evaluations` times, takes no longer than GPUs take to
/// start, or than `measuring` where rates are not kept: no tree, no operators, no GPU. Nothing where there are more,
/// and where `wanted` has a height.
/// `pairs`: of a source and a target, where these are apart, of all `particles`.
std::optional<Plan> plan_direct_sum(const TreeShape& wanted, double particles, double evaluations, int cores,
                                    double measuring, std::optional<double> pairs = {});

/// The plan by `rates` (as from measure_rates). `best_tree`: the fastest tree for units of some kinds, of the particles
/// at hand. `open`: units may be left out. `start`: seconds that GPUs take to start, asked for where they may decide.
Plan make_plan(const std::function<ChosenTree(const std::vector<UnitRates>& kinds)>& best_tree,
               const std::vector<UnitRates>& rates, double evaluations, bool open,
               const std::function<double()>& start);

/// Whether near pairs one way have to have a rate.
enum class Pairs { mutual, one_way };
/// The rates of the units of a session for a problem, CPUs first; nothing unless all of them are kept.
std::optional<std::vector<UnitRates>> kept_rates(const KnownRates& known, const Problem& problem,
                                                 const UnitCounts& units, Pairs pairs = Pairs::mutual);
/// Keeps them, rounded, in place.
void keep_rates(KnownRates& known, const Problem& problem, std::vector<UnitRates>& rates);

}  // namespace asterism::fmm
