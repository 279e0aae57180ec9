// The group tree (Agullo et al., SIAM J. Sci. Comput. 36, 2014; section 2.2 of RR-8513): an octree of uniform depth
// without its empty cells, whose cells are taken in Morton order, n_g at a time, into groups. A group is what a task
// works on. Pure structure: no particle data, no StarPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codelets/fmm/far_field.hpp"
#include "taskflows/runtime/array.hpp"

namespace asterism::fmm {

/// The cube that the tree divides.
struct Box {
  double x = 0, y = 0, z = 0;  ///< lower corner
  double width = 1;            ///< of its sides
};

/// Smallest cube, slightly enlarged, around all points; of width 1 around a single place.
Box bounding_box(std::span<const double> x, std::span<const double> y, std::span<const double> z);

/// How the M2L interactions of a group are made into tasks.
enum class FarTasks {
  joined,    ///< one task: the matrix products have as many columns as there can be, which GPUs need
  separate,  ///< the paper's: one task within the group and one with all others
};

struct TreeShape {
  int height = 0;      ///< h: levels 0 .. h - 1, leaves at level h - 1; 1 .. 21
  int group_size = 0;  ///< n_g: cells per group
  FarTasks far_tasks = FarTasks::joined;
};
inline constexpr int max_height = 21;

/// Cells [first, first + cells) of a level.
struct Group {
  std::int32_t first = 0;
  std::int32_t cells = 0;
};

/// Families of a child group whose parents are in one group of the level above.
struct FamilyRange {
  std::int32_t parent_group;
  std::int32_t begin, end;  ///< in the child group's families
};

/// Where the sources of an M2L task come from, and its interactions.
struct M2LTask {
  std::vector<std::int32_t> source_groups;
  std::vector<std::int32_t> begin;  ///< [direction][tiles + 1]
  std::vector<M2LPair> pairs;
};

struct Level {
  std::vector<std::uint64_t> key;  ///< Morton index of each cell, increasing
  std::vector<CellIndex> index;
  std::vector<Group> groups;
  std::vector<std::vector<std::int32_t>> rank;          ///< per group: its cells' places in octant-major order
  std::vector<std::vector<Family>> families;            ///< per group: its cells under their parents
  std::vector<std::vector<FamilyRange>> parent_groups;  ///< per group
  std::vector<std::vector<M2LTask>> far;                ///< per group: its interactions, see FarTasks
};
/// Groups that an M2L task takes multipoles from; a group with more gets more tasks.
inline constexpr std::size_t max_sources = 200;

/// Near field of one group of leaves: its leaves and copies of neighbour leaves of higher Morton index (section 3.1.1).
struct NearSet {
  std::vector<std::int32_t> ghosts;  ///< leaves of the level, increasing
  std::vector<std::int32_t> begin;   ///< own leaves and ghosts: first particle of each within the set, and the end
  std::vector<std::int32_t> upper_begin, upper, source_begin, source;  ///< as P2PSet
  std::int64_t pairs = 0;                                              ///< unordered pairs of particles
};

/// Particles that another group computed for copies of this group's leaves.
struct Contribution {
  std::int32_t from;  ///< first particle in the other group's set
  std::int32_t to;    ///< first particle in this group
  std::int32_t count;
};
struct Contributor {
  std::int32_t group;
  std::vector<Contribution> parts;
};

/// What an update found.
enum class Change {
  none,       ///< every particle is still in its leaf
  particles,  ///< the non-empty leaves are the same: groups, families and far interactions were kept, near sets are new
  cells,      ///< some leaf became empty or ceased to be: everything is new
};

class Tree {
 public:
  /// Sorts the points into leaves and finds who interacts with whom. Throws Error (bad input) for a bad shape and for
  /// points outside the box.
  Tree(std::span<const double> x, std::span<const double> y, std::span<const double> z, const Box& box,
       const TreeShape& shape);

  /// The same for points that moved within the box.
  Change update(std::span<const double> x, std::span<const double> y, std::span<const double> z);

  [[nodiscard]] const Box& box() const noexcept { return box_; }
  [[nodiscard]] const TreeShape& shape() const noexcept { return shape_; }
  [[nodiscard]] int leaf_level() const noexcept { return shape_.height - 1; }
  /// Far interactions begin at level 2: there is no far field when the leaves are above.
  [[nodiscard]] bool has_far_field() const noexcept { return leaf_level() >= first_far_level; }
  static constexpr int first_far_level = 2;
  [[nodiscard]] const Level& level(int l) const { return levels_[static_cast<std::size_t>(l)]; }
  [[nodiscard]] const Level& leaves() const { return levels_.back(); }
  /// The cells of a level in space.
  [[nodiscard]] Grid grid(int l) const noexcept;

  /// Input index of each particle in the order of the tree.
  [[nodiscard]] const Array<std::uint32_t>& order() const noexcept { return order_; }
  /// First particle of each leaf in that order, and the end.
  [[nodiscard]] const std::vector<std::int64_t>& leaf_begin() const noexcept { return leaf_begin_; }
  [[nodiscard]] const NearSet& near(std::size_t group) const { return near_[group]; }
  [[nodiscard]] const std::vector<Contributor>& contributors(std::size_t group) const { return contributors_[group]; }

  [[nodiscard]] std::int64_t near_pairs() const;  ///< unordered pairs of particles
  [[nodiscard]] std::int64_t far_pairs() const;   ///< pairs of cells, all levels

 private:
  struct Keyed {
    std::uint64_t key;
    std::uint32_t index;
    auto operator<=>(const Keyed&) const = default;
  };
  [[nodiscard]] std::uint64_t key_of(double x, double y, double z) const;
  void take_order(std::span<const Keyed> sorted);
  void build_levels();
  void build_far(Level& level, const Level& parents, const std::vector<std::int32_t>& parent_neighbours,
                 const std::vector<std::int32_t>& children) const;
  void build_near();

  Box box_;
  TreeShape shape_;
  std::vector<Level> levels_;
  Array<std::uint64_t> keys_;  ///< leaf of each particle in the order of the tree
  Array<std::uint32_t> order_;
  std::vector<std::int64_t> leaf_begin_;
  std::vector<std::int32_t> neighbours_;  ///< 27 per leaf, itself in the middle, -1 where there is none
  std::vector<NearSet> near_;
  std::vector<std::vector<Contributor>> contributors_;
};

}  // namespace asterism::fmm
