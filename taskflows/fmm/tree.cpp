#include "taskflows/fmm/tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <parallel/algorithm>

#include "taskflows/fmm/morton.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::fmm {
namespace {

/// The box exceeds the points by this share, so that none lies on its upper faces.
constexpr double margin = 1e-9;

/// Places among the 27 neighbours of a cell.
constexpr int place(int dx, int dy, int dz) {
  return ((dx + 1) * 3 + dy + 1) * 3 + dz + 1;
}

/// Children of each cell of a level, by octant, -1 where there is none.
std::vector<std::int32_t> children_by_octant(const Level& parents, const Level& children) {
  std::vector<std::int32_t> table(parents.key.size() * 8, -1);
  std::size_t parent = 0;
  for (std::size_t c = 0; c < children.key.size(); ++c) {
    while (parents.key[parent] != children.key[c] >> 3) ++parent;
    table[parent * 8 + static_cast<std::size_t>(children.key[c] & 7)] = static_cast<std::int32_t>(c);
  }
  return table;
}

/// Neighbours of each cell from those of the parents: no search.
std::vector<std::int32_t> neighbours_of(const Level& level, const Level& parents,
                                        const std::vector<std::int32_t>& parent_neighbours,
                                        const std::vector<std::int32_t>& children) {
  std::vector<std::int32_t> table(level.key.size() * 27, -1);
  std::vector<std::int32_t> parent_of(level.key.size());
  for (std::size_t p = 0; p < parents.key.size(); ++p)
    for (std::size_t o = 0; o < 8; ++o)
      if (children[p * 8 + o] >= 0) parent_of[static_cast<std::size_t>(children[p * 8 + o])] = static_cast<int>(p);
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < level.key.size(); ++c) {
    const CellIndex& cell = level.index[c];
    const auto* around = &parent_neighbours[static_cast<std::size_t>(parent_of[c]) * 27];
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const int x = (cell.x & 1) + dx;
          const int y = (cell.y & 1) + dy;
          const int z = (cell.z & 1) + dz;
          const std::int32_t parent = around[place(x >> 1, y >> 1, z >> 1)];
          if (parent >= 0)
            table[c * 27 + static_cast<std::size_t>(place(dx, dy, dz))] =
                children[static_cast<std::size_t>(parent) * 8 +
                         static_cast<std::size_t>((x & 1) | (y & 1) << 1 | (z & 1) << 2)];
        }
  }
  return table;
}

void make_groups(Level& level, int group_size) {
  const auto cells = static_cast<std::int32_t>(level.key.size());
  for (std::int32_t first = 0; first < cells; first += group_size)
    level.groups.push_back({first, std::min(group_size, cells - first)});
  level.rank.resize(level.groups.size());
  for (std::size_t g = 0; g < level.groups.size(); ++g) {
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

/// Families of each group of `level`, and which of them belong to which group of parents.
void make_families(Level& level, const Level& parents, int group_size) {
  level.families.resize(level.groups.size());
  level.parent_groups.resize(level.groups.size());
  for (std::size_t g = 0; g < level.groups.size(); ++g) {
    const Group& group = level.groups[g];
    auto& families = level.families[g];
    auto& ranges = level.parent_groups[g];
    for (std::int32_t c = 0; c < group.cells; ++c) {
      const std::uint64_t key = level.key[static_cast<std::size_t>(group.first + c)] >> 3;
      if (c > 0 && key == level.key[static_cast<std::size_t>(group.first + c - 1)] >> 3) {
        ++families.back().children;
        continue;
      }
      const auto parent = static_cast<std::int32_t>(std::lower_bound(parents.key.begin(), parents.key.end(), key) -
                                                    parents.key.begin());
      const std::int32_t parent_group = parent / group_size;
      const auto number = static_cast<std::int32_t>(families.size());
      families.push_back({parent % group_size, c, 1});
      if (ranges.empty() || ranges.back().parent_group != parent_group)
        ranges.push_back({parent_group, number, number});
      ++ranges.back().end;
    }
  }
}

}  // namespace

Box bounding_box(std::span<const double> x, std::span<const double> y, std::span<const double> z) {
  double low[3] = {INFINITY, INFINITY, INFINITY};
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p[3] = {x[i], y[i], z[i]};
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], p[d]);
      high[d] = std::max(high[d], p[d]);
    }
  }
  double width = 0;
  double size = 0;
  for (int d = 0; d < 3; ++d) {
    width = std::max(width, high[d] - low[d]);
    size = std::max({size, std::abs(low[d]), std::abs(high[d])});
  }
  width = width > 0 ? width * (1 + margin) : 1;
  width = std::max(width, 16 * size * 0x1p-52);
  return {(low[0] + high[0] - width) / 2, (low[1] + high[1] - width) / 2, (low[2] + high[2] - width) / 2, width};
}

Grid Tree::grid(int l) const noexcept {
  return {box_.x, box_.y, box_.z, std::ldexp(box_.width, -l)};
}

std::uint64_t Tree::key_of(double x, double y, double z) const {
  const double scale = std::ldexp(1.0, leaf_level()) / box_.width;
  const auto most = (std::uint64_t{1} << leaf_level()) - 1;
  const auto cell = [&](double position, double corner) {
    const double at = (position - corner) * scale;
    return std::min(most, static_cast<std::uint64_t>(std::max(at, 0.0)));
  };
  return morton(cell(x, box_.x), cell(y, box_.y), cell(z, box_.z));
}

Tree::Tree(std::span<const double> x, std::span<const double> y, std::span<const double> z, const Box& box,
           const TreeShape& shape)
    : box_(box), shape_(shape) {
  if (shape.height < 1 || shape.height > max_height)
    bad_input("tree height {}: expected 1 to {}", shape.height, max_height);
  if (shape.group_size < 1) bad_input("{} cells per group: expected at least 1", shape.group_size);
  if (shape.group_size >= 1 << source_bits)
    bad_input("{} cells per group: expected less than {}", shape.group_size, 1 << source_bits);
  if (x.empty()) bad_input("no particles");
  if (x.size() > UINT32_MAX) bad_input("{} particles: expected at most {}", x.size(), UINT32_MAX);
  std::vector<Keyed> sorted(x.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < x.size(); ++i) sorted[i] = {key_of(x[i], y[i], z[i]), static_cast<std::uint32_t>(i)};
  __gnu_parallel::sort(sorted.begin(), sorted.end());
  take_order(sorted);
  build_levels();
  build_near();
}

Change Tree::update(std::span<const double> x, std::span<const double> y, std::span<const double> z) {
  if (x.size() != order_.size()) bad_input("{} particles: expected {}, as before", x.size(), order_.size());
  std::vector<Keyed> stay;
  std::vector<Keyed> move;
  stay.reserve(x.size());
  for (std::size_t s = 0; s < order_.size(); ++s) {
    const std::uint32_t i = order_[s];
    const std::uint64_t key = key_of(x[i], y[i], z[i]);
    (key == keys_[s] ? stay : move).push_back({key, i});
  }
  if (move.empty()) return Change::none;
  __gnu_parallel::sort(move.begin(), move.end());
  std::vector<Keyed> sorted(x.size());
  std::merge(stay.begin(), stay.end(), move.begin(), move.end(), sorted.begin());
  const std::vector<std::uint64_t> before = leaves().key;
  take_order(sorted);
  const bool changed = leaves().key != before;
  if (changed) build_levels();
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
}

void Tree::build_levels() {
  std::vector<std::uint64_t> leaf_keys = std::move(levels_.back().key);
  levels_.assign(static_cast<std::size_t>(shape_.height), {});
  levels_.back().key = std::move(leaf_keys);
  for (std::size_t l = levels_.size() - 1; l-- > 0;) {
    for (const std::uint64_t key : levels_[l + 1].key)
      if (levels_[l].key.empty() || levels_[l].key.back() != key >> 3) levels_[l].key.push_back(key >> 3);
  }
  for (Level& level : levels_) {
    level.index.resize(level.key.size());
    std::transform(level.key.begin(), level.key.end(), level.index.begin(), cell_of);
    make_groups(level, shape_.group_size);
  }
  neighbours_.assign(27, -1);  // the root's: itself alone
  neighbours_[13] = 0;
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    const std::vector<std::int32_t> children = children_by_octant(levels_[l - 1], levels_[l]);
    if (l >= first_far_level) build_far(levels_[l], levels_[l - 1], neighbours_, children);
    if (l > first_far_level) make_families(levels_[l], levels_[l - 1], shape_.group_size);
    neighbours_ = neighbours_of(levels_[l], levels_[l - 1], neighbours_, children);
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
