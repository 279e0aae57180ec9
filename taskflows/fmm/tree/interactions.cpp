// SPDX-License-Identifier: Apache-2.0
// The interactions: the far and near lists of a tree's groups.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "taskflows/fmm/tree/morton.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {
namespace {

struct FarPair {
  std::int32_t direction;
  std::int32_t tile;
  std::uint32_t target;
  std::int32_t source_group;
  std::uint32_t source;  ///< cell of that group
};

/// The task of interactions that come in the order of the targets' ranks: sorted by direction, which keeps that order.
M2LTask make_task(const std::vector<FarPair>& all, std::vector<std::int32_t> source_groups, std::int32_t cells) {
  M2LTask task;
  const std::int32_t tiles = (cells + m2l_tile - 1) / m2l_tile;
  const std::size_t row = static_cast<std::size_t>(tiles) + 1;
  std::vector<std::int32_t> count(static_cast<std::size_t>(directions) * static_cast<std::size_t>(tiles), 0);
  const auto slot = [&](const FarPair& i) {
    return static_cast<std::size_t>(i.direction) * static_cast<std::size_t>(tiles) + static_cast<std::size_t>(i.tile);
  };
  for (const FarPair& i : all) ++count[slot(i)];
  task.begin.resize(directions * row);
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < directions; ++d) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(tiles); ++t) {
      std::int32_t& c = count[d * static_cast<std::size_t>(tiles) + t];
      task.begin[d * row + t] = sum;
      sum += std::exchange(c, sum);
    }
    task.begin[d * row + static_cast<std::size_t>(tiles)] = sum;
  }
  task.pairs.resize(all.size());
  for (const FarPair& i : all) {
    const auto buffer = static_cast<std::uint32_t>(
        std::lower_bound(source_groups.begin(), source_groups.end(), i.source_group) - source_groups.begin());
    task.pairs[static_cast<std::size_t>(count[slot(i)]++)] = {i.target, buffer << source_bits | i.source};
  }
  task.source_groups = std::move(source_groups);
  return task;
}

/// Tasks for the interactions, each with at most max_sources groups of sources.
void add_tasks(const std::vector<FarPair>& all, std::int32_t cells, std::vector<M2LTask>& tasks) {
  std::vector<std::int32_t> groups;
  for (const FarPair& i : all)
    if (groups.empty() || groups.back() != i.source_group) groups.push_back(i.source_group);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  if (groups.size() <= max_sources) {
    if (!groups.empty()) tasks.push_back(make_task(all, groups, cells));
    return;
  }
  for (std::size_t first = 0; first < groups.size(); first += max_sources) {
    const std::size_t last = std::min(groups.size(), first + max_sources);
    const std::vector<std::int32_t> part(groups.begin() + static_cast<std::ptrdiff_t>(first),
                                         groups.begin() + static_cast<std::ptrdiff_t>(last));
    std::vector<FarPair> some;
    for (const FarPair& i : all)
      if (i.source_group >= part.front() && i.source_group <= part.back()) some.push_back(i);
    tasks.push_back(make_task(some, part, cells));
  }
}

}  // namespace

void Tree::build_far(Level& level, const Range& own, const Level& parents, const Neighbours& above,
                     const std::vector<std::int32_t>& children) const {
  const int group_size = shape_.group_size;
  level.far.resize(level.groups.size());
#pragma omp parallel for schedule(dynamic)
  for (auto g = static_cast<std::size_t>(own.begin); g < static_cast<std::size_t>(own.end); ++g) {
    const Group& group = level.groups[g];
    std::vector<std::int32_t> by_rank(static_cast<std::size_t>(group.cells));
    for (std::int32_t c = 0; c < group.cells; ++c)
      by_rank[static_cast<std::size_t>(level.rank[g][static_cast<std::size_t>(c)])] = c;
    std::vector<FarPair> inside;
    std::vector<FarPair> between;
    for (std::int32_t r = 0; r < group.cells; ++r) {
      const std::int32_t target = by_rank[static_cast<std::size_t>(r)];
      const auto cell = static_cast<std::size_t>(group.first + target);
      if (!level.has_targets(group.first + target)) continue;
      const CellIndex& at = level.index[cell];
      const auto parent = static_cast<std::int32_t>(
          std::lower_bound(parents.key.begin(), parents.key.begin() + parents.inner, level.key[cell] >> 3) -
          parents.key.begin());
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int32_t other = above.of(parent)[n];
        if (other < 0) continue;
        for (std::size_t o = 0; o < 8; ++o) {
          const std::int32_t source = children[static_cast<std::size_t>(other) * 8 + o];
          if (source < 0 || !level.has_sources(source)) continue;
          // a source of a periodic tree may be the image of a cell: its place is that of its parent beside the target's
          const auto away = [&](int target, int beside, int half) {
            return target - 2 * ((target >> 1) + beside) - half;
          };
          const auto m = static_cast<int>(n);
          const auto octant = static_cast<int>(o);
          const int dx = away(at.x, m / 9 - 1, octant & 1);
          const int dy = away(at.y, m / 3 % 3 - 1, octant >> 1 & 1);
          const int dz = away(at.z, m % 3 - 1, octant >> 2);
          if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 2) continue;
          const std::int32_t of = level.group_of(source, group_size);
          const bool within = of == static_cast<std::int32_t>(g);
          (within && shape_.far_tasks == FarTasks::separate ? inside : between)
              .push_back({direction_of(dx, dy, dz), r / m2l_tile, static_cast<std::uint32_t>(target), of,
                          static_cast<std::uint32_t>(source - level.groups[static_cast<std::size_t>(of)].first)});
        }
      }
    }
    auto& tasks = level.far[g];
    if (shape_.far_tasks == FarTasks::separate) add_tasks(inside, group.cells, tasks);
    add_tasks(between, group.cells, tasks);
    if (tasks.empty() && level.receives(static_cast<std::int32_t>(g)))
      tasks.push_back(make_task({}, {}, group.cells));  // sets the local expansions to 0
  }
}

/// A leaf interacts directly with the leaves below its neighbours on its level, and hence with those for which it is
/// one below a neighbour: the lists U, W and X.
void Tree::build_partners(const std::vector<AdaptiveLevel>& cells) {
  struct Pair {
    std::int32_t leaf, other;
    int image;  // of the other
  };
  std::vector<Pair> pairs;  // both ways
  for (std::size_t l = 0; l < cells.size(); ++l) {
    const AdaptiveLevel& level = cells[l];
    for (std::int32_t cell = level.inner; cell < level.cells(); ++cell) {
      const std::int32_t leaf = first_leaf_[l] + cell - level.inner;
      const CellIndex at = cell_of(level.key[static_cast<std::size_t>(cell)]);
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int32_t next = level.neighbours.of(cell)[n];
        if (next < 0) continue;
        const auto m = static_cast<int>(n);
        const int image = image_at(static_cast<int>(l), at.x + m / 9 - 1, at.y + m / 3 % 3 - 1, at.z + m % 3 - 1);
        for_leaves_below(cells, l, next, [&](std::size_t other_level, std::int32_t other_cell) {
          const std::int32_t other = first_leaf_[other_level] + other_cell - cells[other_level].inner;
          pairs.push_back({leaf, other, image});
          if (other_level > l) pairs.push_back({other, leaf, -image});
        });
      }
    }
  }
  const auto leaves = static_cast<std::size_t>(first_leaf_.back());
  partner_begin_.assign(leaves + 1, 0);
  for (const Pair& pair : pairs) ++partner_begin_[static_cast<std::size_t>(pair.leaf) + 1];
  std::partial_sum(partner_begin_.begin(), partner_begin_.end(), partner_begin_.begin());
  partner_.resize(pairs.size());
  partner_image_.resize(shape_.periodic > 0 ? pairs.size() : 0);
  std::vector<std::size_t> next(partner_begin_.begin(), partner_begin_.end() - 1);
  for (const auto& [leaf, other, image] : pairs) {
    const std::size_t place = next[static_cast<std::size_t>(leaf)]++;
    partner_[place] = other;
    if (shape_.periodic > 0) partner_image_[place] = static_cast<std::int8_t>(image);
  }
}

/// Calls take(other) for the leaves that interact directly with a leaf, itself included.
template <class Take>
void Tree::for_partners(std::int32_t leaf, const Take& take) const {
  if (shape_.adaptive()) {
    const auto i = static_cast<std::size_t>(leaf);
    for (std::size_t p = partner_begin_[i]; p < partner_begin_[i + 1]; ++p) take(partner_[p]);
  } else {
    for (std::size_t n = 0; n < 27; ++n)
      if (const std::int32_t other = neighbours_.of(leaf)[n]; other >= 0) take(other);
  }
}

void Tree::build_near() {
  const auto groups = static_cast<std::size_t>(leaf_groups());
  divide_near();
  near_.assign(first_near_leaf_.size() - 1, {});
  contributors_.assign(groups, {});
  near_in_.clear();
  near_out_.assign(groups, {});
  foreign_ghosts_.clear();
  const Range mine = ranks() > 1 ? own_leaf_groups() : Range{0, static_cast<std::int32_t>(near_.size())};
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t n = mine.begin; n < mine.end; ++n) build_near_set(n);
  if (ranks() > 1) build_near_messages();
  build_contributors();
}

/// A set for each group; first the pieces, none of leaves of two groups, and what they leave of the last such group.
void Tree::divide_near() {
  first_near_leaf_.clear();
  pieces_ = 0;
  if (wanted_pieces_.count > 0 && ranks() == 1) {
    const auto particles_of = [&](std::int32_t leaf) {
      const auto i = static_cast<std::size_t>(leaf);
      return static_cast<double>(leaf_begin_[i + 1] - leaf_begin_[i]);
    };
    const std::int32_t leaves = leaf_groups() > 0 ? leaves_of_group(leaf_groups() - 1).end : 0;
    std::vector<double> pairs(static_cast<std::size_t>(leaves));
#pragma omp parallel for schedule(static)
    for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
      double& of_leaf = pairs[static_cast<std::size_t>(leaf)];
      if (apart()) {
        for_partners(leaf, [&](std::int32_t other) { of_leaf += static_cast<double>(sources_of(other)); });
        of_leaf *= static_cast<double>(targets_of(leaf));
        continue;
      }
      double others = particles_of(leaf) / 2;
      for_partners(leaf, [&](std::int32_t other) { others += other > leaf ? particles_of(other) : 0; });
      of_leaf = particles_of(leaf) * others;
    }
    const double all = std::accumulate(pairs.begin(), pairs.end(), 0.0);
    const double piece = wanted_pieces_.share * all / wanted_pieces_.count;
    double sum = 0;
    double end = 0;  // of the piece
    std::int32_t group_end = 0;
    for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
      if (sum >= end || leaf == group_end) {
        first_near_leaf_.push_back(leaf);
        end = sum + piece;
        if (sum + piece / 2 > wanted_pieces_.share * all) break;  // what is left is not a piece
        ++pieces_;
        if (leaf == group_end) group_end = leaves_of_group(group_of_leaf(leaf)).end;
      }
      sum += pairs[static_cast<std::size_t>(leaf)];
    }
  }
  const std::int32_t divided = first_near_leaf_.empty() ? -1 : first_near_leaf_.back();
  for (std::int32_t g = 0; g < leaf_groups(); ++g)
    if (const std::int32_t first = leaves_of_group(g).begin; first > divided) first_near_leaf_.push_back(first);
  first_near_leaf_.push_back(leaf_groups() > 0 ? leaves_of_group(leaf_groups() - 1).end : 0);
}

void Tree::build_near_set(std::int32_t n) {
  if (apart()) return build_apart_near_set(n);
  if (shape_.periodic > 0) return build_periodic_near_set(n);
  const auto particles_of = [&](std::int32_t leaf) {
    const auto i = static_cast<std::size_t>(leaf);
    return static_cast<std::int32_t>(leaf_begin_[i + 1] - leaf_begin_[i]);
  };
  const auto [begin, end] = leaves_of_near_set(n);
  const Group group{begin, end - begin};
  NearSet& set = near_[static_cast<std::size_t>(n)];
  for (std::int32_t leaf = group.first; leaf < end; ++leaf)
    for_partners(leaf, [&, last = end](std::int32_t other) {
      if (other >= last) set.ghosts.push_back(other);
    });
  std::sort(set.ghosts.begin(), set.ghosts.end());
  set.ghosts.erase(std::unique(set.ghosts.begin(), set.ghosts.end()), set.ghosts.end());
  // place of a leaf in the set, -1 outside
  const auto local = [&](std::int32_t leaf) -> std::int32_t {
    if (leaf < group.first) return -1;
    if (leaf < group.first + group.cells) return leaf - group.first;
    const auto ghost = std::lower_bound(set.ghosts.begin(), set.ghosts.end(), leaf);
    if (ghost == set.ghosts.end() || *ghost != leaf) return -1;
    return group.cells + static_cast<std::int32_t>(ghost - set.ghosts.begin());
  };
  std::int32_t first = 0;
  for (std::int32_t leaf = group.first; leaf < end; ++leaf) {
    set.begin.push_back(first);
    first += particles_of(leaf);
  }
  for (const std::int32_t ghost : set.ghosts) {
    set.begin.push_back(first);
    first += particles_of(ghost);
  }
  set.begin.push_back(first);
  const auto particles = [&](std::int32_t l) {
    return std::int64_t{set.begin[static_cast<std::size_t>(l) + 1]} - set.begin[static_cast<std::size_t>(l)];
  };
  std::vector<std::vector<std::int32_t>> of_ghost(set.ghosts.size());  // own leaves next to it
  for (std::int32_t leaf = group.first; leaf < end; ++leaf) {
    const std::int32_t self = leaf - group.first;
    set.upper_begin.push_back(static_cast<std::int32_t>(set.upper.size()));
    set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
    const std::size_t upper = set.upper.size();
    const std::size_t source = set.source.size();
    for_partners(leaf, [&](std::int32_t global) {
      const std::int32_t other = local(global);
      if (other < 0) return;
      set.source.push_back(other);
      if (other > self) set.upper.push_back(other);
      if (other >= group.cells) of_ghost[static_cast<std::size_t>(other - group.cells)].push_back(self);
    });
    std::sort(set.upper.begin() + static_cast<std::ptrdiff_t>(upper), set.upper.end());
    std::sort(set.source.begin() + static_cast<std::ptrdiff_t>(source), set.source.end());
    set.pairs += particles(self) * (particles(self) - 1) / 2;
    for (std::size_t i = upper; i < set.upper.size(); ++i) set.pairs += particles(self) * particles(set.upper[i]);
  }
  set.upper_begin.push_back(static_cast<std::int32_t>(set.upper.size()));
  for (const std::vector<std::int32_t>& next : of_ghost) {
    set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
    set.source.insert(set.source.end(), next.begin(), next.end());
  }
  set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
}

}  // namespace asterism::fmm
