// SPDX-License-Identifier: Apache-2.0
// Input of the far-field tests and benchmarks: cells, interaction lists built pair by pair, operators of random
// numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/fmm/kernels/far/basis.hpp"
#include "codelets/fmm/kernels/far/views.hpp"

namespace asterism::fmm::cases {

using Generator = std::mt19937_64;

/// Leaves of no round size or place.
inline constexpr Grid grid{-0.7, 3.1, 0.4, 0.375};

inline double uniform(Generator& generator, double low = -1, double high = 1) {
  return std::uniform_real_distribution<double>(low, high)(generator);
}

inline std::vector<double> random_vector(std::int64_t n, Generator& generator) {
  std::vector<double> v(as_size(n));
  for (double& x : v) x = uniform(generator);
  return v;
}

/// Expansions of `cells` cells: random coefficients, zeros between `size` and `stride`.
inline std::vector<double> random_expansions(const BasisView& basis, std::int64_t cells, Generator& generator) {
  std::vector<double> v(as_size(cells * basis.stride), 0.0);
  for (std::int64_t cell = 0; cell < cells; ++cell)
    for (std::int64_t i = 0; i < basis.size; ++i) v[as_size(cell * basis.stride + i)] = uniform(generator);
  return v;
}

/// The cells of a box from `first` on, children of a parent one after the other, each kept with probability `density`.
inline std::vector<CellIndex> box(const CellIndex& first, const CellIndex& extent, double density,
                                  Generator& generator) {
  std::vector<CellIndex> cells;
  for (int x = 0; x < extent.x; ++x)
    for (int y = 0; y < extent.y; ++y)
      for (int z = 0; z < extent.z; ++z)
        if (density >= 1 || uniform(generator, 0, 1) < density)
          cells.push_back({first.x + x, first.y + y, first.z + z});
  const auto morton = [](const CellIndex& c) {
    std::uint64_t key = 0;
    for (int bit = 20; bit >= 0; --bit)
      key = key << 3 | static_cast<std::uint64_t>((c.x >> bit & 1) << 2 | (c.y >> bit & 1) << 1 | (c.z >> bit & 1));
    return key;
  };
  std::sort(cells.begin(), cells.end(), [&](const CellIndex& a, const CellIndex& b) { return morton(a) < morton(b); });
  return cells;
}

struct List {
  std::int32_t tiles = 0;
  std::vector<std::int32_t> begin;
  std::vector<M2LPair> pairs;
  std::vector<std::int32_t> rank;
  [[nodiscard]] M2LList view() const { return {tiles, begin.data(), pairs.data(), rank.data()}; }
};

/// All interactions of the targets with the cells of the source groups: not adjacent, but their parents are. The pairs
/// of a direction and a tile come in random order when there is a `generator`.
inline List interactions(const std::vector<CellIndex>& targets, const std::vector<std::vector<CellIndex>>& sources,
                         Generator* generator = nullptr) {
  std::map<std::tuple<int, int, int>, std::uint32_t> source_at;
  for (std::size_t group = 0; group < sources.size(); ++group)
    for (std::size_t i = 0; i < sources[group].size(); ++i) {
      const CellIndex& c = sources[group][i];
      source_at[{c.x, c.y, c.z}] = static_cast<std::uint32_t>(group << source_bits | i);
    }
  List list;
  std::vector<std::int32_t> order(targets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return octant_of(targets[as_size(a)]) < octant_of(targets[as_size(b)]);
  });
  list.tiles = static_cast<std::int32_t>((targets.size() + m2l_tile - 1) / m2l_tile);
  list.rank.resize(targets.size());
  std::vector<std::vector<M2LPair>> cells(as_size(directions) * as_size(list.tiles));
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const CellIndex& t = targets[as_size(order[rank])];
    list.rank[as_size(order[rank])] = static_cast<std::int32_t>(rank);
    for (int dx = -3; dx <= 3; ++dx)
      for (int dy = -3; dy <= 3; ++dy)
        for (int dz = -3; dz <= 3; ++dz) {
          const CellIndex s{t.x - dx, t.y - dy, t.z - dz};
          const auto near = [](int a, int b, int distance) { return a - b <= distance && b - a <= distance; };
          if (near(t.x, s.x, 1) && near(t.y, s.y, 1) && near(t.z, s.z, 1)) continue;
          if (!near(t.x >> 1, s.x >> 1, 1) || !near(t.y >> 1, s.y >> 1, 1) || !near(t.z >> 1, s.z >> 1, 1)) continue;
          const auto found = source_at.find({s.x, s.y, s.z});
          if (found == source_at.end()) continue;
          cells[as_size(direction_of(dx, dy, dz)) * as_size(list.tiles) + rank / m2l_tile].push_back(
              {static_cast<std::uint32_t>(order[rank]), found->second});
        }
  }
  list.begin.reserve(as_size(directions) * (as_size(list.tiles) + 1));
  for (int d = 0; d < directions; ++d) {
    for (int tile = 0; tile < list.tiles; ++tile) {
      list.begin.push_back(static_cast<std::int32_t>(list.pairs.size()));
      auto& pairs = cells[as_size(d) * as_size(list.tiles) + as_size(tile)];
      if (generator != nullptr) std::shuffle(pairs.begin(), pairs.end(), *generator);
      list.pairs.insert(list.pairs.end(), pairs.begin(), pairs.end());
    }
    list.begin.push_back(static_cast<std::int32_t>(list.pairs.size()));
  }
  return list;
}

/// Operators of random numbers and ranks between 1 and max_rank, for the directions of a list.
struct Operators {
  std::int32_t size = 0;
  std::int32_t stride = 0;
  std::vector<M2LDirection> direction;
  std::vector<double> data;
  [[nodiscard]] M2LView view() const { return {size, stride, direction.data(), data.data()}; }
};

inline Operators random_operators(const BasisView& basis, const List& list, int max_rank, Generator& generator) {
  Operators op;
  op.size = basis.size;
  op.stride = basis.stride;
  op.direction.resize(as_size(directions));
  for (int d = 0; d < directions; ++d) {
    const std::size_t first = as_size(d) * (as_size(list.tiles) + 1);
    if (list.begin[first] == list.begin[first + as_size(list.tiles)]) continue;
    M2LDirection& direction = op.direction[as_size(d)];
    direction.rank = std::uniform_int_distribution<int>(1, std::min<int>(max_rank, op.size))(generator);
    direction.padded = (direction.rank + 7) / 8 * 8;
    direction.v = static_cast<std::int64_t>(op.data.size());
    for (int k = 0; k < op.size; ++k)
      for (int r = 0; r < direction.padded; ++r) op.data.push_back(r < direction.rank ? uniform(generator) : 0.0);
    direction.u = static_cast<std::int64_t>(op.data.size());
    for (int r = 0; r < direction.rank; ++r)
      for (int k = 0; k < op.stride; ++k) op.data.push_back(k < op.size ? uniform(generator) : 0.0);
  }
  return op;
}

/// Families: the parents of the given cells, whose children must stand one after the other.
struct Families {
  std::vector<CellIndex> parents;
  std::vector<Family> families;
};
inline Families families_of(const std::vector<CellIndex>& children) {
  Families out;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const CellIndex parent{children[i].x >> 1, children[i].y >> 1, children[i].z >> 1};
    if (out.parents.empty() || out.parents.back().x != parent.x || out.parents.back().y != parent.y ||
        out.parents.back().z != parent.z) {
      out.families.push_back(
          {static_cast<std::int32_t>(out.parents.size()), static_cast<std::int32_t>(i), std::int32_t{0}});
      out.parents.push_back(parent);
    }
    ++out.families.back().children;
  }
  return out;
}

/// Particles in leaves: `count[i]` in cell i, anywhere in it.
struct Particles {
  std::vector<std::int32_t> begin{0};
  std::vector<double> x, y, z, q;
};
inline Particles particles_in(const std::vector<CellIndex>& cells, const Grid& grid, const std::vector<int>& count,
                              Generator& generator) {
  Particles p;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (int j = 0; j < count[i]; ++j) {
      p.x.push_back(grid.x + (cells[i].x + uniform(generator, 0, 1)) * grid.width);
      p.y.push_back(grid.y + (cells[i].y + uniform(generator, 0, 1)) * grid.width);
      p.z.push_back(grid.z + (cells[i].z + uniform(generator, 0, 1)) * grid.width);
      p.q.push_back(uniform(generator));
    }
    p.begin.push_back(static_cast<std::int32_t>(p.x.size()));
  }
  return p;
}

}  // namespace asterism::fmm::cases
