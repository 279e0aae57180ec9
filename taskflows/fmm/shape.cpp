#include "taskflows/fmm/shape.hpp"

#include <algorithm>
#include <cmath>
#include <parallel/algorithm>

#include "taskflows/fmm/morton.hpp"

namespace asterism::fmm {
namespace {

/// Cells looked at per level.
constexpr std::size_t sample = 2000;
/// Leaves with fewer particles than this on average are not worth another level.
constexpr double fewest_per_leaf = 2;
/// Groups per unit: enough that the last ones to end do not matter much.
constexpr double groups_per_unit = 12;
/// P2P of a group on the unit that runs it best takes at least this long: StarPU's cost of a task is some 10 us.
constexpr double shortest_task = 400e-6;

struct Cells {
  std::vector<std::uint64_t> key;
  std::vector<std::int64_t> begin;
  [[nodiscard]] std::int64_t find(std::uint64_t k) const {
    const auto at = std::lower_bound(key.begin(), key.end(), k);
    return at != key.end() && *at == k ? at - key.begin() : -1;
  }
  [[nodiscard]] double particles(std::int64_t i) const {
    const auto c = static_cast<std::size_t>(i);
    return static_cast<double>(begin[c + 1] - begin[c]);
  }
};

Cells cells_of(const std::vector<std::uint64_t>& sorted, int shift) {
  Cells cells;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i] >> shift != cells.key.back()) {
      cells.key.push_back(sorted[i] >> shift);
      cells.begin.push_back(static_cast<std::int64_t>(i));
    }
  cells.begin.push_back(static_cast<std::int64_t>(sorted.size()));
  return cells;
}

/// Calls take(x, y, z) for the cells of the grid of `level` within `reach` of a cell.
template <class Take>
void around(const CellIndex& cell, int level, int reach, const Take& take) {
  const std::int32_t most = (std::int32_t{1} << level) - 1;
  for (int x = std::max(0, cell.x - reach); x <= std::min(most, cell.x + reach); ++x)
    for (int y = std::max(0, cell.y - reach); y <= std::min(most, cell.y + reach); ++y)
      for (int z = std::max(0, cell.z - reach); z <= std::min(most, cell.z + reach); ++z) take(x, y, z);
}

std::uint64_t key_of(int x, int y, int z) {
  return morton(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(z));
}

}  // namespace

std::vector<Workload> estimate_workloads(const Particles& particles, const Box& box, int most) {
  const int deepest = most - 1;
  const double scale = std::ldexp(1.0, deepest) / box.width;
  const double last = std::ldexp(1.0, deepest) - 1;
  std::vector<std::uint64_t> sorted(particles.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto at = [&](double p, double corner) {
      return static_cast<std::uint64_t>(std::clamp((p - corner) * scale, 0.0, last));
    };
    sorted[i] = morton(at(particles.x[i], box.x), at(particles.y[i], box.y), at(particles.z[i], box.z));
  }
  __gnu_parallel::sort(sorted.begin(), sorted.end());

  std::vector<Workload> loads;
  double cells_above = 0;
  double far_above = 0;
  for (int level = 0; level <= deepest; ++level) {
    const Cells cells = cells_of(sorted, 3 * (deepest - level));
    const std::size_t step = std::max<std::size_t>(1, cells.key.size() / sample);
    double near = 0;
    double far = 0;
    double looked_at = 0;
    for (std::size_t c = step / 2; c < cells.key.size(); c += step, ++looked_at) {
      const CellIndex cell = cell_of(cells.key[c]);
      const double own = cells.particles(static_cast<std::int64_t>(c));
      around(cell, level, 1, [&](int x, int y, int z) {
        const std::int64_t other = cells.find(key_of(x, y, z));
        if (other >= 0) near += own * cells.particles(other);
      });
      if (level < Tree::first_far_level) continue;
      around({cell.x >> 1, cell.y >> 1, cell.z >> 1}, level - 1, 1, [&](int x, int y, int z) {
        const std::uint64_t first = key_of(x, y, z) << 3;
        for (auto at = std::lower_bound(cells.key.begin(), cells.key.end(), first);
             at != cells.key.end() && *at < first + 8; ++at) {
          const CellIndex other = cell_of(*at);
          if (std::max({std::abs(other.x - cell.x), std::abs(other.y - cell.y), std::abs(other.z - cell.z)}) > 1) ++far;
        }
      });
    }
    const auto all = static_cast<double>(cells.key.size());
    const double factor = all / std::max(1.0, looked_at);
    far_above += far * factor;
    if (level >= Tree::first_far_level) cells_above += all;
    loads.push_back({level + 1, all, cells_above, near * factor / 2, far_above,
                     level >= Tree::first_far_level ? static_cast<double>(particles.size()) : 0.0});
    if (static_cast<double>(particles.size()) < fewest_per_leaf * all) break;
  }
  return loads;
}

double predicted_seconds(const Workload& work, const std::vector<UnitRates>& kinds) {
  // One kind: a sum. Two: what the faster kind is least better at goes to the slower one first, as far as it helps
  // (the fractional optimum for two kinds of units).
  struct Share {
    double on[2];
  };
  const auto of = [&](const UnitRates& r, double amount, double rate) {
    return r.units > 0 ? amount * rate / r.units : INFINITY;
  };
  std::vector<Share> parts;
  const UnitRates none;
  const UnitRates& first = kinds.front();
  const UnitRates& second = kinds.size() > 1 ? kinds[1] : none;
  const double amounts[4] = {work.near_pairs, work.far_pairs, work.particles, work.cells};
  double UnitRates::*const rates[4] = {&UnitRates::near_pair, &UnitRates::far_pair, &UnitRates::particle,
                                       &UnitRates::cell};
  for (int i = 0; i < 4; ++i)
    if (amounts[i] > 0)
      parts.push_back({{of(first, amounts[i], first.*rates[i]), of(second, amounts[i], second.*rates[i])}});
  if (second.units == 0) {
    double sum = 0;
    for (const Share& p : parts) sum += p.on[0];
    return sum;
  }
  const auto ratio = [](const Share& p) {
    if (std::isinf(p.on[1])) return 0.0;  // the first kind has to
    return p.on[1] > 0 ? p.on[0] / p.on[1] : INFINITY;
  };
  std::sort(parts.begin(), parts.end(), [&](const Share& a, const Share& b) { return ratio(a) < ratio(b); });
  double best = parts.empty() ? 0 : INFINITY;
  for (std::size_t cut = 0; cut < parts.size(); ++cut) {
    // parts before `cut` on the first kind, after it on the second, this one divided so that both end together
    double a = 0;
    double b = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) (i < cut ? a : b) += i == cut ? 0.0 : parts[i].on[i < cut ? 0 : 1];
    const double x = parts[cut].on[0];
    const double y = parts[cut].on[1];
    double share = 0;
    if (std::isinf(y))
      share = 1;
    else if (std::isfinite(x) && x + y > 0)
      share = std::clamp((b + y - a) / (x + y), 0.0, 1.0);
    const double first_ends = share > 0 ? a + share * x : a;
    const double second_ends = share < 1 ? b + (1 - share) * y : b;
    best = std::min(best, std::max(first_ends, second_ends));
  }
  return best;
}

TreeShape complete_shape(TreeShape shape, const Particles& particles, const Box& box,
                         const std::vector<UnitRates>& kinds) {
  if (shape.height > 0 && shape.group_size > 0) return shape;
  const std::vector<Workload> loads = estimate_workloads(particles, box, shape.height > 0 ? shape.height : max_height);
  const Workload* chosen = &loads.back();
  if (shape.height == 0) {
    for (const Workload& load : loads)
      if (predicted_seconds(load, kinds) < predicted_seconds(*chosen, kinds)) chosen = &load;
    shape.height = chosen->height;
  }
  if (shape.group_size == 0) {
    int units = 0;
    double fastest = INFINITY;
    for (const UnitRates& kind : kinds) {
      units += kind.units;
      if (kind.units > 0) fastest = std::min(fastest, kind.near_pair);
    }
    const double for_balance = chosen->leaves / (groups_per_unit * std::max(1, units));
    const double near_per_leaf = chosen->near_pairs / chosen->leaves * fastest;
    const double for_length = near_per_leaf > 0 ? shortest_task / near_per_leaf : 1;
    shape.group_size = static_cast<int>(std::clamp(
        std::max(for_balance, std::min(for_length, chosen->leaves / (2.0 * std::max(1, units)))), 1.0, 4096.0));
  }
  return shape;
}

}  // namespace asterism::fmm
