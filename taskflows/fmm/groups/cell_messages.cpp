// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/groups/cell_messages.hpp"

#include <algorithm>

namespace asterism::fmm {
namespace {

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

CellMessages cell_messages(const Tree& tree, int l) {
  CellMessages messages;
  const Level& level = tree.level(l);
  const Range own = tree.own(l);
  const bool has_parents = l > tree.top_level();
  for (std::int32_t g = own.begin; g < own.end; ++g) {
    // who is in the interaction list of a cell has it in its own
    for (const M2LTask& task : level.far[static_cast<std::size_t>(g)])
      for (const std::int32_t source : task.source_groups) {
        if (own.holds(source)) continue;
        messages.multipoles_in.push_back(source);
        messages.multipoles_out.push_back({g, tree.owner(l, source)});
      }
    if (has_parents)
      for (const FamilyRange& range : level.parent_groups[static_cast<std::size_t>(g)])
        if (!tree.own(l - 1).holds(range.parent_group))
          messages.multipoles_out.push_back({g, tree.owner(l - 1, range.parent_group)});
  }
  if (has_parents) {
    const Range children = tree.child_groups(l - 1, tree.own(l - 1));
    for (std::int32_t g = children.begin; g < children.end; ++g)
      if (!own.holds(g)) messages.multipoles_in.push_back(g);
  }
  if (l < tree.leaf_level()) {
    const Range children = tree.own(l + 1);
    for (std::int32_t c = children.begin; c < children.end; ++c)
      for (const FamilyRange& range : tree.level(l + 1).parent_groups[static_cast<std::size_t>(c)])
        if (!own.holds(range.parent_group)) messages.locals_in.push_back(range.parent_group);
    for (std::int32_t g = own.begin; g < own.end; ++g) {
      const Range of_group = tree.child_groups(l, {g, g + 1});
      for (std::int32_t c = of_group.begin; c < of_group.end; ++c)
        if (!children.holds(c)) messages.locals_out.push_back({g, tree.owner(l + 1, c)});
    }
  }
  sort_unique(messages.multipoles_in);
  sort_unique(messages.multipoles_out);
  sort_unique(messages.locals_in);
  sort_unique(messages.locals_out);
  return messages;
}

}  // namespace asterism::fmm
