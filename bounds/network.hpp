// SPDX-License-Identifier: Apache-2.0
// What messages between ranks cost at least: a message's least time, and the time that a rank's bytes need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::bounds {

struct Network {
  double latency = 0;    ///< seconds
  double bandwidth = 0;  ///< bytes/s, of one message; infinite: only the latency counts
  double of_rank = 0;    ///< bytes/s that a rank sends or receives at most, all its messages together
};

/// From the recording's own messages, such that none took less than latency + bytes / bandwidth and no rank sent or
/// received faster than of_rank:
///
///   latency, 1 / bandwidth = argmax sum_m (latency + b_m / bandwidth)  such that  latency + b_m / bandwidth <= d_m,
///   latency >= 0,  bandwidth > 0,
///
/// d_m the time under way of message m and b_m its bytes: an edge of the lower convex hull of the points (b_m, d_m), or
/// one of the lines at the limits (latency 0; bandwidth infinite). of_rank: the largest, over ranks and both
/// directions, of bytes over the time with a message under way. Nothing without messages.
std::optional<Network> network_of(const traces::Recording& recording);

/// seconds
double least_time(const traces::Message& message, const Network& network);

struct Volume {
  double sent = 0;  ///< bytes
  double received = 0;
  [[nodiscard]] double larger() const noexcept { return sent > received ? sent : received; }
};
/// Per rank. A rank sends and receives at the same time: T >= max(sent, received) / of_rank.
std::vector<Volume> volumes(const traces::Recording& recording);

}  // namespace asterism::bounds
