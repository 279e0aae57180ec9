// SPDX-License-Identifier: Apache-2.0
#include "bounds/network.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace asterism::bounds {
namespace {

using traces::Message;
using traces::Recording;

/// A message's least time as latency + bytes * slope.
struct Line {
  double latency = 0;
  double slope = 0;
  [[nodiscard]] double at(double bytes) const noexcept { return latency + bytes * slope; }
};

/// The lower convex hull of the points (bytes, seconds), from left to right (Andrew, Information Processing Letters 9,
/// 1979).
std::vector<std::pair<double, double>> lower_hull(const std::map<double, double>& least) {
  std::vector<std::pair<double, double>> hull;
  for (const auto& p : least) {
    while (hull.size() >= 2) {
      const auto& a = hull[hull.size() - 2];
      const auto& b = hull.back();
      const bool above = (b.second - a.second) * (p.first - a.first) >= (p.second - a.second) * (b.first - a.first);
      if (!above) break;
      hull.pop_back();
    }
    hull.emplace_back(p);
  }
  return hull;
}

/// bytes over time with a message under way, the best of any rank in one direction
double best_rate(const Recording& r) {
  struct Direction {
    double bytes = 0;
    double busy = 0;
    double until = -INFINITY;
  };
  std::vector<Direction> directions(2 * static_cast<std::size_t>(r.ranks));
  for (const Message& m : r.messages)  // sorted by start
    for (const std::size_t d : {2 * static_cast<std::size_t>(m.from), 2 * static_cast<std::size_t>(m.to) + 1}) {
      directions[d].bytes += static_cast<double>(m.bytes);
      directions[d].busy += std::max(0.0, m.end - std::max(m.start, directions[d].until));
      directions[d].until = std::max(directions[d].until, m.end);
    }
  double best = 0;
  for (const Direction& d : directions)
    if (d.bytes > 0) best = std::max(best, d.busy > 0 ? d.bytes / d.busy : INFINITY);
  return best;
}

}  // namespace

std::optional<Network> network_of(const Recording& r) {
  if (r.messages.empty()) return std::nullopt;
  std::map<double, double> least;  // per number of bytes
  double mean = 0;
  double shortest = INFINITY;
  double steepest = INFINITY;  // the largest slope of a line through the origin below all points
  for (const Message& m : r.messages) {
    const auto bytes = static_cast<double>(m.bytes);
    const double seconds = m.end - m.start;
    auto& best = least.try_emplace(bytes, seconds).first->second;
    best = std::min(best, seconds);
    mean += bytes / static_cast<double>(r.messages.size());
    shortest = std::min(shortest, seconds);
    if (bytes > 0) steepest = std::min(steepest, seconds / bytes);
  }
  Line line{std::max(0.0, shortest), 0};
  const auto better = [&](const Line& other) {
    if (other.latency >= 0 && other.slope >= 0 && other.at(mean) > line.at(mean)) line = other;
  };
  if (std::isfinite(steepest) && least.begin()->second >= 0) better({0, steepest});
  const auto hull = lower_hull(least);
  for (std::size_t i = 1; i < hull.size(); ++i) {
    const double slope = (hull[i].second - hull[i - 1].second) / (hull[i].first - hull[i - 1].first);
    better({hull[i - 1].second - slope * hull[i - 1].first, slope});
  }
  return Network{line.latency, line.slope > 0 ? 1 / line.slope : INFINITY, best_rate(r)};
}

double least_time(const Message& m, const Network& network) {
  return network.latency + static_cast<double>(m.bytes) / network.bandwidth;
}

std::vector<Volume> volumes(const Recording& r) {
  std::vector<Volume> of_rank(r.ranks);
  for (const Message& m : r.messages) {
    of_rank[m.from].sent += static_cast<double>(m.bytes);
    of_rank[m.to].received += static_cast<double>(m.bytes);
  }
  return of_rank;
}

}  // namespace asterism::bounds
