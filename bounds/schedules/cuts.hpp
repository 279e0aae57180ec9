// SPDX-License-Identifier: Apache-2.0
// Instants that divide every schedule of a graph in the same way, as a sum over the blocks of a vector does, and bounds
// that add up between them.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

/// For a task s: `before` are its ancestors, `after` the tasks that have all of these as ancestors, s among them. Let
/// tau be the latest end of `before`: in every schedule each of `after` starts at tau or later.
struct Cut {
  std::vector<bool> before;  ///< per task
  std::vector<bool> after;
};

/// Cuts whose two sides hold three quarters of the tasks or more, the smallest `before` first; at most `most` of them.
/// Where fewer tasks than of a cut are on neither side of another one, and no more tasks are between the two than there
/// are on neither side, the first is left out. None of a graph with more than 20,000 tasks. Time: tasks times
/// dependencies / 64.
std::vector<Cut> series_cuts(const Workload& work, std::size_t most = 400);

struct CutBound {
  std::vector<double> head;  ///< per task: it starts no sooner, s
  std::vector<double> tail;  ///< per task: as long passes at least between its end and that of the schedule, s
  double seconds = 0;        ///< no schedule is shorter
};

/// A bound of the makespan of a part of the tasks, s.
using PartBound = std::function<double(const Workload& part)>;

/// With tau_k the instant of cut k, all tasks of S = after_j and before_k, where there are some, run between tau_j and
/// tau_k: what lies between two tasks of S is in S, so that S alone is scheduled there, and
///
///   tau_k >= tau_j + bound(S),   tau_k >= bound(before_k),   T >= tau_k + bound(after_k).
///
/// head is the largest tau_k with the task in after_k, tail is computed backwards. S is tried for cuts that follow each
/// other and for the second and fourth next. In a part data that none of its tasks wrote before are anywhere: their
/// copies are not counted, but in parts that begin with the schedule. Parts that are alike, as iterations, are computed
/// once.
class Cuts {
 public:
  explicit Cuts(const Workload& work);

  /// `work`: the one of the constructor with other `seconds`.
  CutBound bound(const Workload& work, const PartBound& bound);
  [[nodiscard]] std::size_t size() const { return cuts_.size(); }

 private:
  std::vector<Cut> cuts_;
  std::vector<bool> chained_;                    ///< per datum
  std::map<std::vector<double>, double> known_;  ///< by part_key
};

}  // namespace asterism::bounds
