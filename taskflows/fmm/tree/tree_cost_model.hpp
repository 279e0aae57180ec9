// SPDX-License-Identifier: Apache-2.0
// Height of the tree and cells per group from a cost model fed by measured kernel rates.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/session.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// Seconds that one unit of a kind takes; infinite for what it does not run.
struct UnitRates {
  int units = 0;         ///< of this kind
  double near_pair = 0;  ///< per unordered pair of particles; rates_apart(): per pair of a source and a target
  double far_pair = 0;   ///< per pair of cells (M2L)
  double particle = 0;   ///< P2M and L2P per particle
  double cell = 0;       ///< M2M and L2L per cell
  bool gpu = false;
  double one_way_pair = 0;  ///< per pair of a source and a target that are apart; 0: not measured
};

/// The rates of particles of which the sources act on the targets alone: their near pairs are one way.
std::vector<UnitRates> rates_apart(std::vector<UnitRates> kinds);

/// The rates of several vectors of charges that cores evaluate together: a near pair takes much less time than one for
/// each of them, a far pair little less. One after the other with GPUs: their rates are those of one.
std::vector<UnitRates> rates_together(std::vector<UnitRates> kinds, int vectors);

/// The work of one evaluation at some height, estimated from a sample of the cells. Where sources and targets are
/// apart, near pairs are of a source and a target, far pairs those of a cell with sources and one with targets, and a
/// particle and a cell that are no more than one of both count half.
struct Workload {
  int height = 0;
  double leaves = 0, cells = 0, near_pairs = 0, far_pairs = 0, particles = 0;
};

/// Work at heights 1 .. most, from the particles' Morton indices; of those of all ranks with Ranks::any, whose answers
/// are the same. With `sources`, on one rank, the first so many particles act on the others alone.
std::vector<Workload> estimate_workloads(const Particles& particles, const Box& box, int most, Ranks ranks,
                                         std::optional<std::size_t> sources = {});

/// Time of an evaluation when near and far field are divided ideally among the units, of which no more work than there
/// are leaves.
double predicted_seconds(const Workload& work, const std::vector<UnitRates>& kinds);

/// Cells per group for a tree with this work on units of these kinds: some groups for each unit, and tasks that are not
/// too short.
int suitable_group_size(const Workload& work, const std::vector<UnitRates>& kinds);

/// A tree for units of some kinds, and the predicted time of an evaluation.
struct ChosenTree {
  TreeShape shape;
  double seconds = 0;
  Workload load;
};
/// How far cores can relieve GPUs of the near field of a tree: all of them computing pieces for as long as the GPUs
/// compute the rest. No pieces where that would bring less than it costs.
struct Relief {
  NearPieces pieces;
  double seconds = 0;  ///< predicted, of an evaluation
};
Relief relief_by_cores(const ChosenTree& tree, const UnitRates& cores, const UnitRates& gpus);

/// The fastest uniform tree among those with these workloads; completes the members of `wanted` that are 0.
ChosenTree best_uniform_tree(const TreeShape& wanted, const std::vector<Workload>& loads,
                             const std::vector<UnitRates>& kinds);

/// As best_uniform_tree(), with TreeShape::widening where leaves between the sizes of two heights are predicted to make
/// the evaluation faster by more than some per cent. Their work is estimated as a power of their width that gives the
/// work at both heights. No widening where `wanted` has a height.
ChosenTree best_widened_tree(const TreeShape& wanted, const std::vector<Workload>& loads,
                             const std::vector<UnitRates>& kinds);

}  // namespace asterism::fmm
