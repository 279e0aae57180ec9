// SPDX-License-Identifier: Apache-2.0
// Periodic trees: images of leaves as copies in near sets, and the interaction of the root with its farther images.
#include <algorithm>
#include <map>
#include <utility>

#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// The root with its images beyond the nearest: one pair in the direction (2, 0, 0), whose operator is that of the
/// lattice (periodic/lattice_operator.hpp).
void Tree::build_lattice() {
  M2LTask task;
  task.source_groups = {0};
  const int lattice = direction_of(2, 0, 0);
  for (int d = 0; d < directions; ++d) {
    task.begin.push_back(d > lattice ? 1 : 0);
    task.begin.push_back(d >= lattice ? 1 : 0);
  }
  task.pairs = {{0, 0}};
  levels_.front().far = {{std::move(task)}};
}

/// As build_near_set(): a neighbour across a periodic face is a displaced copy, even of an own leaf. Of the pairs of
/// leaf a with image s of leaf b and of b with image -s of a, which are the same, the one whose image has a positive
/// first displacement is taken.
void Tree::build_periodic_near_set(std::int32_t n) {
  const auto particles_of = [&](std::int32_t leaf) {
    const auto i = static_cast<std::size_t>(leaf);
    return static_cast<std::int32_t>(leaf_begin_[i + 1] - leaf_begin_[i]);
  };
  const auto [first_leaf, end] = leaves_of_near_set(n);
  const std::int32_t cells = end - first_leaf;
  NearSet& set = near_[static_cast<std::size_t>(n)];
  std::vector<std::vector<Ghost>> partners(static_cast<std::size_t>(cells));
  std::map<Ghost, std::int32_t> ghosts;  // and their places in the set
  for (std::int32_t leaf = first_leaf; leaf < end; ++leaf) {
    for_images(leaf, [&, first = first_leaf, last = end](int image, std::int32_t other) {
      if (image < 0 || (image == 0 && other < first)) return;
      const Ghost partner{image, other};
      partners[static_cast<std::size_t>(leaf - first)].push_back(partner);
      if (image > 0 || other >= last) ghosts.emplace(partner, 0);
    });
  }
  std::int32_t first = 0;
  for (std::int32_t leaf = first_leaf; leaf < end; ++leaf) {
    set.begin.push_back(first);
    first += particles_of(leaf);
  }
  for (auto& [ghost, place] : ghosts) {
    place = cells + static_cast<std::int32_t>(set.ghosts.size());
    set.ghosts.push_back(ghost.leaf);
    set.image.push_back(static_cast<std::int8_t>(ghost.image));
    set.begin.push_back(first);
    first += particles_of(ghost.leaf);
  }
  set.begin.push_back(first);
  const auto particles = [&](std::int32_t l) {
    return std::int64_t{set.begin[static_cast<std::size_t>(l) + 1]} - set.begin[static_cast<std::size_t>(l)];
  };
  std::vector<std::vector<std::int32_t>> of_ghost(set.ghosts.size());  // own leaves next to it
  for (std::int32_t self = 0; self < cells; ++self) {
    set.upper_begin.push_back(static_cast<std::int32_t>(set.upper.size()));
    set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
    std::vector<std::int32_t> sources;
    for (const Ghost& partner : partners[static_cast<std::size_t>(self)]) {
      const auto ghost = ghosts.find(partner);
      sources.push_back(ghost == ghosts.end() ? partner.leaf - first_leaf : ghost->second);
      if (ghost != ghosts.end()) of_ghost[static_cast<std::size_t>(ghost->second - cells)].push_back(self);
    }
    std::sort(sources.begin(), sources.end());
    set.pairs += particles(self) * (particles(self) - 1) / 2;
    for (const std::int32_t source : sources) {
      set.source.push_back(source);
      if (source <= self) continue;
      set.upper.push_back(source);
      set.pairs += particles(self) * particles(source);
    }
  }
  set.upper_begin.push_back(static_cast<std::int32_t>(set.upper.size()));
  for (const std::vector<std::int32_t>& next : of_ghost) {
    set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
    set.source.insert(set.source.end(), next.begin(), next.end());
  }
  set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
}

}  // namespace asterism::fmm
