// SPDX-License-Identifier: Apache-2.0
// The group tree (Agullo et al., SIAM J. Sci. Comput. 36, 2014; section 2.2 of RR-8513): an octree of uniform depth
// without its empty cells, whose cells are taken in Morton order, n_g at a time, into groups. A group is what a task
// works on. Pure structure: no particle data, no StarPU. Over several ranks each knows all cells, and the
// interactions of its own groups.
// An adaptive tree (adaptive_cells.hpp) has leaves on several levels. Cells of a level that have children and those
// that are leaves are then in different groups, so that a group of leaves has leaves of one level: to each operator it
// looks like one of a uniform tree. Leaves are numbered level after level, and so are their groups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "codelets/fmm/kernels/far/far_field.hpp"
#include "taskflows/fmm/tree/adaptive_cells.hpp"
#include "taskflows/fmm/tree/box.hpp"
#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/tree/neighbours.hpp"

namespace asterism::fmm {

/// How the M2L interactions of a group are made into tasks.
enum class FarTasks {
  joined,    ///< one task: the matrix products have as many columns as there can be, which GPUs need
  separate,  ///< the paper's: one task within the group and one with all others
};

struct TreeShape {
  int height = 0;      ///< h: levels 0 .. h - 1, leaves at level h - 1; 1 .. 21
  int group_size = 0;  ///< n_g: cells per group
  FarTasks far_tasks = FarTasks::joined;
  /// Most particles of a leaf of an adaptive tree, of which `height` is the largest number of levels; 0: a uniform
  /// tree.
  int leaf_size = 0;
  /// The first so many of x, y, z are periodic, with the width of the tree's box.
  int periodic = 0;
  /// Widening of the cube around the points that the tree divides, where no box is given: 1 to 2, between which the
  /// leaves of a uniform tree have any size.
  double widening = 1;
  [[nodiscard]] bool adaptive() const noexcept { return leaf_size > 0; }
};
inline constexpr int max_height = 21;
/// Throws Error (bad input).
void check_shape(const TreeShape& shape);

/// Cells [first, first + cells) of a level.
struct Group {
  std::int32_t first = 0;
  std::int32_t cells = 0;
};

/// Families of a child group whose parents are in one group of the level above.
struct FamilyRange {
  std::int32_t parent_group;
  std::int32_t begin, end;  ///< in the child group's families
  bool first = false;       ///< no group before this one has children of that group of parents that act
  bool acts = true;         ///< whether any of the children act, and whether any are acted on
  bool receives = true;
};

/// Where the sources of an M2L task come from, and its interactions.
struct M2LTask {
  std::vector<std::int32_t> source_groups;
  std::vector<std::int32_t> begin;  ///< [direction][tiles + 1]
  std::vector<M2LPair> pairs;
};

struct Level {
  /// Morton index of each cell: those of cells with children come first, then those of leaves, each increasing.
  std::vector<std::uint64_t> key;
  std::vector<CellIndex> index;
  std::int32_t inner = 0;     ///< cells with children
  std::vector<Group> groups;  ///< of cells with children, then of leaves
  std::int32_t inner_groups = 0;
  std::vector<std::vector<std::int32_t>> rank;  ///< per own group: its cells' places in octant-major order
  /// per own group and child group of an own one: its cells under their parents, and which groups have these
  std::vector<std::vector<Family>> families;
  std::vector<std::vector<FamilyRange>> parent_groups;
  std::vector<std::vector<M2LTask>> far;  ///< per own group: its interactions, see FarTasks

  /// Where sources and targets are apart: whether each cell, and each group, has any; else empty, for all have.
  std::vector<char> sources, targets, group_sources, group_targets;
  [[nodiscard]] bool has_sources(std::int32_t cell) const { return has(sources, cell); }
  [[nodiscard]] bool has_targets(std::int32_t cell) const { return has(targets, cell); }
  [[nodiscard]] bool acts(std::int32_t group) const { return has(group_sources, group); }
  [[nodiscard]] bool receives(std::int32_t group) const { return has(group_targets, group); }

  [[nodiscard]] std::int32_t group_of(std::int32_t cell, int group_size) const {
    return cell < inner ? cell / group_size : inner_groups + (cell - inner) / group_size;
  }

 private:
  [[nodiscard]] static bool has(const std::vector<char>& any, std::int32_t i) {
    return any.empty() || any[static_cast<std::size_t>(i)] != 0;
  }
};
/// A group of leaves among the groups of its level.
struct LeafGroup {
  int level;
  std::int32_t group;
};
/// Groups that an M2L task takes multipoles from; a group with more gets more tasks.
inline constexpr std::size_t max_sources = 200;

/// The first leaves, with a share of the near field, divided into pieces that a CPU core computes beside GPUs: their
/// P2P tasks are smaller than those of groups that suit a GPU.
struct NearPieces {
  double share = 0;  ///< of the pairs of the near field
  int count = 0;     ///< pieces of about as many pairs each
};

/// Near field of some leaves, those of a group or of a piece of it: these leaves and copies of neighbour leaves of
/// higher Morton index (section 3.1.1). Where sources and targets are apart: the targets of these leaves, and as ghosts
/// the sources of all their neighbours and of themselves.
struct NearSet {
  std::vector<std::int32_t> ghosts;  ///< leaves of the level, increasing; of periodic trees, image after image
  /// Image of each ghost: displaced by image_of() box widths; empty: no tree is periodic.
  std::vector<std::int8_t> image;
  std::vector<std::int32_t> begin;  ///< own leaves and ghosts: first particle of each within the set, and the end
  std::vector<std::int32_t> upper_begin, upper, source_begin, source;  ///< as P2PSet
  /// Where sources and targets are apart: the place in the set of the first own leaf's sources, before the others'.
  std::int32_t own_sources = 0;
  std::int64_t pairs = 0;  ///< unordered pairs of particles; pairs of a source and a target where these are apart
};

/// Displacement of an image in box widths along x, y and z, each -1, 0 or 1: of two opposite images the one is used
/// whose first displacement is positive, numbers 1 .. 13, but where sources and targets are apart both are, -13 .. 13.
/// Image 0: none.
struct Displacement {
  int x, y, z;
};
[[nodiscard]] constexpr Displacement image_of(int image) {
  const int place = image + 13;
  return {place / 9 - 1, place / 3 % 3 - 1, place % 3 - 1};
}

/// Particles of a group for which a near set that is not the group's whole one was computed.
struct Contribution {
  std::int32_t from;  ///< first particle in that set
  std::int32_t to;    ///< first particle in this group
  std::int32_t count;
};
struct Contributor {
  std::int32_t near_set;
  std::vector<Contribution> parts;
  int image = 0;  ///< all are copies in this image, in which a particle is once
};

/// A leaf that is copied to a near set, in an image.
struct Ghost {
  int image;
  std::int32_t leaf;
  auto operator<=>(const Ghost&) const = default;
};
/// What a group of another rank computes for leaves of this one: it sends the particles of these leaves, one leaf after
/// the other, and the `from` of its contributions counts in them. Of a lower rank, but for images.
struct NearIn {
  std::int32_t group;
  std::vector<Ghost> ghosts;  ///< increasing
  std::int32_t particles = 0;
};
/// Particles of a group's set that it has to send: all its ghosts of that rank, in order; those of one image are side
/// by side.
struct NearOut {
  struct Part {
    std::int32_t first, count;
  };
  int rank;
  std::vector<Part> parts;
  std::int32_t count;
};

/// The result of an update.
enum class Change {
  none,       ///< every particle is still in its leaf
  particles,  ///< the non-empty leaves are the same: groups, families and far interactions were kept, near sets are new
  cells,      ///< some leaf became empty or ceased to be: everything is new
};

class Tree {
 public:
  /// Sorts the points into leaves and finds who interacts with whom. Throws Error (bad input) for a bad shape and for
  /// points outside the box. With `sources`, sources and targets are apart: the first so many points act, at least one,
  /// and the others are acted on, at least one.
  Tree(std::span<const double> x, std::span<const double> y, std::span<const double> z, const Box& box,
       const TreeShape& shape, const NearPieces& pieces = {}, std::optional<std::size_t> sources = {});
  /// What rank `rank` knows of a tree with these leaves, when rank r has the groups of leaves [first_group[r],
  /// first_group[r + 1]), and of a level above those with the first leaf of which it has; the same when all is one
  /// rank's.
  Tree(Leaves leaves, const Box& box, const TreeShape& shape, std::vector<std::int32_t> first_group, int rank);

  /// Sorts points that moved within the box, and adapts what has changed.
  Change update(std::span<const double> x, std::span<const double> y, std::span<const double> z);
  /// Takes other numbers of particles in the same leaves.
  void update(const std::vector<std::int64_t>& leaf_begin);

  [[nodiscard]] const Box& box() const noexcept { return box_; }
  [[nodiscard]] const TreeShape& shape() const noexcept { return shape_; }
  /// The deepest level; of a uniform tree, that of all leaves.
  [[nodiscard]] int leaf_level() const noexcept { return shape_.height - 1; }
  /// Far interactions begin at level 2, those of periodic trees at the root: there is no far field when the leaves are
  /// above.
  [[nodiscard]] bool has_far_field() const noexcept { return leaf_level() >= top_level(); }
  static constexpr int first_far_level = 2;
  [[nodiscard]] int top_level() const noexcept { return shape_.periodic > 0 ? 0 : first_far_level; }
  [[nodiscard]] const Level& level(int l) const { return levels_[static_cast<std::size_t>(l)]; }
  /// The level that has all leaves of a uniform tree.
  [[nodiscard]] const Level& leaves() const { return levels_.back(); }
  /// Groups of leaves of all levels: their number, those of this rank, their places, and the leaves of one.
  [[nodiscard]] std::int32_t leaf_groups() const noexcept { return first_leaf_group_.back(); }
  [[nodiscard]] Range own_leaf_groups() const;
  [[nodiscard]] LeafGroup leaf_group(std::int32_t group) const;
  [[nodiscard]] std::int32_t number_of(const LeafGroup& place) const {
    return first_leaf_group_[static_cast<std::size_t>(place.level)] + place.group - level(place.level).inner_groups;
  }
  [[nodiscard]] Range leaves_of_group(std::int32_t group) const;
  [[nodiscard]] std::int32_t group_of_leaf(std::int32_t leaf) const;
  /// Particles of a group of leaves, as places in order().
  [[nodiscard]] std::int64_t first_particle(std::int32_t group) const {
    return leaf_begin_[static_cast<std::size_t>(leaves_of_group(group).begin)];
  }
  /// The cells of a level in space.
  [[nodiscard]] Grid grid(int l) const noexcept;

  /// Groups of this rank, and the rank of any.
  [[nodiscard]] Range own(int l) const { return groups_of(l, rank_); }
  [[nodiscard]] Range groups_of(int l, int rank) const;
  [[nodiscard]] int owner(int l, std::int32_t group) const;
  [[nodiscard]] Range own_leaves() const;
  [[nodiscard]] int ranks() const { return static_cast<int>(first_group_.back().size()) - 1; }
  /// Groups of level l + 1 with children of these of level l.
  [[nodiscard]] Range child_groups(int l, const Range& groups) const;

  /// Input index of each particle in the order of the tree; of a tree made from leaves: none.
  [[nodiscard]] const Array<std::uint32_t>& order() const noexcept { return order_; }
  /// First particle of each leaf in that order, and the end.
  [[nodiscard]] const std::vector<std::int64_t>& leaf_begin() const noexcept { return leaf_begin_; }
  /// Whether sources and targets are apart. Those of a leaf are side by side in that order, its sources first.
  [[nodiscard]] bool apart() const noexcept { return sources_.has_value(); }
  /// Targets before each leaf, and all: leaf_begin() where every particle is one.
  [[nodiscard]] const std::vector<std::int64_t>& target_begin() const noexcept {
    return apart() ? target_begin_ : leaf_begin_;
  }
  [[nodiscard]] std::int64_t targets_of(std::int32_t leaf) const {
    const auto i = static_cast<std::size_t>(leaf);
    return target_begin()[i + 1] - target_begin()[i];
  }
  [[nodiscard]] std::int64_t sources_of(std::int32_t leaf) const {
    const auto i = static_cast<std::size_t>(leaf);
    return leaf_begin_[i + 1] - leaf_begin_[i] - (apart() ? targets_of(leaf) : 0);
  }
  /// Near sets: one for each group of leaves, with the number of the group; or, with pieces, several for the first
  /// groups, the first near_pieces() of which are pieces.
  [[nodiscard]] const NearSet& near(std::size_t near_set) const { return near_[near_set]; }
  [[nodiscard]] std::size_t near_sets() const noexcept { return near_.size(); }
  [[nodiscard]] std::int32_t near_pieces() const noexcept { return pieces_; }
  /// Near sets of a group, and the leaves of one.
  [[nodiscard]] Range near_sets_of(std::int32_t group) const;
  [[nodiscard]] Range leaves_of_near_set(std::int32_t near_set) const {
    const auto n = static_cast<std::size_t>(near_set);
    return {first_near_leaf_[n], first_near_leaf_[n + 1]};
  }
  /// The near sets that were computed for a group, but for the only one of a group that is not divided, by their
  /// numbers; of groups of other ranks, `parts` count as NearIn says.
  [[nodiscard]] const std::vector<Contributor>& contributors(std::size_t group) const { return contributors_[group]; }
  /// Near results that come from other ranks, by group, increasing.
  [[nodiscard]] const std::vector<NearIn>& near_in() const noexcept { return near_in_; }
  /// Near results of a group for other ranks, by rank, increasing.
  [[nodiscard]] const std::vector<NearOut>& near_out(std::size_t group) const { return near_out_[group]; }
  /// Leaves of other ranks that are ghosts of own groups, increasing.
  [[nodiscard]] const std::vector<std::int32_t>& foreign_ghosts() const noexcept { return foreign_ghosts_; }
  /// Own leaves that are ghosts of groups of a rank, increasing.
  [[nodiscard]] std::vector<std::int32_t> ghosts_of(int rank) const;

  // of own groups
  [[nodiscard]] std::int64_t near_pairs() const;  ///< as NearSet::pairs
  [[nodiscard]] std::int64_t far_pairs() const;   ///< pairs of cells, all levels

 private:
  void take_order(std::span<const Keyed> sorted);
  void build_levels();
  void number_leaves();
  void share_levels();
  // adaptive trees
  void build_adaptive(std::span<const Keyed> sorted);
  void build_partners(const std::vector<AdaptiveLevel>& cells);
  // both kinds of trees
  template <class Take>
  void for_partners(std::int32_t leaf, const Take& take) const;
  void make_families(int l);
  void build_far(Level& level, const Range& own, const Level& parents, const Neighbours& above,
                 const std::vector<std::int32_t>& children) const;
  void build_near();
  void divide_near();
  void build_near_set(std::int32_t near_set);
  template <class Take>
  void for_images(std::int32_t leaf, const Take& take) const;
  // apart.cpp
  void separate_points();
  void mark_cells();
  void build_apart_near_set(std::int32_t near_set);
  // periodic.cpp
  void build_lattice();
  void build_periodic_near_set(std::int32_t near_set);
  // near_messages.cpp
  void build_contributors();
  void build_near_messages();

  Box box_;
  TreeShape shape_;
  std::vector<Level> levels_;
  Array<std::uint64_t> keys_;  ///< leaf of each particle in the order of the tree
  Array<std::uint32_t> order_;
  std::vector<std::int64_t> leaf_begin_;
  std::optional<std::size_t> sources_;
  std::vector<std::int64_t> target_begin_;
  int rank_ = 0;
  std::vector<std::vector<std::int32_t>> first_group_;  ///< [level][rank], and the end; before levels: of the leaves
  std::vector<std::int32_t> first_leaf_, first_leaf_group_;  ///< [level]: number of its first one, and the end
  Neighbours neighbours_;                                    ///< of own leaves of a uniform tree
  /// The leaves that each leaf of an adaptive tree interacts with directly, itself included.
  std::vector<std::size_t> partner_begin_;
  std::vector<std::int32_t> partner_;
  std::vector<std::int8_t> partner_image_;  ///< of a periodic tree: in which image, see image_of()
  NearPieces wanted_pieces_;
  std::int32_t pieces_ = 0;
  std::vector<std::int32_t> first_near_leaf_;  ///< [near set], and the end
  std::vector<NearSet> near_;
  std::vector<std::vector<Contributor>> contributors_;
  std::vector<NearIn> near_in_;
  std::vector<std::vector<NearOut>> near_out_;
  std::vector<std::int32_t> foreign_ghosts_;
};

/// The image in which a cell of a level is whose place would be (x, y, z): 0 within the box.
[[nodiscard]] inline int image_at(int level, int x, int y, int z) {
  const auto beyond = [&](int place) { return place < 0 ? -1 : place >> level > 0 ? 1 : 0; };
  return beyond(x) * 9 + beyond(y) * 3 + beyond(z);
}

/// @cond private
// Calls take(image, other) for the leaves that interact directly with a leaf, itself included.
template <class Take>
void Tree::for_images(std::int32_t leaf, const Take& take) const {
  if (shape_.adaptive()) {
    const auto i = static_cast<std::size_t>(leaf);
    for (std::size_t p = partner_begin_[i]; p < partner_begin_[i + 1]; ++p)
      take(partner_image_.empty() ? 0 : static_cast<int>(partner_image_[p]), partner_[p]);
    return;
  }
  const CellIndex& at = leaves().index[static_cast<std::size_t>(leaf)];
  for (int m = 0; m < 27; ++m)
    if (const std::int32_t other = neighbours_.of(leaf)[m]; other >= 0)
      take(image_at(leaf_level(), at.x + m / 9 - 1, at.y + m / 3 % 3 - 1, at.z + m % 3 - 1), other);
}
/// @endcond

}  // namespace asterism::fmm
