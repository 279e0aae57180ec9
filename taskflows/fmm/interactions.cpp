// Who interacts with whom: the far and near lists of a tree's groups.
#include <algorithm>
#include <cmath>

#include "taskflows/fmm/tree.hpp"

namespace asterism::fmm {
namespace {

struct FarPair {
  std::int32_t direction;
  std::int32_t tile;
  std::uint32_t target;
  std::int32_t source;  ///< cell of the level
};

/// The task of interactions that come in the order of the targets' ranks: sorted by direction, which keeps that order.
M2LTask make_task(const std::vector<FarPair>& all, std::vector<std::int32_t> source_groups, int group_size,
                  std::int32_t cells) {
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
    const std::int32_t group = i.source / group_size;
    const auto buffer = static_cast<std::uint32_t>(std::lower_bound(source_groups.begin(), source_groups.end(), group) -
                                                   source_groups.begin());
    task.pairs[static_cast<std::size_t>(count[slot(i)]++)] = {
        i.target, buffer << source_bits | static_cast<std::uint32_t>(i.source % group_size)};
  }
  task.source_groups = std::move(source_groups);
  return task;
}

/// Tasks for the interactions, each with at most max_sources groups of sources.
void add_tasks(const std::vector<FarPair>& all, int group_size, std::int32_t cells, std::vector<M2LTask>& tasks) {
  std::vector<std::int32_t> groups;
  for (const FarPair& i : all)
    if (groups.empty() || groups.back() != i.source / group_size) groups.push_back(i.source / group_size);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  if (groups.size() <= max_sources) {
    if (!groups.empty()) tasks.push_back(make_task(all, groups, group_size, cells));
    return;
  }
  for (std::size_t first = 0; first < groups.size(); first += max_sources) {
    const std::size_t last = std::min(groups.size(), first + max_sources);
    const std::vector<std::int32_t> part(groups.begin() + static_cast<std::ptrdiff_t>(first),
                                         groups.begin() + static_cast<std::ptrdiff_t>(last));
    std::vector<FarPair> some;
    for (const FarPair& i : all)
      if (i.source / group_size >= part.front() && i.source / group_size <= part.back()) some.push_back(i);
    tasks.push_back(make_task(some, part, group_size, cells));
  }
}

}  // namespace

void Tree::build_far(Level& level, const Level& parents, const std::vector<std::int32_t>& parent_neighbours,
                     const std::vector<std::int32_t>& children) const {
  const int group_size = shape_.group_size;
  level.far.resize(level.groups.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t g = 0; g < level.groups.size(); ++g) {
    const Group& group = level.groups[g];
    std::vector<std::int32_t> by_rank(static_cast<std::size_t>(group.cells));
    for (std::int32_t c = 0; c < group.cells; ++c)
      by_rank[static_cast<std::size_t>(level.rank[g][static_cast<std::size_t>(c)])] = c;
    std::vector<FarPair> inside;
    std::vector<FarPair> between;
    for (std::int32_t r = 0; r < group.cells; ++r) {
      const std::int32_t target = by_rank[static_cast<std::size_t>(r)];
      const auto cell = static_cast<std::size_t>(group.first + target);
      const CellIndex& at = level.index[cell];
      const auto parent = static_cast<std::size_t>(
          std::lower_bound(parents.key.begin(), parents.key.end(), level.key[cell] >> 3) - parents.key.begin());
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int32_t other = parent_neighbours[parent * 27 + n];
        if (other < 0) continue;
        for (std::size_t o = 0; o < 8; ++o) {
          const std::int32_t source = children[static_cast<std::size_t>(other) * 8 + o];
          if (source < 0) continue;
          const CellIndex& from = level.index[static_cast<std::size_t>(source)];
          const int dx = at.x - from.x;
          const int dy = at.y - from.y;
          const int dz = at.z - from.z;
          if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 2) continue;
          const bool own = source / group_size == static_cast<std::int32_t>(g);
          (own && shape_.far_tasks == FarTasks::separate ? inside : between)
              .push_back({direction_of(dx, dy, dz), r / m2l_tile, static_cast<std::uint32_t>(target), source});
        }
      }
    }
    auto& tasks = level.far[g];
    if (shape_.far_tasks == FarTasks::separate) add_tasks(inside, group_size, group.cells, tasks);
    add_tasks(between, group_size, group.cells, tasks);
    if (tasks.empty()) tasks.push_back(make_task({}, {}, group_size, group.cells));  // sets the local expansions to 0
  }
}

void Tree::build_near() {
  const Level& level = leaves();
  const std::size_t groups = level.groups.size();
  near_.assign(groups, {});
  contributors_.assign(groups, {});
  const auto particles_of = [&](std::int32_t leaf) {
    const auto i = static_cast<std::size_t>(leaf);
    return static_cast<std::int32_t>(leaf_begin_[i + 1] - leaf_begin_[i]);
  };
#pragma omp parallel for schedule(dynamic)
  for (std::size_t g = 0; g < groups; ++g) {
    const Group& group = level.groups[g];
    const std::int32_t end = group.first + group.cells;
    NearSet& set = near_[g];
    for (std::int32_t leaf = group.first; leaf < end; ++leaf)
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int32_t other = neighbours_[static_cast<std::size_t>(leaf) * 27 + n];
        if (other >= end) set.ghosts.push_back(other);
      }
    std::sort(set.ghosts.begin(), set.ghosts.end());
    set.ghosts.erase(std::unique(set.ghosts.begin(), set.ghosts.end()), set.ghosts.end());
    // place of a leaf in the set, -1 outside
    const auto local = [&](std::int32_t leaf) -> std::int32_t {
      if (leaf < group.first) return -1;
      if (leaf < end) return leaf - group.first;
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
    for (std::int32_t leaf = group.first; leaf < end; ++leaf) {
      const std::int32_t self = leaf - group.first;
      set.upper_begin.push_back(static_cast<std::int32_t>(set.upper.size()));
      set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
      const std::size_t upper = set.upper.size();
      const std::size_t source = set.source.size();
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int32_t global = neighbours_[static_cast<std::size_t>(leaf) * 27 + n];
        const std::int32_t other = global < 0 ? -1 : local(global);
        if (other < 0) continue;
        set.source.push_back(other);
        if (other > self) set.upper.push_back(other);
      }
      std::sort(set.upper.begin() + static_cast<std::ptrdiff_t>(upper), set.upper.end());
      std::sort(set.source.begin() + static_cast<std::ptrdiff_t>(source), set.source.end());
      set.pairs += particles(self) * (particles(self) - 1) / 2;
      for (std::size_t i = upper; i < set.upper.size(); ++i) set.pairs += particles(self) * particles(set.upper[i]);
    }
    set.upper_begin.push_back(static_cast<std::int32_t>(set.upper.size()));
    for (const std::int32_t ghost : set.ghosts) {
      set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
      const std::size_t source = set.source.size();
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int32_t other = neighbours_[static_cast<std::size_t>(ghost) * 27 + n];
        if (other >= group.first && other < end) set.source.push_back(other - group.first);
      }
      std::sort(set.source.begin() + static_cast<std::ptrdiff_t>(source), set.source.end());
    }
    set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
  }
  for (std::size_t g = 0; g < groups; ++g) {
    const NearSet& set = near_[g];
    const std::int32_t own = level.groups[g].cells;
    for (std::size_t i = 0; i < set.ghosts.size(); ++i) {
      const std::int32_t leaf = set.ghosts[i];
      const std::int32_t owner = leaf / shape_.group_size;
      auto& of_owner = contributors_[static_cast<std::size_t>(owner)];
      if (of_owner.empty() || of_owner.back().group != static_cast<std::int32_t>(g))
        of_owner.push_back({static_cast<std::int32_t>(g), {}});
      const std::int32_t from = set.begin[static_cast<std::size_t>(own) + i];
      const auto to = static_cast<std::int32_t>(
          leaf_begin_[static_cast<std::size_t>(leaf)] -
          leaf_begin_[static_cast<std::size_t>(level.groups[static_cast<std::size_t>(owner)].first)]);
      of_owner.back().parts.push_back({from, to, particles_of(leaf)});
    }
  }
}

}  // namespace asterism::fmm
