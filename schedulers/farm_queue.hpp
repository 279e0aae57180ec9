// SPDX-License-Identifier: Apache-2.0
// What greedy and assignment decide, without StarPU: which of the waiting tasks a unit gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace asterism::schedulers {

/// Tasks in decreasing priority, first in first out among equals. Not thread-safe.
template <class Task>
class FarmQueue {
 public:
  struct Entry {
    Task task;
    int priority;
    double work;  ///< floating-point operations
  };

  void push(const Task& task, int priority, double work) {
    auto place = entries_.end();
    while (place != entries_.begin() && (place - 1)->priority < priority) --place;
    entries_.insert(place, {task, priority, work});
  }

  /// The first tasks that `runs(task)` allows, until one does not fit into `target` any more; the first one always
  /// does.
  template <class Runs>
  std::vector<Task> take(double target, const Runs& runs) {
    std::vector<Task> batch;
    double sum = 0;
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      if (!runs(entry->task)) {
        ++entry;
        continue;
      }
      if (!batch.empty() && sum + entry->work > target) break;
      sum += entry->work;
      batch.push_back(entry->task);
      entry = entries_.erase(entry);
    }
    return batch;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::deque<Entry> entries_;
};

/// The highest speed that a unit has shown: tasks do not get faster than the unit is, but may be held up.
class BestSpeed {
 public:
  void begin(double now) { begun_.push_back(now); }
  /// Tasks end in the order in which they began; a GPU begins one while another runs, which it does not slow down.
  void end(double now, double work) {
    if (begun_.empty()) return;
    const double seconds = now - std::max(begun_.front(), last_end_);
    begun_.pop_front();
    last_end_ = now;
    if (seconds > 0) best_ = std::max(best_, work / seconds);
  }
  /// Operations per second; 0: not known yet.
  [[nodiscard]] double value() const { return best_; }

 private:
  std::deque<double> begun_;
  double last_end_ = 0;
  double best_ = 0;
};

}  // namespace asterism::schedulers
