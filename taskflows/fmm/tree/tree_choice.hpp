// SPDX-License-Identifier: Apache-2.0
// Whether a tree is uniform or adaptive, and the most particles of a leaf of an adaptive one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "taskflows/fmm/tree/tree_cost_model.hpp"

namespace asterism::fmm {

enum class TreeKind {
  automatic,  ///< adaptive where particles are clustered and the cost model says that it pays; else uniform
  uniform,    ///< all leaves on one level
  adaptive,   ///< leaves of at most TreeShape::leaf_size particles on several levels
};

/// The particles in cells of finest_level (adaptive_cells.hpp), all of one rank.
std::vector<LeafCount> finest_counts(const Particles& particles, const Box& box);
/// The first `sources` of the particles, in each of those cells.
std::vector<std::int64_t> finest_sources(const std::vector<LeafCount>& finest, const Particles& particles,
                                         const Box& box, std::size_t sources);

/// The work of an evaluation with an adaptive tree of at most `height` levels: counted on the tree itself, but for the
/// far pairs, which are estimated from a sample of its cells. Workload::height is that of the tree. `sources`,
/// `periodic`: as of adaptive_levels().
Workload adaptive_workload(const std::vector<LeafCount>& finest, int height, int leaf_size,
                           const std::vector<std::int64_t>& sources = {}, int periodic = 0);

/// How unevenly particles are distributed, from a sample of them: the mean number of particles in the cell of a
/// particle, over the mean number in a cell that is not empty, on a level where that is about 8. 1.1 for a cube, 1.5
/// for a surface, 5 and more for star clusters.
double clustering(const Particles& particles, const Box& box);

/// Whether a choice depends on rates of the units.
bool needs_rates(TreeKind kind, const TreeShape& shape);

/// Trees for some particles: what is counted of the particles serves the choices for several sets of units.
class TreeChoice {
 public:
  /// A given `leaf_size` means an adaptive tree, a given `height` without it a uniform one, where the kind is
  /// automatic. `particles` have to outlive this. Throws Error (bad input) for an adaptive tree over several ranks, and
  /// for a `leaf_size` of a uniform tree.
  /// With `sources`, on one rank, the first so many particles act on the others alone. `vectors`: of charges that are
  /// evaluated together.
  TreeChoice(TreeKind kind, const TreeShape& wanted, const Particles& particles, const Box& box, Ranks ranks,
             std::optional<std::size_t> sources = {}, int vectors = 1);

  /// The fastest tree for units of these kinds: completes the members of the wanted shape that are 0.
  [[nodiscard]] ChosenTree best(const std::vector<UnitRates>& kinds);

 private:
  [[nodiscard]] ChosenTree uniform(const std::vector<UnitRates>& kinds);
  [[nodiscard]] ChosenTree adaptive(const std::vector<UnitRates>& kinds);

  TreeShape wanted_;
  const Particles& particles_;
  Box box_;
  Ranks ranks_;
  std::optional<std::size_t> sources_;
  int vectors_;
  bool always_adaptive_ = false;
  bool maybe_adaptive_ = false;
  std::vector<Workload> loads_;    ///< of uniform trees, once they are needed
  std::vector<LeafCount> finest_;  ///< once adaptive trees are considered
  std::vector<std::int64_t> finest_sources_;
  std::map<int, Workload> adaptive_loads_;  ///< of trees looked at, by leaf size
};

}  // namespace asterism::fmm
