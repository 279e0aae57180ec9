// SPDX-License-Identifier: Apache-2.0
// Lower bounds on the makespan that hold for every recorded run, from what all of them say about durations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "runtime/machine/platform.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::compare {

/// Tasks that StarPU's performance models hold for equal: same model (codelet, when it has none), same footprint. On a
/// simulated machine, whose tasks take exactly as long as their work says, also the same work; else that is 0.
struct TaskClass {
  std::string symbol;
  std::uint32_t footprint = 0;
  double flops = 0;
  double bytes = 0;
  bool operator<(const TaskClass& other) const {
    return std::tie(symbol, footprint, flops, bytes) <
           std::tie(other.symbol, other.footprint, other.flops, other.bytes);
  }
};

struct Sum {
  std::uint64_t count = 0;  ///< 0: none ran there, and `minimum` is what the simulated machine would have taken
  double seconds = 0;
  double minimum = std::numeric_limits<double>::infinity();  ///< of one task
};

/// How long the tasks of one run took, by class and kind of unit.
struct Durations {
  std::map<TaskClass, std::map<std::string, Sum>> classes;

  /// `platform`: the simulated machine it ran on, which tells durations on the other kinds as well; null: none.
  /// `replayed`: those of asterism-replay, which count in place of the platform's; null: none.
  static Durations of(const traces::Recording& recording, const Platform* platform = nullptr,
                      const traces::PlatformRec* replayed = nullptr);
  static Durations load(const std::filesystem::path& path);
  void save(const std::filesystem::path& path) const;
};

/// The best over all runs. A kind that one scheduler does not use for a class is known through another.
class BestDurations {
 public:
  struct Best {
    double mean = std::numeric_limits<double>::infinity();     ///< smallest mean of a run, seconds
    double minimum = std::numeric_limits<double>::infinity();  ///< fastest task of any run, seconds
  };

  void add(const Durations& run);
  [[nodiscard]] bool empty() const noexcept { return classes_.empty(); }
  /// Infinite when no task of the class ran on that kind.
  [[nodiscard]] Best on(const TaskClass& task, const std::string& kind) const;
  /// Fastest task of the class on any kind.
  [[nodiscard]] double minimum(const TaskClass& task) const;

 private:
  std::map<TaskClass, std::map<std::string, Best>> classes_;
};

/// Seconds.
struct AreaBounds {
  double lp = 0;
  double fitting = 0;  ///< LP where tasks fit, see bounds/fitting.hpp
};

/// The area bounds of the tasks of `run` on so many units of each kind, each class and kind with the smallest mean
/// duration of any run. They hold for every run that was added: a run's units spent on the tasks of a class at least
/// their number times that mean, and that mean is at most what the longest of them took. Nothing when there are no
/// tasks.
std::optional<AreaBounds> area_bounds(const Durations& run, const std::map<std::string, std::uint64_t>& units,
                                      const BestDurations& best);

/// Seconds: the longest path through the dependencies, each task with the duration of the fastest of its class in any
/// run on any kind, which again holds for every run. Nothing when dependencies were not recorded.
/// `platform`: as for the durations.
std::optional<double> path_bound(const traces::Recording& recording, const BestDurations& best,
                                 const Platform* platform = nullptr);

/// Seconds: the window bound (bounds/windows.hpp) of the tasks of a recorded run on so many units of each kind, with
/// the durations of the two bounds above. Nothing when dependencies were not recorded.
std::optional<double> windows_bound(const traces::Recording& recording,
                                    const std::map<std::string, std::uint64_t>& units, const BestDurations& best,
                                    const Platform* platform = nullptr);

}  // namespace asterism::apps::compare
