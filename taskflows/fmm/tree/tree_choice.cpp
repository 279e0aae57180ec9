// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/tree/tree_choice.hpp"

#include <algorithm>
#include <cmath>
#include <parallel/algorithm>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/tree/morton.hpp"

namespace asterism::fmm {
namespace {

/// Cells of a level whose far pairs are counted.
constexpr std::int32_t sample = 2000;
/// Particles whose places are looked at before anything else.
constexpr std::size_t looked_at = 1 << 16;
/// Clustering above which adaptive trees are considered.
constexpr double clustered = 2;
/// An adaptive tree has to be predicted this much faster than a uniform one.
constexpr double gain = 0.9;
/// Leaf sizes that are compared: powers of the square root of 2.
constexpr int least_step = 8;  // 16
constexpr int most_step = 24;  // 4096

std::vector<LeafCount> count(std::vector<std::uint64_t>& keys) {
  __gnu_parallel::sort(keys.begin(), keys.end());
  std::vector<LeafCount> counts;
  for (const std::uint64_t key : keys) {
    if (counts.empty() || counts.back().key != key) counts.push_back({key, 0});
    ++counts.back().particles;
  }
  return counts;
}

/// Pairs of cells that are children of a cell and of its neighbours, and not adjacent; of one with targets and one with
/// sources, where these are apart.
double far_pairs_below(const AdaptiveLevel& parents, std::int32_t parent, const AdaptiveLevel& level) {
  double pairs = 0;
  const auto each_child = [&](std::int32_t cell, const auto& take) {
    for (std::size_t o = 0; o < 8; ++o)
      if (const std::int32_t child = parents.children[static_cast<std::size_t>(cell) * 8 + o]; child >= 0)
        take(cell_of(level.key[static_cast<std::size_t>(child)]), child);
  };
  const bool apart = !level.sources.empty();
  each_child(parent, [&](const CellIndex& target, std::int32_t of_targets) {
    if (apart && level.targets_of(of_targets) == 0) return;
    for (int n = 0; n < 27; ++n)
      if (const std::int32_t next = parents.neighbours.of(parent)[n]; next >= 0)
        each_child(next, [&](const CellIndex& source, std::int32_t of_sources) {
          if (apart && level.sources_of(of_sources) == 0) return;
          // across a periodic face the source is an image, whose parent is beside the target's
          const auto away = [](int to, int beside, int from) {
            return std::abs(to - 2 * ((to >> 1) + beside) - (from & 1));
          };
          pairs += std::max({away(target.x, n / 9 - 1, source.x), away(target.y, n / 3 % 3 - 1, source.y),
                             away(target.z, n % 3 - 1, source.z)}) > 1
                       ? 1
                       : 0;
        });
  });
  return pairs;
}

/// Pairs of a source and a target in a leaf and the leaves below its neighbours on its level, of which those on its own
/// level count the other half.
double apart_pairs_of(const AdaptiveLevel& level, std::int32_t leaf) {
  double pairs = 0;
  for (std::size_t n = 0; n < 27; ++n) {
    const std::int32_t other = level.neighbours.of(leaf)[n];
    if (other < 0) continue;
    pairs += static_cast<double>(level.targets_of(leaf)) * static_cast<double>(level.sources_of(other));
    if (other < level.inner)
      pairs += static_cast<double>(level.sources_of(leaf)) * static_cast<double>(level.targets_of(other));
  }
  return pairs;
}

/// Unordered pairs of particles that a leaf computes with the leaves below its neighbours on its level.
double near_pairs_of(const AdaptiveLevel& level, std::int32_t leaf) {
  if (!level.sources.empty()) return apart_pairs_of(level, leaf);
  const auto own = static_cast<double>(level.particles(leaf));
  double pairs = 0;
  for (std::size_t n = 0; n < 27; ++n) {
    const std::int32_t other = level.neighbours.of(leaf)[n];
    if (other < 0) continue;
    const auto around = static_cast<double>(level.particles(other));
    pairs += other == leaf ? own * (own - 1) / 2 : own * around / (other < level.inner ? 1 : 2);
  }
  return pairs;
}

/// Cells of a level, of which one without sources or targets counts half.
double cells_passed(const AdaptiveLevel& level) {
  if (level.sources.empty()) return level.cells();
  double cells = 0;
  for (std::int32_t c = 0; c < level.cells(); ++c)
    cells += (level.sources_of(c) > 0 ? 0.5 : 0) + (level.targets_of(c) > 0 ? 0.5 : 0);
  return cells;
}

struct Candidate {
  int leaf_size;
  Workload load;
  double seconds;
};

/// Where near and far field of evenly distributed particles cost the same: 27 / 2 n pairs per particle and 189 8/7 / n
/// pairs of cells, with leaves of n particles, which the largest leaves have two to three times.
int likely_step(const std::vector<UnitRates>& kinds) {
  double near = 0;  // per second, with all units
  double far = 0;
  for (const UnitRates& kind : kinds) {
    near += kind.units / kind.near_pair;
    far += kind.units / kind.far_pair;
  }
  const double leaf_size = 10 * std::sqrt(near / far);
  return std::isfinite(leaf_size)
             ? std::clamp(static_cast<int>(std::lround(2 * std::log2(leaf_size))), least_step, most_step)
             : (least_step + most_step) / 2;
}

/// The leaf size with the least predicted time: from the likely one downhill, since too small and too large leaves cost
/// steadily more.
Candidate best_leaf_size(const std::vector<LeafCount>& finest, const std::vector<std::int64_t>& sources, int height,
                         int periodic, const std::vector<UnitRates>& kinds, std::map<int, Workload>& known) {
  const auto candidate = [&](int step) {
    const int leaf_size = static_cast<int>(std::lround(std::pow(2.0, step / 2.0)));
    if (!known.contains(leaf_size)) known[leaf_size] = adaptive_workload(finest, height, leaf_size, sources, periodic);
    const Workload& load = known[leaf_size];
    return Candidate{leaf_size, load, predicted_seconds(load, kinds)};
  };
  const int likely = likely_step(kinds);
  Candidate best = candidate(likely);
  for (const int direction : {1, -1}) {
    bool found = false;
    for (int step = likely + direction; step >= least_step && step <= most_step; step += direction) {
      const Candidate next = candidate(step);
      if (next.seconds >= best.seconds) break;
      best = next;
      found = true;
    }
    if (found) break;
  }
  return best;
}

}  // namespace

std::vector<LeafCount> finest_counts(const Particles& particles, const Box& box) {
  std::vector<std::uint64_t> keys(particles.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = key_of(box, finest_level, particles.x[i], particles.y[i], particles.z[i]);
  return count(keys);
}

std::vector<std::int64_t> finest_sources(const std::vector<LeafCount>& finest, const Particles& particles,
                                         const Box& box, std::size_t sources) {
  std::vector<std::uint64_t> keys(sources);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < sources; ++i)
    keys[i] = key_of(box, finest_level, particles.x[i], particles.y[i], particles.z[i]);
  const std::vector<LeafCount> found = count(keys);
  std::vector<std::int64_t> of_cells(finest.size(), 0);
  std::size_t at = 0;
  for (const LeafCount& cell : found) {
    while (finest[at].key != cell.key) ++at;
    of_cells[at] = cell.particles;
  }
  return of_cells;
}

Workload adaptive_workload(const std::vector<LeafCount>& finest, int height, int leaf_size,
                           const std::vector<std::int64_t>& sources, int periodic) {
  const std::vector<AdaptiveLevel> levels = adaptive_levels(finest, height, leaf_size, sources, periodic);
  Workload load;
  load.height = static_cast<int>(levels.size());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const AdaptiveLevel& level = levels[l];
    load.leaves += level.cells() - level.inner;
    double near = 0;
#pragma omp parallel for schedule(static) reduction(+ : near)
    for (std::int32_t leaf = level.inner; leaf < level.cells(); ++leaf) near += near_pairs_of(level, leaf);
    load.near_pairs += near;
    if (static_cast<int>(l) < (periodic > 0 ? 1 : Tree::first_far_level)) continue;
    load.cells += cells_passed(level);
    const AdaptiveLevel& parents = levels[l - 1];
    const std::int32_t step = std::max(1, parents.inner / sample);
    double far = 0;
    double seen = 0;
    for (std::int32_t parent = step / 2; parent < parents.inner; parent += step, ++seen)
      far += far_pairs_below(parents, parent, level);
    load.far_pairs += far * parents.inner / std::max(1.0, seen);
  }
  for (const LeafCount& cell : finest) load.particles += static_cast<double>(cell.particles);
  if (!sources.empty()) load.particles /= 2;
  if (load.height <= Tree::first_far_level && periodic == 0) load.particles = 0;
  return load;
}

double clustering(const Particles& particles, const Box& box) {
  const std::size_t step = std::max<std::size_t>(1, particles.size() / looked_at);
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < particles.size(); i += step)
    keys.push_back(key_of(box, finest_level, particles.x[i], particles.y[i], particles.z[i]));
  const std::vector<LeafCount> finest = count(keys);
  const auto all = static_cast<double>(keys.size());
  double result = 1;
  for (int level = 0; level <= finest_level; ++level) {
    const std::vector<LeafCount> cells = coarser(finest, finest_level - level);
    double squares = 0;
    for (const LeafCount& cell : cells)
      squares += static_cast<double>(cell.particles) * static_cast<double>(cell.particles);
    constexpr double per_cell = 8;
    result = squares / all * static_cast<double>(cells.size()) / all;
    if (static_cast<double>(cells.size()) * per_cell >= all) break;
  }
  return result;
}

bool needs_rates(TreeKind kind, const TreeShape& shape) {
  if (shape.group_size == 0) return true;
  if (kind == TreeKind::adaptive || shape.adaptive()) return !shape.adaptive() || shape.height == 0;
  return shape.height == 0;
}

TreeChoice::TreeChoice(TreeKind kind, const TreeShape& wanted, const Particles& particles, const Box& box, Ranks ranks,
                       std::optional<std::size_t> sources, int vectors)
    : wanted_(wanted), particles_(particles), box_(box), ranks_(ranks), sources_(sources), vectors_(vectors) {
  if (kind == TreeKind::uniform && wanted.adaptive())
    bad_input("a leaf size of {}: expected an adaptive tree", wanted.leaf_size);
  const bool distributed = ranks == Ranks::any && rank_group().distributed();
  always_adaptive_ = kind == TreeKind::adaptive || wanted.adaptive();
  if (distributed && always_adaptive_)
    bad_input("adaptive trees need a single process, found {}", rank_group().ranks());
  maybe_adaptive_ = !always_adaptive_ && kind == TreeKind::automatic && wanted.height == 0 && !distributed &&
                    particles.size() > 0 && clustering(particles, box) >= clustered;
}

ChosenTree TreeChoice::best(const std::vector<UnitRates>& of_one) {
  const std::vector<UnitRates> kinds = rates_together(of_one, vectors_);
  if (always_adaptive_) return adaptive(kinds);
  const ChosenTree of_one_level = uniform(kinds);
  if (!maybe_adaptive_) return of_one_level;
  const ChosenTree of_several = adaptive(kinds);
  return of_several.seconds <= gain * of_one_level.seconds ? of_several : of_one_level;
}

ChosenTree TreeChoice::uniform(const std::vector<UnitRates>& kinds) {
  if (loads_.empty())
    loads_ = estimate_workloads(particles_, box_, wanted_.height > 0 ? wanted_.height : max_height, ranks_, sources_);
  // trees of particles that act on each other, with one vector of charges, keep their leaves, and hence their digits
  return (sources_ || vectors_ > 1) && wanted_.periodic == 0 ? best_widened_tree(wanted_, loads_, kinds)
                                                             : best_uniform_tree(wanted_, loads_, kinds);
}

ChosenTree TreeChoice::adaptive(const std::vector<UnitRates>& kinds) {
  const int height = wanted_.height > 0 ? wanted_.height : max_height;
  if (finest_.empty()) {
    finest_ = finest_counts(particles_, box_);
    if (sources_) finest_sources_ = finest_sources(finest_, particles_, box_, *sources_);
  }
  Candidate best{wanted_.leaf_size, {}, 0};
  if (wanted_.adaptive()) {
    best.load = adaptive_workload(finest_, height, wanted_.leaf_size, finest_sources_, wanted_.periodic);
    best.seconds = predicted_seconds(best.load, kinds);
  } else {
    best = best_leaf_size(finest_, finest_sources_, height, wanted_.periodic, kinds, adaptive_loads_);
  }
  ChosenTree tree{wanted_, best.seconds, best.load};
  tree.shape.leaf_size = best.leaf_size;
  if (wanted_.height == 0) tree.shape.height = best.load.height;
  if (wanted_.group_size == 0) tree.shape.group_size = suitable_group_size(best.load, kinds);
  return tree;
}

}  // namespace asterism::fmm
