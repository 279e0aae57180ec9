// SPDX-License-Identifier: Apache-2.0
// A schedule task by task: when units and connections are free, and which memory has which data.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

/// When something is busy: intervals that do not overlap, sorted.
class BusyTimes {
 public:
  /// The first instant, not before `from`, from which it is free for `seconds`.
  [[nodiscard]] double first_gap(double from, double seconds) const;
  void occupy(double start, double end);

 private:
  std::vector<std::pair<double, double>> intervals_;
};

/// Tasks are added after those they wait for. Each starts as soon as its data and a gap on its unit allow; copies take
/// the first gap of their connection after the datum is where it comes from.
class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(const Workload& work);

  struct Choice {
    std::uint32_t unit = traces::none;  ///< none: it runs on no unit that is allowed
    double end = impossible;
  };
  /// The unit on which the task would end first. Its copies are taken one by one, as if each were the only one.
  /// `kind`: only units of it; none: all.
  [[nodiscard]] Choice earliest(std::uint32_t task, std::uint32_t kind = traces::none) const;
  /// Returns the task's end. `unit` is not looked at for a task that does not run.
  double add(std::uint32_t task, std::uint32_t unit);
  Schedule finish(std::string made_by) &&;

 private:
  struct Arrival {
    double when = 0;
    std::vector<Copy> copies;  ///< to be made, none when the datum is there
  };
  [[nodiscard]] double ready(std::uint32_t task) const;
  [[nodiscard]] Arrival arrival(std::uint32_t datum, std::uint32_t memory) const;
  [[nodiscard]] Copy copy(std::uint32_t datum, std::uint32_t from, std::uint32_t to, double available) const;
  void occupy(const Copy& copy);

  const Workload& work_;
  std::vector<BusyTimes> units_;
  std::map<std::uint32_t, BusyTimes> connections_;  ///< by key_of
  /// A part of what connections of resource 0 carry together. A copy takes one of them.
  struct Lane {
    double rate = 0;  ///< bytes/s
    BusyTimes busy;
  };
  std::vector<Lane> lanes_;
  [[nodiscard]] std::uint32_t key_of(std::uint32_t from, std::uint32_t to) const;
  std::vector<double> since_;  ///< [datum * memories + memory]: has the datum from then; or infinite
  Schedule schedule_;
};

}  // namespace asterism::bounds
