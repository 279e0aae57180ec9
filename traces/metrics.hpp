// SPDX-License-Identifier: Apache-2.0
// What a recording says about its schedule. All times are seconds, volumes bytes, rates per second.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::traces {

/// Where the time of a unit (or of all units of a kind) went; fractions of makespan, summing to one.
struct Shares {
  std::array<double, state_count> state{};  ///< indexed by State
  std::vector<double> codelet;              ///< the computing share, per codelet
  [[nodiscard]] double operator[](State s) const noexcept { return state[static_cast<std::size_t>(s)]; }
};

struct LinkUse {
  std::uint32_t from = 0;  ///< memory nodes
  std::uint32_t to = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  double busy = 0;       ///< time with at least one transfer on this link
  double bandwidth = 0;  ///< bytes / busy
  double overlap = 0;    ///< fraction of busy during which a unit at the accelerator end computes
};

/// Durations of one codelet on one kind of unit.
struct CodeletUse {
  std::uint32_t codelet = 0;
  std::uint32_t kind = 0;
  std::uint64_t count = 0;
  double total = 0;  ///< sum of durations
  double mean = 0;
  double median = 0;
  double quartile1 = 0;
  double quartile3 = 0;
  double minimum = 0;
  double maximum = 0;
  double deviation = 0;  ///< standard deviation
  double rate = 0;       ///< flop/s: all flops over all time; 0 when the tasks give no flops
  double best_rate = 0;  ///< flop/s of the fastest task
  double of_fastest =
      0;  ///< rate (or 1 / median duration without flops) over that of the fastest kind; 1 for the fastest
};

/// A longest path through the dependencies, each task with its recorded duration.
struct CriticalPath {
  double length = 0;
  std::vector<std::uint32_t> tasks;  ///< executed tasks, in order
};

struct IterationTimes {
  std::vector<std::int32_t> number;
  std::vector<double> seconds;  ///< between the last ends of tasks of consecutive iterations
  double median = 0;
  double quartile1 = 0;
  double quartile3 = 0;
};

/// One rank of several.
struct RankUse {
  std::uint64_t units = 0;
  std::uint64_t tasks = 0;  ///< executed
  double flops = 0;
  Shares shares;  ///< mean of its units
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  /// Time that units of the rank are idle or wait for data before a task while a message is under way on whose arrival
  /// this task depends, directly or through nodes of the graph that nobody executed; unit-seconds. Only the units that
  /// did nothing are counted.
  double idle_for_messages = 0;
};

/// Messages from one rank to another.
struct PairUse {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double shortest = 0;   ///< least time under way
  double median = 0;     ///< time under way
  double busy = 0;       ///< time with at least one under way
  double bandwidth = 0;  ///< bytes / busy
};

/// Intervals of time, begin and end.
using Interval = std::pair<double, double>;
/// Their union: sorted and disjoint.
std::vector<Interval> merged(std::vector<Interval> intervals);
double length(const std::vector<Interval>& disjoint);
/// The length that both of two such unions cover.
double common_length(const std::vector<Interval>& a, const std::vector<Interval>& b);
/// The q-quantile of sorted values, linear between neighbours.
double quantile(const std::vector<double>& sorted, double q);

struct Metrics {
  double makespan = 0;
  std::uint64_t tasks = 0;  ///< executed
  double flops = 0;
  std::vector<Shares> unit;  ///< per unit
  std::vector<Shares> kind;  ///< per kind, mean of its units
  Shares all;                ///< mean of all units
  std::vector<LinkUse> links;
  std::uint64_t bytes_moved = 0;     ///< within ranks
  std::vector<RankUse> rank;         ///< empty for one rank
  std::vector<PairUse> pairs;        ///< pairs of ranks with messages
  std::uint64_t bytes_sent = 0;      ///< between ranks
  std::vector<CodeletUse> codelets;  ///< sorted by total time, largest first
  CriticalPath critical_path;        ///< empty without dependencies
  IterationTimes iterations;         ///< empty when no task has an iteration number
};

Metrics measure(const Recording& recording);

/// Fills what Metrics has of several ranks; `metrics` has the units' shares.
void measure_ranks(const Recording& recording, Metrics& metrics);
/// The mean of the shares of the units in `chosen`.
Shares mean_of(const std::vector<Shares>& units, const std::vector<std::size_t>& chosen);

/// Agullo, Giraud, Guermouche, Nakov, Roman (RR-8192), section 8, Definitions 1 to 5, from makespans; and its
/// e_pipeline further divided (Agullo, Bramas, Coulaud, Darve, Messner, Takahashi, SISC 2014): tasks that became slower
/// when run together, time in the runtime, and idle time, each the quotient of sums over all units.
struct Efficiency {
  std::uint64_t units = 0;            ///< p
  double speedup = 0;                 ///< S = T_1(1) / T_b(p)
  double efficiency = 0;              ///< e = S / p
  std::optional<double> granularity;  ///< T_1(1) / T_b(1), when both one-unit runs are given
  std::optional<double> pipeline;     ///< T_b(1) / (p T_b(p))
  double task = 0;                    ///< one unit's time in tasks / p units' time in tasks
  double runtime = 0;                 ///< tasks / (tasks + runtime), relative to the one-unit run
  double idle = 0;                    ///< (tasks + runtime) / all, relative to the one-unit run
};

/// `one_unit`: the coarse run of Definition 1, T_1(1); `one_unit_blocks`: the same flow as `run` on one unit, T_b(1).
/// At least one is needed; with only the second, S and e are those against T_b(1).
Efficiency efficiency(const Metrics& run, std::uint64_t units, const Metrics* one_unit, const Metrics* one_unit_blocks);

}  // namespace asterism::traces
