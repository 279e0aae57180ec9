// SPDX-License-Identifier: Apache-2.0
// Heads and tails that count copies between memories: a task that reads what several others wrote either runs in the
// same memory as they, one after the other, or waits for a copy (Al-Mouhamed, IEEE TSE 16, 1990; Papadimitriou,
// Yannakakis, SIAM J. Computing 19, 1990; here with kinds of units).
#pragma once

#include <vector>

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

struct CopyBound {
  std::vector<double> head;  ///< per task: it starts no sooner, s
  std::vector<double> tail;  ///< per task: as long passes at least between its end and that of the schedule, s
  double path = 0;           ///< the longest head + duration + tail, s: no schedule is shorter
  std::vector<double>
      heads;  ///< [task * memories + memory]: it starts no sooner there; infinite: nothing runs it there
  std::vector<double> tails;
};

/// Let head_m(t) be a time before which t does not start in any schedule in which it runs in memory m, d_m(t) its least
/// duration there, and P(t) the tasks that wrote a datum that t reads, each that datum's last writer before t in every
/// schedule. In a schedule in which t starts at T in memory m:
///
///   (1) p in P(t) that ran in another memory s ended at head_s(p) + d_s(p) or later, after which its datum was copied:
///       T >= arrival_m(p) = min over s of head_s(p) + d_s(p) + copy(s, m, bytes), copy being the least time of any
///       route. So all p with arrival_m(p) > T ran in m.
///   (2) Those that ran in m shared its u_m units: sort them by head_m; from any of them on, the units did the work of
///   it
///       and of all later ones, none of which began before its head: T >= head_m(p) + sum of these d_m / u_m. And
///       T >= head_m(p) + d_m(p).
///
/// By (1) the set in m contains a beginning of P(t) sorted by decreasing arrival; (2) grows with the set. Hence
/// head_m(t) is the least, over all such beginnings, of the larger of (2) of the beginning and the largest arrival of
/// the rest; at least, for every task that t waits for, the least head + duration of it; at least what a datum that t
/// reads takes from main memory to m, where no task wrote it before; and at least `head` given.
/// Tails are heads of the reversed graph, copies going the other way. path: the largest, over tasks, of the least over
/// memories of head_m + d_m + tail_m. Copies are counted one by one, whatever else uses the connection: each can only
/// take longer.
///
/// A writer is known to be the last in every schedule where a datum's accesses are a chain: each reader depends
/// directly on the writer, each writer directly on all readers since the writer before, or on that one where there were
/// none. Data of which this is not so are left out.
///
/// `seconds`: as Workload's, `impossible` where a task is known not to run. `head`, `tail`: known before; empty:
/// nothing. Time: O(memories (dependencies log dependencies)).
CopyBound copy_bound(const Workload& work, const std::vector<double>& seconds, const std::vector<double>& head = {},
                     const std::vector<double>& tail = {});

/// What a task wrote to a datum, or what is in main memory at first, and those that read it.
struct DataVersion {
  std::uint32_t datum = 0;
  std::uint32_t writer = traces::none;  ///< none: nobody
  std::vector<std::uint32_t> readers;
};
/// The versions that somebody reads, of data whose accesses are a chain, as above.
std::vector<DataVersion> data_versions(const Workload& work);

/// Per datum: whether its accesses are a chain, as above.
std::vector<bool> chained_data(const Workload& work);

/// LP with links (area.hpp, communication.hpp): data that are in main memory at first cross to each kind of unit with
/// memories of its own that runs one of their first readers, and no kind receives more than its connections carry,
/// which carry nothing during a latency for each. Only data whose accesses are a chain, as above: their first readers
/// are the same in every schedule. 0 where no datum is read first, or with more than 2,000 different tasks.
double first_copies_bound(const Workload& work, const std::vector<double>& seconds);

}  // namespace asterism::bounds
