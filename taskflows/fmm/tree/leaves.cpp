// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/tree/leaves.hpp"

#include <algorithm>
#include <array>
#include <parallel/algorithm>

#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {
namespace {

/// Keys that each rank tells the others, so that intervals differ by some per cent.
constexpr std::size_t samples = 256;
using Sample = std::array<std::uint64_t, samples>;

/// The cells of the particles in the middle of `samples` equal shares of the runs.
Sample sample_of(const std::vector<LeafCount>& runs) {
  std::int64_t particles = 0;
  for (const LeafCount& run : runs) particles += run.particles;
  Sample sample{};
  std::size_t at = 0;
  std::int64_t before = 0;  // particles in front of runs[at]
  for (std::size_t s = 0; s < samples; ++s) {
    const auto wanted =
        static_cast<std::int64_t>((static_cast<double>(s) + 0.5) / samples * static_cast<double>(particles));
    while (at + 1 < runs.size() && before + runs[at].particles <= wanted) before += runs[at++].particles;
    sample[s] = runs[at].key;
  }
  return sample;
}

/// Neighbouring runs of the same cell made one.
void join(std::vector<LeafCount>& sorted) {
  std::size_t end = 0;
  for (const LeafCount& run : sorted) {
    if (end > 0 && sorted[end - 1].key == run.key)
      sorted[end - 1].particles += run.particles;
    else
      sorted[end++] = run;
  }
  sorted.resize(end);
}

}  // namespace

Extent extent(const Particles& part, Ranks ranks) {
  Extent all = extent(part.x, part.y, part.z);
  if (ranks == Ranks::any)
    for (const Extent& of_rank : rank_group().all_gather(all)) all.add(of_rank);
  return all;
}

std::vector<Keyed> sort_by_cell(const Box& box, int level, std::span<const double> x, std::span<const double> y,
                                std::span<const double> z) {
  std::vector<Keyed> sorted(x.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < x.size(); ++i)
    sorted[i] = {key_of(box, level, x[i], y[i], z[i]), static_cast<std::uint32_t>(i)};
  __gnu_parallel::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<LeafCount> count_leaves(std::span<const Keyed> sorted) {
  std::vector<LeafCount> runs;
  for (const Keyed& particle : sorted) {
    if (runs.empty() || runs.back().key != particle.key) runs.push_back({particle.key, 0});
    ++runs.back().particles;
  }
  return runs;
}

std::vector<std::int64_t> count_sources(std::span<const Keyed> sorted, std::size_t sources) {
  std::vector<std::int64_t> counts;
  for (std::size_t s = 0; s < sorted.size(); ++s) {
    if (s == 0 || sorted[s].key != sorted[s - 1].key) counts.push_back(0);
    if (sorted[s].index < sources) ++counts.back();
  }
  return counts;
}

std::vector<LeafCount> coarser(const std::vector<LeafCount>& runs, int levels) {
  std::vector<LeafCount> above = runs;
  for (LeafCount& run : above) run.key >>= 3 * levels;
  join(above);
  return above;
}

Leaves leaves_of(std::span<const LeafCount> runs) {
  Leaves leaves;
  leaves.key.reserve(runs.size());
  leaves.begin.reserve(runs.size() + 1);
  std::int64_t particles = 0;
  for (const LeafCount& run : runs) {
    leaves.key.push_back(run.key);
    leaves.begin.push_back(particles);
    particles += run.particles;
  }
  leaves.begin.push_back(particles);
  return leaves;
}

std::vector<LeafCount> sort_over_ranks(const std::vector<LeafCount>& mine) {
  const auto ranks = static_cast<std::size_t>(rank_group().ranks());
  std::vector<std::uint64_t> all;
  for (const Sample& sample : rank_group().all_gather(sample_of(mine)))
    all.insert(all.end(), sample.begin(), sample.end());
  std::sort(all.begin(), all.end());
  std::vector<std::vector<LeafCount>> to(ranks);
  auto begin = mine.begin();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto end = rank + 1 == ranks
                         ? mine.end()
                         : std::lower_bound(begin, mine.end(), all[(rank + 1) * samples],
                                            [](const LeafCount& run, std::uint64_t key) { return run.key < key; });
    to[rank].assign(begin, end);
    begin = end;
  }
  std::vector<LeafCount> interval;
  for (const std::vector<LeafCount>& part : rank_group().exchange(std::move(to)))
    interval.insert(interval.end(), part.begin(), part.end());
  __gnu_parallel::sort(interval.begin(), interval.end(),
                       [](const LeafCount& a, const LeafCount& b) { return a.key < b.key; });
  join(interval);
  return interval;
}

std::vector<LeafCount> intervals_of_all(const std::vector<LeafCount>& mine) {
  std::vector<LeafCount> all;
  for (const std::vector<LeafCount>& part :
       rank_group().exchange(std::vector<std::vector<LeafCount>>(static_cast<std::size_t>(rank_group().ranks()), mine)))
    all.insert(all.end(), part.begin(), part.end());
  // a cell above the level of sorting may be at the end of one interval and the beginning of the next
  join(all);
  return all;
}

}  // namespace asterism::fmm
