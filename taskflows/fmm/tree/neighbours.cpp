// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/tree/neighbours.hpp"

#include <utility>

namespace asterism::fmm {
namespace {

/// Places among the 27 neighbours of a cell.
constexpr int place(int dx, int dy, int dz) {
  return ((dx + 1) * 3 + dy + 1) * 3 + dz + 1;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> keys_of_levels(std::vector<std::uint64_t> leaves, int height) {
  std::vector<std::vector<std::uint64_t>> keys(static_cast<std::size_t>(height));
  keys.back() = std::move(leaves);
  for (std::size_t l = keys.size() - 1; l-- > 0;) {
    for (const std::uint64_t key : keys[l + 1])
      if (keys[l].empty() || keys[l].back() != key >> 3) keys[l].push_back(key >> 3);
  }
  return keys;
}

Range parents_of(const Range& range, std::span<const std::uint64_t> children, std::span<const std::uint64_t> parents) {
  if (range.empty()) return {};
  const auto parent = [&](std::int32_t child) {
    return static_cast<std::int32_t>(
        std::lower_bound(parents.begin(), parents.end(), children[static_cast<std::size_t>(child)] >> 3) -
        parents.begin());
  };
  return {parent(range.begin), parent(range.end - 1) + 1};
}

std::vector<std::int32_t> children_by_octant(std::span<const std::uint64_t> parents,
                                             std::span<const std::uint64_t> children) {
  std::vector<std::int32_t> table(parents.size() * 8, -1);
  std::size_t parent = 0;
  for (std::size_t c = 0; c < children.size(); ++c) {
    while (parents[parent] != children[c] >> 3) ++parent;
    table[parent * 8 + static_cast<std::size_t>(children[c] & 7)] = static_cast<std::int32_t>(c);
  }
  return table;
}

Neighbours neighbours_of_root(int periodic) {
  Neighbours root{{0, 1}, std::vector<std::int32_t>(27, -1)};
  const auto reach = [&](int direction) { return direction < periodic ? 1 : 0; };
  for (int dx = -reach(0); dx <= reach(0); ++dx)
    for (int dy = -reach(1); dy <= reach(1); ++dy)
      for (int dz = -reach(2); dz <= reach(2); ++dz) root.table[static_cast<std::size_t>(place(dx, dy, dz))] = 0;
  return root;
}

Neighbours neighbours_of(const Range& range, std::span<const std::uint64_t> cells,
                         std::span<const std::uint64_t> parents, const Neighbours& above,
                         const std::vector<std::int32_t>& children) {
  Neighbours result{range, {}};
  if (range.empty()) return result;
  const auto first = static_cast<std::size_t>(range.begin);
  const auto count = static_cast<std::size_t>(range.end - range.begin);
  result.table.assign(count * 27, -1);
  std::vector<std::int32_t> parent_of(count);
  std::int32_t parent = parents_of(range, cells, parents).begin;
  for (std::size_t c = 0; c < count; ++c) {
    while (parents[static_cast<std::size_t>(parent)] != cells[first + c] >> 3) ++parent;
    parent_of[c] = parent;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < count; ++c) {
    const auto octant = static_cast<int>(cells[first + c] & 7);
    const std::int32_t* const around = above.of(parent_of[c]);
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const int x = (octant & 1) + dx;
          const int y = (octant >> 1 & 1) + dy;
          const int z = (octant >> 2 & 1) + dz;
          const std::int32_t other = around[place(x >> 1, y >> 1, z >> 1)];
          if (other >= 0)
            result.table[c * 27 + static_cast<std::size_t>(place(dx, dy, dz))] =
                children[static_cast<std::size_t>(other) * 8 +
                         static_cast<std::size_t>((x & 1) | (y & 1) << 1 | (z & 1) << 2)];
        }
  }
  return result;
}

}  // namespace asterism::fmm
