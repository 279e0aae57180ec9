// SPDX-License-Identifier: Apache-2.0
// What several faults are found from: who works, when tasks were ready, when data changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "traces/diagnosis/finding.hpp"

namespace asterism::traces::diagnosis {

/// A fault that costs less of the working units' time is not worth a reader's while: runs of the same program differ
/// by more.
inline constexpr double least_share = 0.01;
/// A kind of unit that computes less of all computing time only runs helper tasks; that it idles is no fault.
inline constexpr double least_work = 0.05;

struct Evidence {
  const Recording& recording;
  const Metrics& metrics;
  const PlatformRec* models = nullptr;

  Evidence(const Recording& r, const Metrics& m, const PlatformRec* p);

  std::vector<char> works;    ///< per unit: computed something, on a kind with its share of the work (least_work)
  double unit_seconds = 0;    ///< makespan times the number of working units
  std::vector<double> freed;  ///< per task: the last end of those it depends on, or the recording's begin
  std::vector<double> ready;  ///< per task: the same, and not before its submission
  [[nodiscard]] bool worth(double seconds) const { return seconds > 0 && seconds >= least_share * unit_seconds; }
  /// Time that the working units of a memory node spend in `state`s inside `intervals` (sorted and disjoint).
  [[nodiscard]] double spent(std::uint32_t node, const std::vector<Interval>& intervals,
                             const std::function<bool(State)>& states) const;
  /// Spans of a unit in `state`.
  [[nodiscard]] std::vector<Interval> spans(std::size_t unit, State state) const;
  /// The memory of GPUs: another memory than that of the rank's CPUs.
  [[nodiscard]] bool on_device(std::uint32_t node) const { return recording.nodes[node].index > 0; }
  [[nodiscard]] std::vector<std::uint32_t> units_at(const std::vector<std::uint32_t>& nodes) const;
};

/// When the value of each piece of data may have changed.
class Changes {
 public:
  explicit Changes(const Evidence& evidence);
  /// Whether `handle` may have been written between two instants, by a task or by the program itself: a node of the
  /// graph that no unit executed, before a task that uses the data, may be the program's access (starpu_data_acquire)
  /// or a message, and counts as a write; so does anything for data of which no user is recorded.
  [[nodiscard]] bool between(std::uint32_t handle, double after, double before) const;

 private:
  /// Per handle, sorted by begin; the end is the latest of all writes up to this one.
  std::vector<std::vector<Interval>> writes_;
  std::vector<char> used_;  ///< per handle: the recording says which tasks use it
};

/// "1.500 ms"
std::string time_text(double seconds);
/// Gives a finding the tasks, at most as many as a report lists, the units sorted and each once.
Finding found(Fault fault, double seconds, Interval where, std::vector<std::uint32_t> tasks,
              std::vector<std::uint32_t> units);

using Findings = std::vector<Finding>;
void find_slow_tasks(const Evidence& evidence, Findings& findings);
void find_data_read_again(const Evidence& evidence, Findings& findings);
void find_transfers_through_memory(const Evidence& evidence, Findings& findings);
void find_impossible_links(const Evidence& evidence, Findings& findings);
void find_starvation(const Evidence& evidence, Findings& findings);
void find_small_tasks(const Evidence& evidence, Findings& findings);
void find_priority_inversions(const Evidence& evidence, Findings& findings);

}  // namespace asterism::traces::diagnosis
