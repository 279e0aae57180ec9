// SPDX-License-Identifier: Apache-2.0
// Trees whose sources and targets are apart: which cells have sources and which have targets, and near sets of the
// targets of some leaves and the sources around them.
#include <algorithm>
#include <compare>
#include <utility>

#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// In each leaf the sources come first; counts the targets.
void Tree::separate_points() {
  const std::size_t sources = *sources_;
  target_begin_.assign(1, 0);
  for (std::size_t leaf = 0; leaf + 1 < leaf_begin_.size(); ++leaf) {
    const auto begin = order_.begin() + leaf_begin_[leaf];
    const auto end = order_.begin() + leaf_begin_[leaf + 1];
    const auto first_target = std::stable_partition(begin, end, [&](std::uint32_t i) { return i < sources; });
    target_begin_.push_back(target_begin_.back() + (end - first_target));
  }
}

/// Which cells and groups have sources, and which have targets, from the leaves up.
void Tree::mark_cells() {
  for (std::size_t l = levels_.size(); l-- > 0;) {
    Level& level = levels_[l];
    level.sources.assign(level.key.size(), 0);
    level.targets.assign(level.key.size(), 0);
    for (auto cell = static_cast<std::size_t>(level.inner); cell < level.key.size(); ++cell) {
      const std::int32_t leaf = first_leaf_[l] + static_cast<std::int32_t>(cell) - level.inner;
      level.sources[cell] = sources_of(leaf) > 0 ? 1 : 0;
      level.targets[cell] = targets_of(leaf) > 0 ? 1 : 0;
    }
    if (l + 1 < levels_.size()) {
      const Level& children = levels_[l + 1];
      const auto end_of_inner = level.key.begin() + level.inner;
      for (std::size_t child = 0; child < children.key.size(); ++child) {
        const auto parent = std::lower_bound(level.key.begin(), end_of_inner, children.key[child] >> 3);
        const auto cell = static_cast<std::size_t>(parent - level.key.begin());
        level.sources[cell] |= children.sources[child];
        level.targets[cell] |= children.targets[child];
      }
    }
    level.group_sources.clear();
    level.group_targets.clear();
    for (const Group& group : level.groups) {
      const auto any = [&](const std::vector<char>& of_cells) {
        const auto first = of_cells.begin() + group.first;
        return static_cast<char>(std::any_of(first, first + group.cells, [](char has) { return has != 0; }) ? 1 : 0);
      };
      level.group_sources.push_back(any(level.sources));
      level.group_targets.push_back(any(level.targets));
    }
  }
}

/// The targets of leaves, and as ghosts the sources that act on them: those of the leaves themselves, side by side, of
/// which there is a ghost even where there are none, for P2M; and those of their neighbours, as displaced copies across
/// a periodic face.
void Tree::build_apart_near_set(std::int32_t n) {
  const Range own = leaves_of_near_set(n);
  NearSet& set = near_[static_cast<std::size_t>(n)];
  struct Ghost {
    int image;
    std::int32_t leaf;
    auto operator<=>(const Ghost&) const = default;
  };
  std::vector<Ghost> ghosts;
  for (std::int32_t leaf = own.begin; leaf < own.end; ++leaf) {
    ghosts.push_back({0, leaf});
    if (targets_of(leaf) == 0) continue;
    for_images(leaf, [&](int image, std::int32_t other) {
      if (sources_of(other) > 0) ghosts.push_back({image, other});
    });
  }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  const std::int32_t cells = own.end - own.begin;
  const auto place_of = [&](const Ghost& ghost) {
    return cells + static_cast<std::int32_t>(std::lower_bound(ghosts.begin(), ghosts.end(), ghost) - ghosts.begin());
  };
  std::int64_t first = 0;
  const auto add = [&](std::int64_t particles) {
    set.begin.push_back(static_cast<std::int32_t>(first));
    first += particles;
  };
  for (std::int32_t leaf = own.begin; leaf < own.end; ++leaf) add(targets_of(leaf));
  for (const auto& [image, leaf] : ghosts) {
    set.ghosts.push_back(leaf);
    if (shape_.periodic > 0) set.image.push_back(static_cast<std::int8_t>(image));
    add(sources_of(leaf));
  }
  add(0);
  set.own_sources = place_of({0, own.begin});
  for (std::int32_t leaf = own.begin; leaf < own.end; ++leaf) {
    set.source_begin.push_back(static_cast<std::int32_t>(set.source.size()));
    if (targets_of(leaf) == 0) continue;
    std::int64_t sources = sources_of(leaf);
    if (sources > 0) set.source.push_back(place_of({0, leaf}));  // the first: targets may be where these are
    const auto others = static_cast<std::ptrdiff_t>(set.source.size());
    for_images(leaf, [&](int image, std::int32_t other) {
      if (sources_of(other) == 0 || (image == 0 && other == leaf)) return;
      set.source.push_back(place_of({image, other}));
      sources += sources_of(other);
    });
    std::sort(set.source.begin() + others, set.source.end());
    set.pairs += targets_of(leaf) * sources;
  }
  const auto none = static_cast<std::int32_t>(set.source.size());
  set.source_begin.insert(set.source_begin.end(), ghosts.size() + 1, none);  // nothing acts on sources
  set.upper_begin.assign(static_cast<std::size_t>(cells) + 1, 0);
}

}  // namespace asterism::fmm
