// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/coincident.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <parallel/algorithm>
#include <vector>

namespace asterism::fmm {
namespace {

using Place = std::array<double, 3>;

/// The same for -0 and 0.
std::uint64_t hash(const Place& place) {
  std::uint64_t sum = 0;
  for (const double x : place) {
    sum = std::rotl(sum ^ std::bit_cast<std::uint64_t>(x + 0.0), 29) * 0x9e3779b97f4a7c15U;
    sum ^= sum >> 32U;
  }
  return sum;
}

}  // namespace

std::size_t coincident_particles(const Particles& p) {
  const auto place_of = [&](std::size_t i) { return Place{p.x[i], p.y[i], p.z[i]}; };
  // places whose slot was met once are alone; the others are compared
  constexpr std::uint8_t once = 1;
  constexpr std::uint8_t again = 2;
  std::vector<std::uint8_t> met(std::bit_ceil(2 * p.size() + 1), 0);
  const std::uint64_t mask = met.size() - 1;
  std::vector<Place> candidates;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < p.size(); ++i) {
      const std::atomic_ref slot(met[hash(place_of(i)) & mask]);
      if (slot.fetch_or(once, std::memory_order_relaxed) != 0) slot.fetch_or(again, std::memory_order_relaxed);
    }
    std::vector<Place> mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < p.size(); ++i)
      if ((met[hash(place_of(i)) & mask] & again) != 0) mine.push_back(place_of(i));
#pragma omp critical
    candidates.insert(candidates.end(), mine.begin(), mine.end());
  }
  __gnu_parallel::sort(candidates.begin(), candidates.end());
  std::size_t coincident = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool before = i > 0 && candidates[i] == candidates[i - 1];
    const bool after = i + 1 < candidates.size() && candidates[i] == candidates[i + 1];
    coincident += before || after ? 1 : 0;
  }
  return coincident;
}

}  // namespace asterism::fmm
