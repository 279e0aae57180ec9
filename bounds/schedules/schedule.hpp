// SPDX-License-Identifier: Apache-2.0
// Schedules made before the run: upper bounds on the least makespan of a task graph, transfers included.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bounds/area.hpp"
#include "traces/recording.hpp"

namespace asterism::bounds {

/// A connection in one direction: a transfer takes latency + bytes / bandwidth, one after the other.
struct Connection {
  double latency = 0;                                          ///< s
  double bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s
  bool exists = false;
  std::uint32_t resource = 0;  ///< connections with the same number share: their transfers exclude each other
};

/// What is scheduled on what. Memory 0 is main memory: it is connected with every other one, and has all data at first.
struct Workload {
  struct Unit {
    std::uint32_t kind = 0;
    std::uint32_t memory = 0;
  };
  std::vector<Unit> units;
  std::size_t kinds = 0;
  std::size_t memories = 1;
  std::vector<Connection> connections;  ///< [from * memories + to]
  double shared_rate = 0;   ///< bytes/s: if given, connections of resource 0 do not exclude each other, but carry
                            ///< together no more than this, and a transfer may take longer than alone
  std::uint32_t lanes = 0;  ///< schedules divide shared_rate into so many equal parts, each for one transfer at a time;
                            ///< 0: into parts as fast as the connections, and the rest
  std::vector<double> seconds;             ///< [task * kinds + kind]; impossible where it does not run
  std::vector<bool> runs;                  ///< per task; false: it only joins dependencies, and takes no time
  traces::Lists<std::uint32_t> before;     ///< per task: those it waits for, each with a smaller number or not
  traces::Lists<std::uint32_t> after;      ///< per task: those that wait for it
  std::vector<std::uint32_t> order;        ///< every task after those it waits for
  traces::Lists<traces::Access> accesses;  ///< per task: what is moved; each datum once
  std::vector<double> bytes;               ///< per datum

  [[nodiscard]] std::size_t tasks() const { return runs.size(); }
  [[nodiscard]] double on(std::size_t task, std::size_t kind) const { return seconds[task * kinds + kind]; }
  [[nodiscard]] const Connection& connection(std::size_t from, std::size_t to) const {
    return connections[from * memories + to];
  }
};

/// Dependencies of a recording; all else is left to the caller. Throws Error (bad_input) for a cycle.
Workload workload_of(const traces::Recording& recording);

struct Placed {
  std::uint32_t unit = traces::none;  ///< none for a task that does not run
  double start = 0;
  double end = 0;
};

struct Copy {
  std::uint32_t datum = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double start = 0;
  double end = 0;
  std::uint32_t lane =
      traces::none;  ///< of connections that carry several at once; only who makes the schedule reads it
};

/// All times in seconds from the begin.
struct Schedule {
  std::string made_by;
  std::vector<Placed> tasks;
  std::vector<Copy> copies;
  double makespan = 0;
  std::uint32_t lanes = 0;  ///< the Workload's
};

/// What is wrong with a schedule, one line each: tasks that start before others end that they wait for, units or
/// connections that do two things at once, tasks and copies of wrong duration, data that are not in the unit's memory
/// when a task starts, or copied from where they are not. Empty: it is feasible, and its makespan an upper bound of
/// the optimum. Shares no code with what makes schedules.
std::vector<std::string> violations(const Workload& work, const Schedule& schedule);

}  // namespace asterism::bounds
