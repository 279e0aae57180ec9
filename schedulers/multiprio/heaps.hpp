// SPDX-License-Identifier: Apache-2.0
// The decisions of "multiprio" (Tayeb, Bramas, Faverge, Guermouche: Dynamic tasks scheduling with multiple priorities
// on heterogeneous computing systems, HCW at IPDPS 2024). A task is an address here: nothing knows StarPU.
//
// Every memory node has a heap of the ready tasks that its units can run, ordered by
//   gain   how much faster than elsewhere, or slower, the task is on the units of this node, in proportion to the
//   largest
//          such difference seen on it:   (d + D) / 2 D,   D = max |d|,
//          d = t(second best kind of unit) - t(here) where this kind is the best one, t(best) - t(here) elsewhere;
//          1 where only one kind can run it; and among equals by
//   NOD    normalised out-degree: the sum of 1 / (predecessors of s) over the task's successors s.
// A unit looks at the first `window` tasks of its node's heap whose gain is at most `tolerance` below the first one's
// and takes the one of greatest locality, if the pop condition lets it: its kind is the best for the task, or what
// waits for the best kind keeps each of those units busy for longer than the task takes here. Else the task is evicted
// from this heap, and the unit looks again.
//
// Chosen here, where the paper leaves it open or StarPU does not say: heaps are search trees, since tasks leave several
// of them at once; NOD is not divided by its maximum, which changes no order; units for which a task takes equally long
// are of one kind; the work that waits for a kind is shared by all of its units, whichever nodes they are on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace asterism::schedulers::multiprio {

class Heaps {
 public:
  static constexpr int window = 10;
  static constexpr double tolerance = 0.8;

  /// Begins anew with nodes of so many units each; returns the tasks that waited.
  std::vector<void*> reset(std::vector<unsigned> units);
  /// `lengths`: microseconds on a unit of each node; 0: unknown, and then no kind is better than another; none: it
  /// cannot run there.
  void push(void* task, const std::vector<std::optional<double>>& lengths, double out_degree);
  /// The next task of a unit of this node, or nullptr. `locality`: of a task and this node, the larger the better;
  /// none: this unit cannot run it, unlike others of the node.
  void* pop(std::size_t node, const std::function<std::optional<double>(void* task)>& locality);
  /// Tasks that wait.
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  struct Score {
    double gain;
    double out_degree;
    std::uint64_t number;  ///< of arrival: first in first out among equals
    bool operator<(const Score& other) const {
      if (gain != other.gain) return gain > other.gain;
      if (out_degree != other.out_degree) return out_degree > other.out_degree;
      return number < other.number;
    }
  };
  struct Waiting {
    void* task;
    std::vector<std::optional<double>> lengths;
    std::vector<std::optional<Score>> scores;  ///< in each node's heap; none: not there
    std::optional<double> best;                ///< shortest length; none: not known everywhere
  };
  [[nodiscard]] static bool is_best(const Waiting& waiting, std::size_t node);
  void count_work(const Waiting& waiting, int sign);
  [[nodiscard]] bool may_pop(const Waiting& waiting, std::size_t node) const;

  std::vector<unsigned> units_;
  std::vector<std::set<Score>> heaps_;
  std::vector<double> largest_;  ///< difference seen on each node
  std::vector<double> work_;     ///< of waiting tasks that are best there: a node's part, microseconds of one unit
  std::map<std::uint64_t, Waiting> all_;  ///< by number
  std::uint64_t arrived_ = 0;
};

}  // namespace asterism::schedulers::multiprio
