// SPDX-License-Identifier: Apache-2.0
// How long copies keep the connections of main memory busy.
#pragma once

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

/// A copy over connection c keeps it busy for latency_c + bytes / bandwidth_c, and in a schedule of makespan T each
/// connection, or all those that exclude each other, is busy for T at most. With weights w_c >= 0, and C the sum, over
/// connections that do not exclude each other, of the largest weight, the copies that were made, wherever, meet
///
///   C T >= sum over copies of w_c (latency_c + bytes / bandwidth_c) >= sum over copies of seconds(bytes),
///
/// seconds(bytes) being the least of these products over the connections. The weights are bandwidths over their mean,
/// or all one where a bandwidth is infinite.
class LinkTime {
 public:
  enum class Direction : std::uint8_t { from_main_memory, to_main_memory };
  LinkTime(const Workload& work, Direction direction);
  [[nodiscard]] double seconds(double bytes) const;
  /// C; 0 where there is one memory only.
  [[nodiscard]] double capacity() const { return capacity_; }

 private:
  struct Weighted {
    double weight = 1;
    Connection connection;
  };
  std::vector<Weighted> connections_;
  double capacity_ = 0;
};

}  // namespace asterism::bounds
