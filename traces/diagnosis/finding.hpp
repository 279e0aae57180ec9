// SPDX-License-Identifier: Apache-2.0
// What is odd about a recording, and what to try. Each fault is found by a file of its own; what a recording cannot
// support (no dependencies, states, data) is left out, not guessed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/metrics.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::traces {

enum class Fault : std::uint8_t {
  slow_tasks,          ///< durations far from their class
  data_read_again,     ///< data left a memory unchanged, and were read into it again
  through_memory,      ///< from GPU to GPU by way of main memory
  impossible_link,     ///< bandwidths that no machine has
  too_few_ready,       ///< units idle, and no ready task for them
  late_submission,     ///< units idle, and tasks that could run are not yet submitted
  small_tasks,         ///< tasks shorter than StarPU's own work for each
  priority_inversion,  ///< a task of the critical path is ready, and its unit runs others of lower priority
};
inline constexpr std::size_t fault_count = 8;
inline constexpr const char* fault_names[fault_count] = {
    "slow tasks",      "data read again", "transfers through memory", "impossible link", "too few ready tasks",
    "late submission", "small tasks",     "priority inversion"};

struct Finding {
  Fault fault = Fault::slow_tasks;
  std::string what;    ///< one sentence
  std::string advice;  ///< what to try
  /// Time of units that the fault cost, summed over units: what a cure can give back at most. 0 where unknown.
  double seconds = 0;
  double begin = 0;                    ///< where to look: an interval of the recording, absolute as Task::start
  double end = 0;                      ///< not before begin
  std::vector<std::uint32_t> tasks{};  ///< indices in Recording::tasks, those that lose most first
  std::vector<std::uint32_t> units{};  ///< indices in Recording::units, ascending
};

/// All findings, those that lose most first. `models`: StarPU's measured links, checked when given. Times of the
/// findings lie inside the recording.
std::vector<Finding> diagnose(const Recording& recording, const Metrics& metrics, const PlatformRec* models = nullptr);

}  // namespace asterism::traces
