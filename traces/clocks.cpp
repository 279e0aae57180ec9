// SPDX-License-Identifier: Apache-2.0
#include "traces/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace asterism::traces {

namespace {

/// Relative rounding of times that StarPU's converter keeps as float.
constexpr double rounding = 1.2e-7;

std::vector<Message> on_axis(std::vector<Message> messages, const std::vector<RankClock>& clocks) {
  for (Message& m : messages) {
    m.start = clocks[m.from](m.start);
    m.end = clocks[m.to](m.end);
  }
  return messages;
}

/// How many arrive before they were sent, and by how much at most.
std::pair<std::uint64_t, double> early(const std::vector<Message>& messages) {
  std::pair<std::uint64_t, double> found{0, 0};
  for (const Message& m : messages) {
    if (m.end >= m.start - rounding * std::abs(m.start)) continue;
    ++found.first;
    found.second = std::max(found.second, m.start - m.end);
  }
  return found;
}

struct Barriers {
  double first = NAN;
  double last = NAN;
};

/// When each rank left the barriers, as StarPU's converter marks them.
std::vector<Barriers> barriers_of(const Recording& r) {
  std::vector<Barriers> of_rank(r.ranks);
  for (const Marker& m : r.markers) {
    if (m.rank >= r.ranks ||
        !(m.text.starts_with("end of MPI_Barrier") || m.text.starts_with("end of mpi_sync_clocks")))
      continue;
    Barriers& b = of_rank[m.rank];
    (std::isnan(b.first) ? b.first : b.last) = m.time;
  }
  return of_rank;
}

/// The clocks scaled to equal rates; nothing when some rank's barriers are not known.
std::optional<std::vector<RankClock>> equal_rates(const Recording& r,
                                                  const std::vector<std::optional<double>>& between_barriers) {
  if (between_barriers.size() < r.ranks) return std::nullopt;
  const std::vector<Barriers> barriers = barriers_of(r);
  std::vector<RankClock> clocks;
  for (std::uint32_t rank = 0; rank < r.ranks; ++rank) {
    const Barriers& b = barriers[rank];
    if (!between_barriers[rank] || !(b.last > b.first)) return std::nullopt;
    clocks.emplace_back(b.first, b.last, *between_barriers[rank] / (b.last - b.first));
  }
  return clocks;
}

/// D over the constraints o_i <= o_j + d_ij, at [j * ranks + i].
std::vector<double> shortest_paths(const std::vector<double>& delays, std::uint32_t ranks) {
  std::vector<double> path(delays.size(), INFINITY);
  const auto at = [&](std::uint32_t from, std::uint32_t to) -> double& {
    return path[static_cast<std::size_t>(from) * ranks + to];
  };
  for (std::uint32_t i = 0; i < ranks; ++i)
    for (std::uint32_t j = 0; j < ranks; ++j) at(j, i) = i == j ? 0 : delays[static_cast<std::size_t>(i) * ranks + j];
  for (std::uint32_t k = 0; k < ranks; ++k)
    for (std::uint32_t j = 0; j < ranks; ++j)
      for (std::uint32_t i = 0; i < ranks; ++i) at(j, i) = std::min(at(j, i), at(j, k) + at(k, i));
  return path;
}

}  // namespace

std::vector<double> least_delays(const std::vector<Message>& messages, std::uint32_t ranks) {
  std::vector<double> delay(static_cast<std::size_t>(ranks) * ranks, INFINITY);
  for (const Message& m : messages) {
    double& least = delay[static_cast<std::size_t>(m.from) * ranks + m.to];
    least = std::min(least, m.end - m.start);
  }
  return delay;
}

std::optional<std::vector<double>> shifts_of(const std::vector<double>& delays, std::uint32_t ranks) {
  const std::vector<double> path = shortest_paths(delays, ranks);
  const auto at = [&](std::uint32_t from, std::uint32_t to) {
    return path[static_cast<std::size_t>(from) * ranks + to];
  };
  double largest = 0;
  for (const double delay : delays)
    if (std::isfinite(delay)) largest = std::max(largest, std::abs(delay));
  bool open = false;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    if (at(i, i) < -1e-12 * largest) return std::nullopt;
    open = open || std::isinf(at(0, i)) || std::isinf(at(i, 0));
  }
  std::vector<double> shift(ranks, 0);
  for (std::uint32_t i = 0; i < ranks; ++i) {
    if (open)
      for (std::uint32_t j = 0; j < ranks; ++j) shift[i] = std::min(shift[i], at(j, i));
    else
      shift[i] = (at(0, i) - at(i, 0)) / 2;
  }
  return shift;
}

double uncertainty(const std::vector<double>& delays, std::uint32_t ranks) {
  const std::vector<double> path = shortest_paths(delays, ranks);
  return path.empty() ? 0 : std::max(0.0, *std::max_element(path.begin(), path.end()));
}

Alignment align(const Recording& r, const std::vector<std::optional<double>>& between_barriers) {
  Alignment a;
  a.of_rank.assign(r.ranks, RankClock());
  a.clocks.shift.assign(r.ranks, 0);
  const auto [number, most] = early(r.messages);
  a.clocks.early = number;
  a.clocks.earliest = most;
  const auto shifted = [&](std::vector<RankClock> clocks, Clocks::Alignment name) {
    const auto shifts = shifts_of(least_delays(on_axis(r.messages, clocks), r.ranks), r.ranks);
    if (!shifts) return false;
    for (std::uint32_t rank = 0; rank < r.ranks; ++rank) clocks[rank].shift((*shifts)[rank]);
    a.clocks.error = uncertainty(least_delays(on_axis(r.messages, clocks), r.ranks), r.ranks);
    a.of_rank = std::move(clocks);
    a.clocks.shift = *shifts;
    a.clocks.alignment = name;
    return true;
  };
  if (number == 0) {
    a.clocks.error = uncertainty(least_delays(r.messages, r.ranks), r.ranks);
    return a;
  }
  const auto equal = equal_rates(r, between_barriers);
  if (equal && shifted(*equal, Clocks::Alignment::equal_rates)) return a;
  if (shifted(a.of_rank, Clocks::Alignment::messages)) return a;
  a.clocks.alignment = Clocks::Alignment::contradictory;
  a.clocks.error = most;
  a.clocks.still_early = number;
  return a;
}

}  // namespace asterism::traces
