// SPDX-License-Identifier: Apache-2.0
// How long each task of a recording takes on each kind of unit of the machine that it is replayed on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bounds/durations.hpp"
#include "runtime/machine/platform.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::replay {

/// Where a duration comes from.
enum class Source : std::uint8_t {
  platform,   ///< the platform's file, which names the codelet
  models,     ///< StarPU's performance models (--models): the mean of the task's class
  recording,  ///< the recording, and those of --durations: the mean of the task's class
  rates,      ///< the platform's rates of codelets that it does not name, for tasks whose flops are known
  bytes,      ///< those rates for tasks without flops: as if they only copied. Asked where it is named (--order)
};
inline constexpr std::size_t source_count = 5;
inline constexpr std::array<const char*, source_count> source_names{"platform", "models", "recording", "rates",
                                                                    "bytes"};

/// Sources in the order in which they are asked. Throws Error (bad_input) for names that are unknown or repeated.
std::vector<Source> parse_order(const std::string& text);

/// Tasks of a codelet on a kind of unit: how many have a duration from each source, and how many none.
struct Coverage {
  std::string codelet;
  std::string kind;
  std::array<std::uint64_t, source_count> from{};
  std::uint64_t none = 0;
};

class TaskTimes {
 public:
  /// Throws Error (bad_input) when a task has a duration on no kind of unit of the machine.
  TaskTimes(const traces::Recording& recording, const Platform& platform, const bounds::Durations& known,
            const std::vector<Source>& order);

  /// Kind 0 are cores, 1 + i the platform's GPUs of kind i.
  [[nodiscard]] std::size_t kinds() const { return names_.size(); }
  /// Seconds; NaN where the task does not run.
  [[nodiscard]] double seconds(std::size_t task, std::size_t kind) const { return seconds_[task * kinds() + kind]; }
  [[nodiscard]] const std::vector<Coverage>& coverage() const { return coverage_; }
  /// The mean of each class of tasks (model and footprint) on each kind of unit, as performance models.
  [[nodiscard]] traces::PlatformRec models() const;

 private:
  const traces::Recording& recording_;
  const Platform& platform_;
  std::vector<std::string> names_;  ///< of the kinds
  std::vector<double> seconds_;     ///< by task and kind
  std::vector<Coverage> coverage_;  ///< by codelet and kind
};

}  // namespace asterism::apps::replay
