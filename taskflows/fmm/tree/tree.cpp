// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/tree/tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <parallel/algorithm>

#include "base/error.hpp"
#include "taskflows/fmm/tree/morton.hpp"

namespace asterism::fmm {
namespace {

void make_groups(Level& level, int group_size) {
  const auto cells = static_cast<std::int32_t>(level.key.size());
  level.inner_groups = (level.inner + group_size - 1) / group_size;
  for (const Range& kind : {Range{0, level.inner}, Range{level.inner, cells}})
    for (std::int32_t first = kind.begin; first < kind.end; first += group_size)
      level.groups.push_back({first, std::min(group_size, kind.end - first)});
}

void take_keys(Level& level, std::vector<std::uint64_t> keys, std::int32_t inner, int group_size) {
  level.key = std::move(keys);
  level.inner = inner;
  level.index.resize(level.key.size());
  std::transform(level.key.begin(), level.key.end(), level.index.begin(), cell_of);
  make_groups(level, group_size);
}

void rank_cells(Level& level, const Range& own) {
  level.rank.resize(level.groups.size());
  for (auto g = static_cast<std::size_t>(own.begin); g < static_cast<std::size_t>(own.end); ++g) {
    const Group& group = level.groups[g];
    auto& rank = level.rank[g];
    rank.resize(static_cast<std::size_t>(group.cells));
    std::int32_t next = 0;
    for (int octant = 0; octant < 8; ++octant)
      for (std::int32_t c = 0; c < group.cells; ++c)
        if (octant_of(level.index[static_cast<std::size_t>(group.first + c)]) == octant)
          rank[static_cast<std::size_t>(c)] = next++;
  }
}

/// Cells of groups.
Range cells_of(const Level& level, const Range& groups) {
  if (groups.empty()) return {};
  const Group& last = level.groups[static_cast<std::size_t>(groups.end) - 1];
  return {level.groups[static_cast<std::size_t>(groups.begin)].first, last.first + last.cells};
}

}  // namespace

Grid Tree::grid(int l) const noexcept {
  return {box_.x, box_.y, box_.z, std::ldexp(box_.width, -l)};
}

Range Tree::groups_of(int l, int rank) const {
  const auto& first = first_group_[static_cast<std::size_t>(l)];
  return {first[static_cast<std::size_t>(rank)], first[static_cast<std::size_t>(rank) + 1]};
}

Range Tree::own_leaves() const {
  return cells_of(leaves(), own(leaf_level()));
}

int Tree::owner(int l, std::int32_t group) const {
  const auto& first = first_group_[static_cast<std::size_t>(l)];
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), group) - first.begin()) - 1;
}

Range Tree::own_leaf_groups() const {
  return ranks() > 1 ? own(leaf_level()) : Range{0, leaf_groups()};
}

LeafGroup Tree::leaf_group(std::int32_t group) const {
  const auto next = std::upper_bound(first_leaf_group_.begin(), first_leaf_group_.end(), group);
  const auto l = static_cast<int>(next - first_leaf_group_.begin()) - 1;
  return {l, level(l).inner_groups + group - first_leaf_group_[static_cast<std::size_t>(l)]};
}

Range Tree::leaves_of_group(std::int32_t group) const {
  const auto [l, number] = leaf_group(group);
  const Group& cells = level(l).groups[static_cast<std::size_t>(number)];
  const std::int32_t first = first_leaf_[static_cast<std::size_t>(l)] + cells.first - level(l).inner;
  return {first, first + cells.cells};
}

std::int32_t Tree::group_of_leaf(std::int32_t leaf) const {
  const auto next = std::upper_bound(first_leaf_.begin(), first_leaf_.end(), leaf);
  const auto l = static_cast<std::size_t>(next - first_leaf_.begin()) - 1;
  return first_leaf_group_[l] + (leaf - first_leaf_[l]) / shape_.group_size;
}

Range Tree::near_sets_of(std::int32_t group) const {
  const Range leaves = leaves_of_group(group);
  const auto place = [&](std::int32_t leaf) {
    return static_cast<std::int32_t>(std::lower_bound(first_near_leaf_.begin(), first_near_leaf_.end(), leaf) -
                                     first_near_leaf_.begin());
  };
  return {place(leaves.begin), place(leaves.end)};
}

/// Leaves and groups of leaves, level after level.
void Tree::number_leaves() {
  first_leaf_.assign(1, 0);
  first_leaf_group_.assign(1, 0);
  for (const Level& level : levels_) {
    first_leaf_.push_back(first_leaf_.back() + static_cast<std::int32_t>(level.key.size()) - level.inner);
    first_leaf_group_.push_back(first_leaf_group_.back() + static_cast<std::int32_t>(level.groups.size()) -
                                level.inner_groups);
  }
}

Range Tree::child_groups(int l, const Range& groups) const {
  if (groups.empty()) return {};
  if (shape_.adaptive()) return {0, static_cast<std::int32_t>(level(l + 1).groups.size())};
  const Range cells = cells_of(level(l), groups);
  const std::vector<std::uint64_t>& parents = level(l).key;
  const std::vector<std::uint64_t>& keys = level(l + 1).key;
  const auto group_before = [&](std::uint64_t parent) {  // the group of the last child of parents before this one
    const auto cell = std::lower_bound(keys.begin(), keys.end(), parent << 3) - keys.begin();
    return static_cast<std::int32_t>((cell - 1) / shape_.group_size);
  };
  const auto first =
      std::lower_bound(keys.begin(), keys.end(), parents[static_cast<std::size_t>(cells.begin)] << 3) - keys.begin();
  return {static_cast<std::int32_t>(first / shape_.group_size),
          group_before(parents[static_cast<std::size_t>(cells.end) - 1] + 1) + 1};
}

void check_shape(const TreeShape& shape) {
  if (shape.height < 1 || shape.height > max_height)
    bad_input("tree height {}: expected 1 to {}", shape.height, max_height);
  if (shape.group_size < 1) bad_input("{} cells per group: expected at least 1", shape.group_size);
  if (shape.periodic < 0 || shape.periodic > 3) bad_input("{} periodic directions: expected 0 to 3", shape.periodic);
  if (shape.leaf_size < 0) bad_input("leaves of {} particles: expected at least 1", shape.leaf_size);
  if (shape.group_size >= 1 << source_bits)
    bad_input("{} cells per group: expected less than {}", shape.group_size, 1 << source_bits);
}

Tree::Tree(std::span<const double> x, std::span<const double> y, std::span<const double> z, const Box& box,
           const TreeShape& shape, const NearPieces& pieces, std::optional<std::size_t> sources)
    : box_(box), shape_(shape), sources_(sources), wanted_pieces_(pieces) {
  check_shape(shape);
  if (x.empty()) bad_input("no particles");
  if (sources && (*sources == 0 || *sources >= x.size()))
    bad_input("{} sources among {} points: expected at least one, and at least one target", *sources, x.size());
  if (x.size() > UINT32_MAX) bad_input("{} particles: expected at most {}", x.size(), UINT32_MAX);
  if (shape.adaptive()) {
    build_adaptive(sort_by_cell(box, finest_level, x, y, z));
  } else {
    take_order(sort_by_cell(box, leaf_level(), x, y, z));
    build_levels();
  }
  build_near();
}

Tree::Tree(Leaves leaves, const Box& box, const TreeShape& shape, std::vector<std::int32_t> first_group, int rank)
    : box_(box), shape_(shape), leaf_begin_(std::move(leaves.begin)), rank_(rank) {
  check_shape(shape);
  levels_.resize(static_cast<std::size_t>(shape_.height));
  levels_.back().key = std::move(leaves.key);
  first_group_.assign(1, std::move(first_group));
  build_levels();
  build_near();
}

void Tree::update(const std::vector<std::int64_t>& leaf_begin) {
  leaf_begin_ = leaf_begin;
  build_near();
}

Change Tree::update(std::span<const double> x, std::span<const double> y, std::span<const double> z) {
  if (x.size() != order_.size()) bad_input("{} particles: expected {}, as before", x.size(), order_.size());
  if (shape_.adaptive()) {
    build_adaptive(sort_by_cell(box_, finest_level, x, y, z));
    build_near();
    return Change::cells;
  }
  std::vector<Keyed> stay;
  std::vector<Keyed> move;
  stay.reserve(x.size());
  for (std::size_t s = 0; s < order_.size(); ++s) {
    const std::uint32_t i = order_[s];
    const std::uint64_t key = key_of(box_, leaf_level(), x[i], y[i], z[i]);
    (key == keys_[s] ? stay : move).push_back({key, i});
  }
  if (move.empty()) return Change::none;
  __gnu_parallel::sort(move.begin(), move.end());
  std::vector<Keyed> sorted(x.size());
  std::merge(stay.begin(), stay.end(), move.begin(), move.end(), sorted.begin());
  const std::vector<std::uint64_t> before = leaves().key;
  take_order(sorted);
  const bool changed = apart() || leaves().key != before;
  if (changed) {
    first_group_.clear();
    build_levels();
  }
  build_near();
  return changed ? Change::cells : Change::particles;
}

void Tree::take_order(std::span<const Keyed> sorted) {
  const std::size_t n = sorted.size();
  keys_ = Array<std::uint64_t>(n);
  order_ = Array<std::uint32_t>(n);
  leaf_begin_.clear();
  levels_.resize(static_cast<std::size_t>(shape_.height));
  auto& key = levels_.back().key;
  key.clear();
  for (std::size_t s = 0; s < n; ++s) {
    keys_[s] = sorted[s].key;
    order_[s] = sorted[s].index;
    if (s == 0 || sorted[s].key != sorted[s - 1].key) {
      key.push_back(sorted[s].key);
      leaf_begin_.push_back(static_cast<std::int64_t>(s));
    }
  }
  leaf_begin_.push_back(static_cast<std::int64_t>(n));
  if (apart()) separate_points();
}

void Tree::build_levels() {
  auto keys = keys_of_levels(std::move(levels_.back().key), shape_.height);
  levels_.assign(static_cast<std::size_t>(shape_.height), {});
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const auto inner = static_cast<std::int32_t>(l + 1 < levels_.size() ? keys[l].size() : 0);
    take_keys(levels_[l], std::move(keys[l]), inner, shape_.group_size);
  }
  number_leaves();
  share_levels();
  if (apart()) mark_cells();
  // neighbours are needed of own leaves, and of the parents of own cells
  std::vector<Range> needed(levels_.size());
  needed.back() = own_leaves();
  for (int l = leaf_level() - 1; l >= 0; --l) {
    const Range below = hull(needed[static_cast<std::size_t>(l) + 1], cells_of(level(l + 1), own(l + 1)));
    needed[static_cast<std::size_t>(l)] = parents_of(below, level(l + 1).key, level(l).key);
  }
  neighbours_ = neighbours_of_root(shape_.periodic);
  for (int l = 0; l <= leaf_level(); ++l) rank_cells(levels_[static_cast<std::size_t>(l)], own(l));
  if (shape_.periodic > 0) build_lattice();
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    const std::vector<std::int32_t> children = children_by_octant(levels_[l - 1].key, levels_[l].key);
    const int number = static_cast<int>(l);
    if (number >= std::max(1, top_level())) build_far(levels_[l], own(number), levels_[l - 1], neighbours_, children);
    if (number > top_level()) make_families(number);
    neighbours_ = neighbours_of(needed[l], levels_[l].key, levels_[l - 1].key, neighbours_, children);
  }
}

void Tree::build_adaptive(std::span<const Keyed> sorted) {
  const std::vector<std::int64_t> sources = sources_ ? count_sources(sorted, *sources_) : std::vector<std::int64_t>();
  const std::vector<AdaptiveLevel> cells =
      adaptive_levels(count_leaves(sorted), shape_.height, shape_.leaf_size, sources, shape_.periodic);
  levels_.assign(static_cast<std::size_t>(shape_.height), {});
  first_group_.assign(levels_.size(), {0, 0});
  for (std::size_t l = 0; l < cells.size(); ++l) {
    take_keys(levels_[l], cells[l].key, cells[l].inner, shape_.group_size);
    first_group_[l] = {0, static_cast<std::int32_t>(levels_[l].groups.size())};
    rank_cells(levels_[l], own(static_cast<int>(l)));
  }
  number_leaves();
  order_ = Array<std::uint32_t>(sorted.size());
  leaf_begin_.assign(1, 0);
  std::size_t next = 0;
  for (const AdaptiveLevel& level : cells)
    for (auto leaf = static_cast<std::size_t>(level.inner); leaf < level.key.size(); ++leaf) {
      for (std::int64_t i = level.begin[leaf]; i < level.end[leaf]; ++i)
        order_[next++] = sorted[static_cast<std::size_t>(i)].index;
      leaf_begin_.push_back(static_cast<std::int64_t>(next));
    }
  if (apart()) {
    separate_points();
    mark_cells();
  }
  if (shape_.periodic > 0) build_lattice();
  for (int l = std::max(1, top_level()); l < static_cast<int>(cells.size()); ++l) {
    const AdaptiveLevel& parents = cells[static_cast<std::size_t>(l) - 1];
    build_far(levels_[static_cast<std::size_t>(l)], own(l), levels_[static_cast<std::size_t>(l) - 1],
              parents.neighbours, parents.children);
    if (l > top_level()) make_families(l);
  }
  build_partners(cells);
}

/// A group is its rank's that has the first of its leaves.
void Tree::share_levels() {
  const auto groups = [&](std::size_t l) { return static_cast<std::int32_t>(levels_[l].groups.size()); };
  std::vector<std::int32_t> of_leaves{0, groups(levels_.size() - 1)};
  if (!first_group_.empty()) of_leaves = first_group_.back();
  first_group_.assign(levels_.size(), {});
  for (std::size_t l = 0; l < levels_.size(); ++l)
    for (const std::int32_t first : of_leaves) {
      if (first == 0 || first == of_leaves.back()) {
        first_group_[l].push_back(first == 0 ? 0 : groups(l));
        continue;
      }
      const auto leaf = static_cast<std::size_t>(leaves().groups[static_cast<std::size_t>(first)].first);
      const std::uint64_t before = leaves().key[leaf - 1] >> 3 * (levels_.size() - 1 - l);
      const auto& key = levels_[l].key;
      // cells that have a leaf before that one
      const auto cells = std::upper_bound(key.begin(), key.end(), before) - key.begin();
      first_group_[l].push_back(static_cast<std::int32_t>((cells + shape_.group_size - 1) / shape_.group_size));
    }
}

/// Families of groups of level l, and which of them belong to which group of parents.
void Tree::make_families(int l) {
  Level& level = levels_[static_cast<std::size_t>(l)];
  const Level& parents = levels_[static_cast<std::size_t>(l) - 1];
  level.families.resize(level.groups.size());
  level.parent_groups.resize(level.groups.size());
  const Range needed = hull(own(l), child_groups(l - 1, own(l - 1)));
  const auto end_of_inner = parents.key.begin() + parents.inner;
  std::vector<bool> seen(parents.groups.size(), false);
  for (auto g = static_cast<std::size_t>(needed.begin); g < static_cast<std::size_t>(needed.end); ++g) {
    const Group& group = level.groups[g];
    auto& families = level.families[g];
    auto& ranges = level.parent_groups[g];
    for (std::int32_t c = 0; c < group.cells; ++c) {
      const std::uint64_t key = level.key[static_cast<std::size_t>(group.first + c)] >> 3;
      if (c > 0 && key == level.key[static_cast<std::size_t>(group.first + c - 1)] >> 3) {
        ++families.back().children;
      } else {
        const auto parent =
            static_cast<std::int32_t>(std::lower_bound(parents.key.begin(), end_of_inner, key) - parents.key.begin());
        const std::int32_t parent_group = parent / shape_.group_size;
        const auto number = static_cast<std::int32_t>(families.size());
        families.push_back({parent % shape_.group_size, c, 1});
        if (ranges.empty() || ranges.back().parent_group != parent_group)
          ranges.push_back({parent_group, number, number, false, false, false});
        ++ranges.back().end;
      }
      ranges.back().acts |= level.has_sources(group.first + c);
      ranges.back().receives |= level.has_targets(group.first + c);
    }
    for (FamilyRange& range : ranges) {
      const auto of_parents = static_cast<std::size_t>(range.parent_group);
      range.first = range.acts && !seen[of_parents];
      if (range.acts) seen[of_parents] = true;
    }
  }
}

std::int64_t Tree::near_pairs() const {
  return std::accumulate(near_.begin(), near_.end(), std::int64_t{0},
                         [](std::int64_t sum, const NearSet& set) { return sum + set.pairs; });
}

std::int64_t Tree::far_pairs() const {
  std::int64_t pairs = 0;
  for (const Level& level : levels_) {
    for (const auto& tasks : level.far)
      for (const M2LTask& task : tasks) pairs += static_cast<std::int64_t>(task.pairs.size());
  }
  return pairs;
}

}  // namespace asterism::fmm
