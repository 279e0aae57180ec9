// SPDX-License-Identifier: Apache-2.0
// Lower bounds on the makespan of a recorded task graph, and how far the recorded run is from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bounds/area.hpp"
#include "bounds/communication.hpp"
#include "bounds/durations.hpp"
#include "bounds/milp.hpp"
#include "bounds/nodes.hpp"
#include "bounds/windows.hpp"
#include "traces/dag.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::bounds {

/// The tasks of one performance model and footprint, on one rank.
struct RecordedClass {
  std::string codelet;
  std::string symbol;  ///< see symbol_of
  std::uint32_t footprint = 0;
  std::uint32_t rank = 0;
  std::uint64_t tasks = 0;
  double flops = 0;                ///< of all; 0 unless every task gives them
  std::vector<std::uint64_t> ran;  ///< per kind of the recording: tasks
  std::vector<double> seconds;     ///< per kind of the recording: sum of their durations
};

struct Classes {
  std::vector<RecordedClass> classes;
  std::vector<std::uint32_t> of_task;  ///< per task of the recording; none for nodes that nobody executed
};

Classes classify(const traces::Recording& recording);

/// Whose messages take time, and how much.
enum class NetworkFrom : std::uint8_t {
  nowhere,    ///< messages take no time
  recording,  ///< its own fastest messages, see network_of
  user,       ///< given
};

struct Options {
  DurationOptions durations;
  /// Kinds and numbers of units of the machine to bound; empty: that of the recording.
  std::map<std::string, double> units;
  Rates rates;  ///< for LP~: override what was measured
  bool communication = false;
  const traces::PlatformRec* links = nullptr;  ///< bandwidths; nullptr: those seen in the recording
  bool milp = false;
  MilpOptions milp_options;
  NetworkFrom network_from = NetworkFrom::nowhere;
  Network network;  ///< when given by the user
};

/// No duration for this class on this kind: no implementation there, or it never ran there. The bound is then for
/// schedules that do not run it there.
struct Missing {
  std::string codelet;
  std::uint32_t footprint = 0;
  std::string kind;
  std::uint64_t tasks = 0;
};

/// A bound with the classes it was computed from.
struct AreaBound {
  AreaProblem problem;
  AreaSolution solution;
};

struct Bounds {
  double makespan = 0;      ///< of the recorded run, s
  bool comparable = false;  ///< the bounds are for the machine of the recorded run
  std::vector<UnitKind> kinds;
  std::vector<RecordedClass> classes;  ///< those of `area`, in the same order

  AreaBound area;                             ///< LP
  double fitting = 0;                         ///< LP where tasks fit, s
  AreaBound best_rates;                       ///< LP~
  std::optional<AreaBound> links;             ///< LP with what must cross the links
  std::optional<traces::Path> critical_path;  ///< none when the recording has no dependencies
  std::optional<WindowBound> windows;         ///< none without dependencies
  std::optional<double> milp;
  std::optional<NodeBounds> nodes;  ///< of several ranks, on the machine of the recorded run
  double best = 0;                  ///< the largest of all these but LP~ and MILP

  std::vector<Missing> missing;
  std::vector<std::string> without_flops;    ///< codelets for which LP~ takes the fastest measured duration
  std::vector<std::string> inconsistencies;  ///< bounds that the recorded run beats: durations are wrong
  std::vector<std::string> notes;            ///< assumptions that were made, and what is odd about the recording
};

/// Why LP <= makespan, with t the means over this very recording: let n_ck be how many tasks of class c kind k ran.
/// n_ck t_ck is the time those tasks took, so sum_c n_ck t_ck is the time kind k's units spent in tasks. A unit runs
/// one task at a time, all of them between begin and end: that sum is at most P_k makespan. Hence (n, makespan) meets
/// the constraints of the LP, whose optimum can only be smaller. With minima in place of means the sums are smaller
/// still. With other recordings, models or medians nothing ensures it: that the durations hold for this run is an
/// assumption.
///
/// LP where tasks fit <= makespan for the same reason: where n_ck > 0, none of these tasks took longer than the
/// makespan, so neither does their mean t_ck, and (n, makespan) meets the constraints without the longer durations.
/// As LP it is a bound for the durations of the table: in another schedule a task shorter than its class's mean may fit
/// where the mean does not, as it may take less than what LP counts.
///
/// The critical path takes each class's minimum over its kinds, since a single task may be faster than its class's
/// mean.
///
/// LP~ takes t = F / P, F the flops of the class's tasks on average and P the best rate of the codelet on the kind,
/// whatever the footprint. Classes without flops take their smallest measured duration on the kind instead.
///
/// With several ranks each rank's tasks are classes of their own, with the durations measured on that rank, or on all
/// ranks where it has none: then all of the above holds rank by rank too, see nodes.hpp. LP, LP where tasks fit, LP~
/// and MILP deal these classes freely over the units of all ranks. Dependencies across ranks are those that StarPU-MPI
/// records of its messages: a task that reads what a message brought waits for the task that wrote it on the sender.
/// Not recorded, and so not counted, are those of data that arrived before they were awaited (the message released a
/// buffer of StarPU's own, from which they were copied), of MPI calls of the program itself, and of the order in which
/// the thread for MPI serves messages; each can only lower the bounds.
///
/// Throws Error (bad_input) when a class has no duration on any kind of the machine.
Bounds compute(const traces::Recording& recording, const Durations& durations, const Options& options = {});

}  // namespace asterism::bounds
