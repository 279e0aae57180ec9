// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/tree/adaptive_cells.hpp"

#include <algorithm>

namespace asterism::fmm {
namespace {

/// Levels above this one have no leaves: expansions begin here.
constexpr int first_leaf_level = 2;

/// Cells of a level in Morton order, and the interval of finest cells that each consists of.
struct Cells {
  std::vector<std::uint64_t> key;
  std::vector<std::size_t> first, end;
};

/// Particles before each finest cell, and all of them; likewise sources, where these are apart from targets.
struct Counts {
  std::vector<std::int64_t> particles, sources;
};

/// Which cells are to be divided.
std::vector<char> to_divide(const Cells& cells, const Neighbours& neighbours, const Counts& before, int level,
                            int leaf_size) {
  std::vector<char> result(cells.key.size(), 1);
  if (level < first_leaf_level) return result;
  const double most_pairs = 27.0 * leaf_size * leaf_size;
  const auto in_cell = [&](const std::vector<std::int64_t>& counts, std::size_t cell) {
    return static_cast<double>(counts[cells.end[cell]] - counts[cells.first[cell]]);
  };
  const auto particles = [&](std::size_t cell) { return in_cell(before.particles, cell); };
  const bool apart = !before.sources.empty();
  const auto sources = [&](std::size_t cell) { return in_cell(before.sources, cell); };
#pragma omp parallel for schedule(static)
  for (std::size_t cell = 0; cell < cells.key.size(); ++cell) {
    const double own = particles(cell);
    const bool coincident = cells.end[cell] == cells.first[cell] + 1;
    double around = coincident ? 0 : own;
    double sources_around = apart && !coincident ? sources(cell) : 0;
    const std::int32_t* const next = neighbours.of(static_cast<std::int32_t>(cell));
    for (std::size_t n = 0; n < 27; ++n)
      if (next[n] >= 0 && next[n] != static_cast<std::int32_t>(cell)) {
        around += particles(static_cast<std::size_t>(next[n]));
        if (apart) sources_around += sources(static_cast<std::size_t>(next[n]));
      }
    double pairs = own * around;
    if (apart) {
      const double of_cell = sources(cell);
      pairs = 4 * std::max((own - of_cell) * sources_around, of_cell * (around - sources_around));
    }
    result[cell] = (own > leaf_size && !coincident) || pairs > most_pairs ? 1 : 0;
  }
  return result;
}

/// The children of the divided cells.
Cells children_of(const Cells& cells, const std::vector<char>& divided, std::span<const LeafCount> finest,
                  int child_level) {
  Cells children;
  const int shift = 3 * (finest_level - child_level);
  for (std::size_t cell = 0; cell < cells.key.size(); ++cell) {
    if (divided[cell] == 0) continue;
    for (std::size_t at = cells.first[cell]; at < cells.end[cell];) {
      const std::uint64_t key = finest[at].key >> shift;
      const auto end = std::partition_point(finest.begin() + static_cast<std::ptrdiff_t>(at),
                                            finest.begin() + static_cast<std::ptrdiff_t>(cells.end[cell]),
                                            [&](const LeafCount& other) { return other.key >> shift == key; });
      children.key.push_back(key);
      children.first.push_back(at);
      at = static_cast<std::size_t>(end - finest.begin());
      children.end.push_back(at);
    }
  }
  return children;
}

/// Places of the cells when the divided ones come first.
std::vector<std::int32_t> places_of(const std::vector<char>& divided) {
  std::vector<std::int32_t> place(divided.size());
  std::int32_t next = 0;
  for (const char inner : {1, 0})
    for (std::size_t cell = 0; cell < divided.size(); ++cell)
      if (divided[cell] == inner) place[cell] = next++;
  return place;
}

/// Rows of `width` numbers of cells: row i goes to to[i], and cell c is called of[c].
std::vector<std::int32_t> renumbered(const std::vector<std::int32_t>& table, std::size_t width,
                                     const std::vector<std::int32_t>& to, const std::vector<std::int32_t>& of) {
  std::vector<std::int32_t> result(table.size());
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < to.size(); ++row)
    for (std::size_t i = 0; i < width; ++i) {
      const std::int32_t cell = table[row * width + i];
      result[static_cast<std::size_t>(to[row]) * width + i] = cell < 0 ? -1 : of[static_cast<std::size_t>(cell)];
    }
  return result;
}

}  // namespace

std::vector<AdaptiveLevel> adaptive_levels(std::span<const LeafCount> finest, int height, int leaf_size,
                                           std::span<const std::int64_t> sources, int periodic) {
  Counts before{{0}, {}};
  before.particles.reserve(finest.size() + 1);
  for (const LeafCount& cell : finest) before.particles.push_back(before.particles.back() + cell.particles);
  if (!sources.empty()) {
    before.sources.push_back(0);
    for (const std::int64_t of_cell : sources) before.sources.push_back(before.sources.back() + of_cell);
  }

  std::vector<AdaptiveLevel> levels;
  Cells cells{{0}, {0}, {finest.size()}};
  Neighbours neighbours = neighbours_of_root(periodic);
  for (int l = 0; !cells.key.empty(); ++l) {
    std::vector<char> divided(cells.key.size(), 0);
    if (l + 1 < height) divided = to_divide(cells, neighbours, before, l, leaf_size);
    const std::vector<std::int32_t> place = places_of(divided);
    Cells next = children_of(cells, divided, finest, l + 1);
    const std::vector<std::int32_t> children = children_by_octant(cells.key, next.key);
    const Range all{0, static_cast<std::int32_t>(next.key.size())};

    AdaptiveLevel level;
    level.inner = static_cast<std::int32_t>(std::count(divided.begin(), divided.end(), 1));
    level.key.resize(cells.key.size());
    level.begin.resize(cells.key.size());
    level.end.resize(cells.key.size());
    for (std::size_t cell = 0; cell < cells.key.size(); ++cell) {
      const auto to = static_cast<std::size_t>(place[cell]);
      level.key[to] = cells.key[cell];
      level.begin[to] = before.particles[cells.first[cell]];
      level.end[to] = before.particles[cells.end[cell]];
    }
    if (!sources.empty()) {
      level.sources.resize(cells.key.size());
      for (std::size_t cell = 0; cell < cells.key.size(); ++cell)
        level.sources[static_cast<std::size_t>(place[cell])] =
            before.sources[cells.end[cell]] - before.sources[cells.first[cell]];
    }
    level.neighbours = {{0, level.cells()}, renumbered(neighbours.table, 27, place, place)};
    if (l > 0)
      for (std::int32_t& child : levels.back().children)
        if (child >= 0) child = place[static_cast<std::size_t>(child)];
    std::vector<std::int32_t> same(next.key.size());
    for (std::int32_t c = 0; c < all.end; ++c) same[static_cast<std::size_t>(c)] = c;
    level.children = renumbered(children, 8, place, same);
    levels.push_back(std::move(level));

    neighbours = neighbours_of(all, next.key, cells.key, neighbours, children);
    cells = std::move(next);
  }
  return levels;
}

}  // namespace asterism::fmm
