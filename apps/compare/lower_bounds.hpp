// Lower bounds on the makespan from what all recorded runs together say about durations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "traces/recording.hpp"

namespace asterism::apps::compare {

/// Tasks that StarPU's performance models hold for equal: same codelet, same footprint.
struct TaskClass {
  std::string codelet;
  std::uint32_t footprint = 0;
  auto operator<=>(const TaskClass&) const = default;
};

/// How often, and for how many seconds in all, tasks of a class ran on each kind of unit.
class Durations {
 public:
  struct Sum {
    std::uint64_t count = 0;
    double seconds = 0;
  };

  static Durations of(const traces::Recording& recording);
  static Durations load(const std::filesystem::path& path);
  void save(const std::filesystem::path& path) const;

  void add(const Durations& other);
  [[nodiscard]] const std::map<TaskClass, std::map<std::string, Sum>>& classes() const noexcept { return classes_; }
  /// Mean duration on a kind of unit; nothing when none of the class ran there.
  [[nodiscard]] std::optional<double> mean(const TaskClass& task, const std::string& kind) const;
  /// On the kind that is fastest.
  [[nodiscard]] std::optional<double> fastest(const TaskClass& task) const;

 private:
  std::map<TaskClass, std::map<std::string, Sum>> classes_;
};

/// Seconds: the area bound (LP) of the tasks of `run`, with the mean durations of `pool`, on so many units of each kind;
/// nothing when there are no tasks.
std::optional<double> area_bound(const Durations& run, const std::map<std::string, std::uint64_t>& units,
                                 const Durations& pool);

/// Seconds: the longest path through the dependencies, each task with its mean duration in `pool` on the kind that is
/// fastest; nothing when dependencies were not recorded.
std::optional<double> path_bound(const traces::Recording& recording, const Durations& pool);

}  // namespace asterism::apps::compare
