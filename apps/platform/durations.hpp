// SPDX-License-Identifier: Apache-2.0
// Durations by codelet, kind of unit and size of the task, out of recordings: what a platform file says of codelets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/machine/platform.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::platform {

/// Tasks of one performance model, kind of unit and class (StarPU's footprint).
struct TaskClass {
  double flops = 0;             ///< of one task
  double bytes = 0;             ///< of one task, as TaskWork::bytes
  std::vector<double> seconds;  ///< as recorded
  double modelled = 0;          ///< mean of StarPU's model, seconds; 0: none
  std::uint64_t samples = 0;    ///< of that

  /// StarPU's mean if it has enough samples: those are of runs that were not recorded, which makes small tasks longer.
  /// Else the mean of what was recorded without what took more than three times the median: the first launch of a
  /// kernel, and whatever interrupted.
  [[nodiscard]] double mean() const;
  [[nodiscard]] double weight() const;  ///< tasks behind it
};

class MeasuredDurations {
 public:
  /// Tasks with a codelet that ran on CPU cores or CUDA devices. A class of which an earlier recording has at least
  /// `enough` tasks on a kind of unit stays as it is.
  void add(const traces::Recording& recording);
  /// Means of StarPU's own performance models without the first launch, for classes that recordings know, where there
  /// are `enough` samples; devices of a kind are pooled.
  void add(const traces::PlatformRec& models);

  [[nodiscard]] bool empty() const noexcept { return classes_.empty(); }
  [[nodiscard]] std::uint64_t tasks() const;

  /// What `codelets` of a platform says: for each performance model and kind that was seen the classes by size, in
  /// flops where its tasks have some (apart where the flops for a byte differ much), else in bytes; neighbours in size
  /// are joined until at most `most_samples` are left and none takes less than a smaller one. Classes of less than
  /// `enough` tasks between a larger and a smaller one of enough are left out. Classes without a size: only `seconds`.
  /// Each class's own mean by footprint, too. A kind that was not seen keeps `cpu` or `gpu`, the defaults; without one
  /// of `gpu` what ran on GPUs is left out.
  [[nodiscard]] std::map<std::string, Platform::Codelet, std::less<>> codelets(const TaskCost& cpu,
                                                                               const std::vector<TaskCost>& gpu) const;

  /// Median over performance models of the flops per second of their largest class; 0: none counts flops.
  [[nodiscard]] double flops_per_second(UnitKind kind) const;
  /// The shortest mean of a class; 0: none.
  [[nodiscard]] double shortest(UnitKind kind) const;

  static constexpr std::size_t enough = 5;
  static constexpr std::size_t most_samples = 24;

 private:
  using Key = std::pair<std::string, UnitKind>;
  std::map<Key, std::map<std::uint32_t, TaskClass>> classes_;
};

}  // namespace asterism::apps::platform
