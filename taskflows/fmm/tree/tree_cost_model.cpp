// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/tree/tree_cost_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <parallel/algorithm>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/tree/morton.hpp"

namespace asterism::fmm {
namespace {

/// Cells that are examined per level.
constexpr std::size_t sample_size = 2000;
/// Leaves with fewer particles than this on average are not worth another level.
constexpr double fewest_per_leaf = 2;
/// Groups per unit: enough that the last ones to end do not matter much.
constexpr double groups_per_unit = 12;
/// Cores get this part of the near field that would keep them busy as long as the GPUs: they must not be late, and on
/// shared machines they are not always at full speed.
constexpr double safe_share = 0.75;
/// Pieces per core: the last to end is late by a part of one.
constexpr int pieces_per_core = 4;
/// What pieces cost: seconds of an evaluation, and of each of its tasks, of which a group has so many.
constexpr double start_of_pieces = 1e-3;
constexpr double longer_task = 2e-6;
constexpr double tasks_per_group = 8;
/// P2P of a group on the unit that runs it best takes at least this long: StarPU's cost of a task is some 10 us.
constexpr double shortest_task = 400e-6;
/// Several vectors of charges together take so many times as long as one: a near pair this and for each vector that
/// (AVX-512), a far pair for each vector, in groups smaller than the one whose rate is measured.
constexpr double near_pair_together = 0.65;
constexpr double near_vector = 0.5;
constexpr double far_vector = 1.2;
/// A wider box has to be predicted this much faster.
constexpr double gain_of_widening = 0.97;
/// Cells along the side of the cube around the points, of this many along that of a widened box.
constexpr int widened_cells = 16;

/// Most leaves of all ranks that are brought together: every rank knows all leaves of the tree.
constexpr std::int64_t most_known = std::int64_t{1} << 24;

struct FoundCells {
  Leaves cells;
  [[nodiscard]] std::int64_t find(std::uint64_t k) const {
    const auto at = std::lower_bound(cells.key.begin(), cells.key.end(), k);
    return at != cells.key.end() && *at == k ? at - cells.key.begin() : -1;
  }
  [[nodiscard]] double particles(std::int64_t i) const {
    const auto c = static_cast<std::size_t>(i);
    return static_cast<double>(cells.begin[c + 1] - cells.begin[c]);
  }
};

/// Cells of a level that are not empty, none above the level at which there are few particles per cell.
struct Finest {
  std::vector<LeafCount> cells;
  int level = 0;
  std::int64_t particles = 0;
};

/// The cells of the particles [begin, end).
Finest finest_cells(const Particles& part, const Box& box, int deepest, std::size_t begin, std::size_t end) {
  std::vector<std::uint64_t> sorted(end - begin);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = key_of(box, deepest, part.x[begin + i], part.y[begin + i], part.z[begin + i]);
  __gnu_parallel::sort(sorted.begin(), sorted.end());
  Finest finest{{}, deepest, static_cast<std::int64_t>(sorted.size())};
  for (const std::uint64_t key : sorted) {
    if (finest.cells.empty() || finest.cells.back().key != key) finest.cells.push_back({key, 0});
    ++finest.cells.back().particles;
  }
  return finest;
}

/// The first level with few particles per cell, else the finest one.
int deepest_useful(const Finest& finest) {
  std::array<std::int64_t, max_height> added{};  // cells of a level beyond those of the level above
  for (std::size_t c = 1; c < finest.cells.size(); ++c) {
    const int bits = 64 - std::countl_zero(finest.cells[c - 1].key ^ finest.cells[c].key);
    ++added[static_cast<std::size_t>(finest.level - (bits - 1) / 3)];
  }
  std::int64_t cells = 1;
  int level = 0;
  while (level < finest.level && static_cast<double>(finest.particles) >= fewest_per_leaf * static_cast<double>(cells))
    cells += added[static_cast<std::size_t>(++level)];
  return level;
}

/// The finest cells of all ranks, on each of them.
Finest gathered(Finest of_part) {
  struct Counts {
    std::int64_t particles = 0;
    std::array<std::int64_t, max_height> cells{};  ///< [level]
  };
  const std::vector<LeafCount> mine = sort_over_ranks(of_part.cells);
  Counts counts{of_part.particles, {}};
  for (int level = 0; level <= of_part.level; ++level)
    counts.cells[static_cast<std::size_t>(level)] =
        static_cast<std::int64_t>(coarser(mine, of_part.level - level).size());
  Counts all;
  for (const Counts& of_rank : rank_group().all_gather(counts)) {
    all.particles += of_rank.particles;
    for (std::size_t l = 0; l < all.cells.size(); ++l) all.cells[l] += of_rank.cells[l];
  }
  // deep enough to see that deeper is not worth it; a cell above the finest may have been counted by several ranks
  int level = 0;
  const auto cells = [&](int l) { return all.cells[static_cast<std::size_t>(l)]; };
  while (level < of_part.level && cells(level + 1) <= most_known &&
         static_cast<double>(all.particles) >=
             fewest_per_leaf * static_cast<double>(cells(level) - rank_group().ranks() + 1))
    ++level;
  return {intervals_of_all(coarser(mine, of_part.level - level)), level, all.particles};
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

/// The cells of the levels down to `deepest`.
std::vector<FoundCells> cells_of_levels(const Finest& finest, int deepest) {
  std::vector<std::vector<LeafCount>> levels(static_cast<std::size_t>(deepest) + 1);
  levels.back() = coarser(finest.cells, finest.level - deepest);
  for (std::size_t level = levels.size() - 1; level > 0; --level) levels[level - 1] = coarser(levels[level], 1);
  std::vector<FoundCells> cells;
  for (const std::vector<LeafCount>& level : levels) cells.push_back({leaves_of(level)});
  return cells;
}

}  // namespace

std::vector<UnitRates> rates_apart(std::vector<UnitRates> kinds) {
  for (UnitRates& kind : kinds) kind.near_pair = kind.one_way_pair;
  return kinds;
}

std::vector<UnitRates> rates_together(std::vector<UnitRates> kinds, int vectors) {
  if (vectors == 1 || std::any_of(kinds.begin(), kinds.end(), [](const UnitRates& kind) { return kind.gpu; }))
    return kinds;
  for (UnitRates& kind : kinds) {
    kind.near_pair *= near_pair_together + near_vector * vectors;
    kind.far_pair *= far_vector * vectors;
    kind.particle *= vectors;
    kind.cell *= vectors;
  }
  return kinds;
}

std::vector<Workload> estimate_workloads(const Particles& particles, const Box& box, int most, Ranks ranks,
                                         std::optional<std::size_t> source_count) {
  Finest finest = finest_cells(particles, box, most - 1, 0, particles.size());
  if (ranks == Ranks::any && rank_group().distributed()) finest = gathered(std::move(finest));
  const auto all_particles = static_cast<double>(finest.particles);

  const int deepest = deepest_useful(finest);
  const std::vector<FoundCells> all_cells = cells_of_levels(finest, deepest);
  std::vector<FoundCells> of_sources;  // and those of targets: all cells where these are not apart
  std::vector<FoundCells> of_targets;
  if (source_count) {
    of_sources = cells_of_levels(finest_cells(particles, box, most - 1, 0, *source_count), deepest);
    of_targets = cells_of_levels(finest_cells(particles, box, most - 1, *source_count, particles.size()), deepest);
  }
  const double both_ways = source_count ? 1 : 2;  // ordered pairs that one evaluated pair stands for

  std::vector<Workload> loads;
  double cells_above = 0;
  double far_above = 0;
  for (int level = 0; level <= deepest; ++level) {
    const auto l = static_cast<std::size_t>(level);
    const FoundCells& targets = source_count ? of_targets[l] : all_cells[l];
    const FoundCells& sources = source_count ? of_sources[l] : all_cells[l];
    const std::vector<std::uint64_t>& keys = targets.cells.key;
    const std::vector<std::uint64_t>& source_keys = sources.cells.key;
    const std::size_t step = std::max<std::size_t>(1, keys.size() / sample_size);
    double near = 0;
    double far = 0;
    double looked_at = 0;
#pragma omp parallel for schedule(static) reduction(+ : near, far, looked_at)
    for (std::size_t c = step / 2; c < keys.size(); c += step) {
      ++looked_at;
      const CellIndex cell = cell_of(keys[c]);
      const double own = targets.particles(static_cast<std::int64_t>(c));
      around(cell, level, 1, [&](int x, int y, int z) {
        const std::int64_t other = sources.find(key_of(x, y, z));
        if (other >= 0) near += own * sources.particles(other);
      });
      if (level < Tree::first_far_level) continue;
      around({cell.x >> 1, cell.y >> 1, cell.z >> 1}, level - 1, 1, [&](int x, int y, int z) {
        const std::uint64_t first = key_of(x, y, z) << 3;
        for (auto at = std::lower_bound(source_keys.begin(), source_keys.end(), first);
             at != source_keys.end() && *at < first + 8; ++at) {
          const CellIndex other = cell_of(*at);
          if (std::max({std::abs(other.x - cell.x), std::abs(other.y - cell.y), std::abs(other.z - cell.z)}) > 1) ++far;
        }
      });
    }
    const double factor = static_cast<double>(keys.size()) / std::max(1.0, looked_at);
    far_above += far * factor;
    const auto passed = static_cast<double>(keys.size() + source_keys.size()) / 2;
    if (level >= Tree::first_far_level) cells_above += passed;
    loads.push_back({level + 1, static_cast<double>(all_cells[l].cells.key.size()), cells_above,
                     near * factor / both_ways, far_above,
                     level >= Tree::first_far_level ? (source_count ? 0.5 : 1.0) * all_particles : 0.0});
  }
  return loads;
}

double predicted_seconds(const Workload& work, const std::vector<UnitRates>& all_kinds) {
  std::vector<UnitRates> kinds = all_kinds;
  for (UnitRates& kind : kinds) kind.units = std::min(kind.units, static_cast<int>(std::max(1.0, work.leaves)));
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

Relief relief_by_cores(const ChosenTree& tree, const UnitRates& cores, const UnitRates& gpus) {
  const Workload& work = tree.load;
  const double on_gpus = work.near_pairs * gpus.near_pair / gpus.units;
  const double on_cores = work.near_pairs * cores.near_pair / cores.units;
  const double all = predicted_seconds(work, {gpus});
  const double share = safe_share * std::min(1.0, all / (on_cores + on_gpus));
  const double for_length = share * work.near_pairs * cores.near_pair / shortest_task;
  const int count = static_cast<int>(std::min<double>(pieces_per_core * cores.units, for_length));
  // measured on one H200: an adaptive tree gains nothing, and every task takes longer where cores take part
  const double tasks = tasks_per_group * (work.cells + work.leaves) / tree.shape.group_size;
  const double lost = start_of_pieces + tasks * longer_task;
  if (count < cores.units || tree.shape.adaptive() || share * on_gpus < lost) return {{}, all};
  return {{share, count}, all - share * on_gpus};
}

int suitable_group_size(const Workload& work, const std::vector<UnitRates>& kinds) {
  int units = 0;
  double fastest = INFINITY;
  for (const UnitRates& kind : kinds) {
    units += kind.units;
    if (kind.units > 0) fastest = std::min(fastest, kind.near_pair);
  }
  const double for_balance = work.leaves / (groups_per_unit * std::max(1, units));
  const double near_per_leaf = work.near_pairs / work.leaves * fastest;
  const double for_length = near_per_leaf > 0 ? shortest_task / near_per_leaf : 1;
  return static_cast<int>(
      std::clamp(std::max(for_balance, std::min(for_length, work.leaves / (2.0 * std::max(1, units)))), 1.0, 4096.0));
}

ChosenTree best_uniform_tree(const TreeShape& wanted, const std::vector<Workload>& loads,
                             const std::vector<UnitRates>& kinds) {
  const Workload* best = &loads.back();
  if (wanted.height == 0)
    for (const Workload& load : loads)
      if (predicted_seconds(load, kinds) < predicted_seconds(*best, kinds)) best = &load;
  ChosenTree tree{wanted, predicted_seconds(*best, kinds), *best};
  if (wanted.height == 0) tree.shape.height = best->height;
  if (wanted.group_size == 0) tree.shape.group_size = suitable_group_size(*best, kinds);
  return tree;
}

/// The work of a tree of the height of `fine` in a box `widening` times as wide: that of `coarse` with 2, of `fine`
/// with 1.
static Workload work_between(const Workload& coarse, const Workload& fine, double widening) {
  Workload between = fine;
  for (double Workload::*const amount :
       {&Workload::leaves, &Workload::cells, &Workload::near_pairs, &Workload::far_pairs})
    if (coarse.*amount > 0 && fine.*amount > 0)
      between.*amount = fine.*amount * std::pow(coarse.*amount / fine.*amount, std::log2(widening));
  return between;
}

ChosenTree best_widened_tree(const TreeShape& wanted, const std::vector<Workload>& loads,
                             const std::vector<UnitRates>& kinds) {
  ChosenTree best = best_uniform_tree(wanted, loads, kinds);
  if (wanted.height > 0) return best;
  const double least = best.seconds * gain_of_widening;
  for (std::size_t l = 1; l < loads.size(); ++l)
    for (int cells = widened_cells / 2 + 1; cells < widened_cells; ++cells) {
      const double widening = static_cast<double>(widened_cells) / cells;
      const Workload load = work_between(loads[l - 1], loads[l], widening);
      const double seconds = predicted_seconds(load, kinds);
      if (loads[l - 1].far_pairs == 0 || seconds >= std::min(best.seconds, least)) continue;
      best = {wanted, seconds, load};
      best.shape.height = load.height;
      best.shape.widening = widening;
      if (wanted.group_size == 0) best.shape.group_size = suitable_group_size(load, kinds);
    }
  return best;
}

}  // namespace asterism::fmm
