// SPDX-License-Identifier: Apache-2.0
// Which near results are added to which leaves, and those that ranks send each other.
#include <algorithm>

#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// Near results of groups here for leaves of other ranks and the other way round.
void Tree::build_near_messages() {
  const Range mine = own(leaf_level());
  if (mine.empty()) return;
  const auto leaf_owner = [&](std::int32_t leaf) { return owner(leaf_level(), leaf / shape_.group_size); };
  for (std::int32_t g = mine.begin; g < mine.end; ++g) {
    const NearSet& set = near_[static_cast<std::size_t>(g)];
    const auto cells = static_cast<std::size_t>(leaves().groups[static_cast<std::size_t>(g)].cells);
    auto& out = near_out_[static_cast<std::size_t>(g)];
    for (std::size_t i = 0; i < set.ghosts.size(); ++i) {
      if (mine.holds(set.ghosts[i] / shape_.group_size)) continue;
      foreign_ghosts_.push_back(set.ghosts[i]);
      const int to = leaf_owner(set.ghosts[i]);
      auto message = std::ranges::find(out, to, &NearOut::rank);
      if (message == out.end()) message = out.insert(out.end(), {to, {}, 0});
      const std::int32_t first = set.begin[cells + i];
      const std::int32_t count = set.begin[cells + i + 1] - first;
      auto& parts = message->parts;
      if (parts.empty() || parts.back().first + parts.back().count != first) parts.push_back({first, 0});
      parts.back().count += count;
      message->count += count;
    }
    std::ranges::sort(out, {}, &NearOut::rank);
  }
  std::ranges::sort(foreign_ghosts_);
  foreign_ghosts_.erase(std::unique(foreign_ghosts_.begin(), foreign_ghosts_.end()), foreign_ghosts_.end());

  struct Elsewhere {
    std::int32_t group;
    Ghost ghost;
    auto operator<=>(const Elsewhere&) const = default;
  };
  const std::int32_t first_leaf = own_leaves().begin;
  std::vector<Elsewhere> elsewhere;  // own leaves as copies in groups of other ranks
  for (std::int32_t leaf = neighbours_.cells.begin; leaf < neighbours_.cells.end; ++leaf)
    for_images(leaf, [&](int image, std::int32_t other) {
      // as seen from there, this leaf is in the opposite image
      const std::int32_t group = other / shape_.group_size;
      if (image < 0 ? !mine.holds(group) : image == 0 && other < first_leaf)
        elsewhere.push_back({group, {-image, leaf}});
    });
  std::ranges::sort(elsewhere);
  elsewhere.erase(std::unique(elsewhere.begin(), elsewhere.end()), elsewhere.end());
  for (const auto& [group, ghost] : elsewhere) {
    if (near_in_.empty() || near_in_.back().group != group) near_in_.push_back({group, {}, 0});
    const auto leaf = static_cast<std::size_t>(ghost.leaf);
    near_in_.back().ghosts.push_back(ghost);
    near_in_.back().particles += static_cast<std::int32_t>(leaf_begin_[leaf + 1] - leaf_begin_[leaf]);
  }
}

std::vector<std::int32_t> Tree::ghosts_of(int rank) const {
  std::vector<std::int32_t> result;
  for (const NearIn& in : near_in_)
    if (owner(leaf_level(), in.group) == rank)
      for (const Ghost& ghost : in.ghosts) result.push_back(ghost.leaf);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void Tree::build_contributors() {
  // `from`: the first of the leaf's particles in what the group sends or has
  const auto add = [&](std::int32_t near_set, std::int32_t leaf, std::int32_t from, int image = 0) {
    const auto i = static_cast<std::size_t>(leaf);
    const std::int32_t of_leaf = group_of_leaf(leaf);
    auto& of_owner = contributors_[static_cast<std::size_t>(of_leaf)];
    if (of_owner.empty() || of_owner.back().near_set != near_set || of_owner.back().image != image)
      of_owner.push_back({near_set, {}, image});
    of_owner.back().parts.push_back({from, static_cast<std::int32_t>(leaf_begin_[i] - first_particle(of_leaf)),
                                     static_cast<std::int32_t>(leaf_begin_[i + 1] - leaf_begin_[i])});
  };
  for (const NearIn& in : near_in_) {
    std::int32_t from = 0;
    for (const Ghost& ghost : in.ghosts) {
      add(in.group, ghost.leaf, from, ghost.image);
      from += contributors_[static_cast<std::size_t>(group_of_leaf(ghost.leaf))].back().parts.back().count;
    }
  }
  const Range mine = own_leaf_groups();
  for (std::int32_t g = mine.begin; g < mine.end; ++g) {
    const Range sets = near_sets_of(g);
    for (std::int32_t n = sets.begin; n < sets.end; ++n) {
      const NearSet& set = near_[static_cast<std::size_t>(n)];
      const Range leaves = leaves_of_near_set(n);
      const auto cells = static_cast<std::size_t>(leaves.end - leaves.begin);
      if (sets.end - sets.begin > 1 && set.begin[cells] > 0) {
        const auto first = target_begin()[static_cast<std::size_t>(leaves.begin)] -
                           target_begin()[static_cast<std::size_t>(leaves_of_group(g).begin)];
        contributors_[static_cast<std::size_t>(g)].push_back(
            {n, {{0, static_cast<std::int32_t>(first), set.begin[cells]}}, 0});
      }
      for (std::size_t i = 0; i < set.ghosts.size() && !apart(); ++i)  // sources have no results
        if (mine.holds(group_of_leaf(set.ghosts[i])))
          add(n, set.ghosts[i], set.begin[cells + i], set.image.empty() ? 0 : set.image[i]);
    }
  }
  // groups of other ranks before and behind those here, in the order of one process
  for (std::int32_t g = mine.begin; g < mine.end; ++g)
    std::ranges::stable_sort(contributors_[static_cast<std::size_t>(g)], {}, &Contributor::near_set);
}

}  // namespace asterism::fmm
