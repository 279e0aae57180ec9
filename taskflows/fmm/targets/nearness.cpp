// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/targets/nearness.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/problem.hpp"
#include "taskflows/fmm/tree/box.hpp"
#include "taskflows/fmm/tree/morton.hpp"

namespace asterism::fmm {
namespace {

constexpr std::size_t sample_size = 8192;
/// Sources of the sample in a cell that has any, on average, at most.
constexpr std::size_t per_cell = 8;
constexpr int finest = 20;

struct Point {
  double x, y, z;
};

/// Every n-th of the points of all ranks.
std::vector<Point> sample_of(const Particles& points) {
  const std::size_t most = std::max<std::size_t>(1, sample_size / static_cast<std::size_t>(rank_group().ranks()));
  const std::size_t step = std::max<std::size_t>(1, (points.size() + most - 1) / most);
  std::vector<Point> mine;
  for (std::size_t i = 0; i < points.size(); i += step) mine.push_back({points.x[i], points.y[i], points.z[i]});
  std::vector<Point> all;
  for (const auto& part :
       rank_group().exchange(std::vector<std::vector<Point>>(static_cast<std::size_t>(rank_group().ranks()), mine)))
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The cells of a level that have points, increasing.
std::vector<std::uint64_t> cells_of(const Box& box, int level, const std::vector<Point>& points) {
  std::vector<std::uint64_t> keys;
  for (const Point& p : points) keys.push_back(key_of(box, level, p.x, p.y, p.z));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

double share_near_sources(const Particles& sources, const Particles& targets) {
  const std::vector<Point> from = sample_of(sources);
  const std::vector<Point> at = sample_of(targets);
  if (from.empty() || at.empty()) return 1;
  Extent around;
  for (const auto* const points : {&from, &at})
    for (const Point& p : *points) {
      const double place[3] = {p.x, p.y, p.z};
      for (int d = 0; d < 3; ++d) {
        around.low[d] = std::min(around.low[d], place[d]);
        around.high[d] = std::max(around.high[d], place[d]);
      }
    }
  const Box box = box_around(around);
  int level = 0;
  std::vector<std::uint64_t> cells = cells_of(box, level, from);
  while (level < finest && cells.size() * per_cell < from.size()) cells = cells_of(box, ++level, from);
  std::size_t near = 0;
  for (const Point& p : at) {
    const CellIndex cell = cell_of(key_of(box, level, p.x, p.y, p.z));
    const std::int32_t last = (std::int32_t{1} << level) - 1;
    bool found = false;
    for (int m = 0; m < 27 && !found; ++m) {
      const std::int32_t next[3] = {cell.x + m / 9 - 1, cell.y + m / 3 % 3 - 1, cell.z + m % 3 - 1};
      if (std::any_of(next, next + 3, [&](std::int32_t c) { return c < 0 || c > last; })) continue;
      const auto index = [](std::int32_t c) { return static_cast<std::uint64_t>(c); };
      found = std::binary_search(cells.begin(), cells.end(), morton(index(next[0]), index(next[1]), index(next[2])));
    }
    near += found ? 1 : 0;
  }
  return static_cast<double>(near) / static_cast<double>(at.size());
}

int setting_for_targets(int acc, double share_near) {
  constexpr double most = 0.5;
  constexpr int coarse = 4;
  return std::min(highest_accuracy, acc + (share_near < most ? 2 : acc < coarse ? 1 : 0));
}

}  // namespace asterism::fmm
