// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/coincident.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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
  // places whose slot was met once are alone; the others, few, are compared
  constexpr std::uint8_t often = 2;
  std::vector<std::uint8_t> met(std::bit_ceil(2 * p.size() + 1), 0);
  const std::uint64_t mask = met.size() - 1;
  for (std::size_t i = 0; i < p.size(); ++i) {
    std::uint8_t& count = met[hash(place_of(i)) & mask];
    count = std::min<std::uint8_t>(often, static_cast<std::uint8_t>(count + 1));
  }
  std::vector<Place> candidates;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (met[hash(place_of(i)) & mask] == often) candidates.push_back(place_of(i));
  std::sort(candidates.begin(), candidates.end());
  std::size_t coincident = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool before = i > 0 && candidates[i] == candidates[i - 1];
    const bool after = i + 1 < candidates.size() && candidates[i] == candidates[i + 1];
    coincident += before || after ? 1 : 0;
  }
  return coincident;
}

}  // namespace asterism::fmm
