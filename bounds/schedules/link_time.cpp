// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/link_time.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace asterism::bounds {

LinkTime::LinkTime(const Workload& work, Direction direction) {
  double sum = 0;
  for (std::size_t memory = 1; memory < work.memories; ++memory) {
    const Connection& way =
        direction == Direction::from_main_memory ? work.connection(0, memory) : work.connection(memory, 0);
    connections_.push_back({1, way});
    sum += way.bandwidth;
  }
  const double mean = sum / static_cast<double>(connections_.size());
  std::map<std::uint32_t, double> largest;  // of those that exclude each other
  for (Weighted& c : connections_) {
    if (std::isfinite(mean) && mean > 0) c.weight = c.connection.bandwidth / mean;
    if (c.connection.resource == 0 && work.shared_rate > 0) {
      capacity_ += c.weight;
      continue;
    }
    double& weight = largest[c.connection.resource];
    weight = std::max(weight, c.weight);
  }
  for (const auto& [resource, weight] : largest) capacity_ += weight;
}

double LinkTime::seconds(double bytes) const {
  double least = impossible;
  for (const Weighted& c : connections_)
    least = std::min(least, c.weight * (c.connection.latency + bytes / c.connection.bandwidth));
  return least;
}

}  // namespace asterism::bounds
