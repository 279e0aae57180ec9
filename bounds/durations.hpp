// SPDX-License-Identifier: Apache-2.0
// How long a task takes on a kind of unit: a table t(performance model, footprint, kind) gathered from recordings and
// from StarPU's performance models.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/models/platform_rec.hpp"
#include "traces/recording.hpp"

namespace asterism::bounds {

/// Which of the measured durations stands for a class. With the mean over the very recording that is bounded the LP
/// cannot exceed the makespan (see bounds.hpp); with the minimum neither; with the median it may.
enum class Aggregate { mean, median, minimum };

/// "mean", "median" or "min". Throws Error (bad_input).
Aggregate parse_aggregate(const std::string& text);

enum class Source : std::uint8_t {
  recording,  ///< the recording that is bounded
  others,     ///< further recordings
  models,     ///< performance models
};
inline constexpr std::size_t source_count = 3;
inline constexpr const char* source_names[source_count] = {"recording", "durations", "models"};

struct DurationOptions {
  Aggregate aggregate = Aggregate::mean;
  /// Where several sources know a duration the first of these that does is taken.
  std::array<Source, source_count> order{Source::recording, Source::others, Source::models};
};

struct Estimate {
  double seconds = 0;  ///< by the aggregate asked for
  double minimum = 0;
  double deviation = 0;  ///< standard deviation
  std::uint64_t count = 0;
  Source source = Source::recording;
};

/// flop/s per codelet (name or performance model symbol) and kind.
using Rates = std::map<std::pair<std::string, std::string>, double>;

/// Lines "codelet,kind,flop/s"; '#' starts a comment, a first line of names is allowed. Throws Error (bad_input).
Rates read_rates(const std::filesystem::path& path);

/// The performance model's symbol, or the codelet's name when the model is unknown: what durations are known by.
const std::string& symbol_of(const traces::Codelet& codelet);

class Durations {
 public:
  /// Recordings of the same source are pooled. Throws Error (bad_input) for a task that ends before it starts.
  /// `rank`: only what ran there.
  void add(const traces::Recording& recording, Source source, std::optional<std::uint32_t> rank = std::nullopt);
  /// Devices of a kind (cuda0, cuda1) are pooled. Models keep means only: their median is the mean, their minimum the
  /// smallest mean of any device. `of`: a recording whose kinds count instead, where it tells devices from each other.
  void add(const traces::PlatformRec& platform, const traces::Recording* of = nullptr);

  [[nodiscard]] std::optional<Estimate> find(const std::string& symbol, std::uint32_t footprint,
                                             const std::string& kind, const DurationOptions& options) const;

  /// flop/s of the fastest task or model entry of any footprint, from all sources; infinite when a task with flops
  /// took no time; none without flops.
  [[nodiscard]] std::optional<double> best_rate(const std::string& symbol, const std::string& kind) const;

  /// Kinds for which anything is known, sorted.
  [[nodiscard]] std::vector<std::string> kinds() const;

 private:
  struct Samples {
    std::vector<double> seconds;  ///< recordings: every task
    std::uint64_t count = 0;      ///< models: from here on
    double sum = 0;
    double squares = 0;  ///< sum of (deviation^2 + mean^2) times samples
    double minimum = 0;
  };
  struct Key {
    std::string symbol;
    std::string kind;
    std::uint32_t footprint;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  static Estimate estimate(const Samples& samples, Aggregate aggregate);
  void rate(const std::string& symbol, const std::string& kind, double flops_per_second);

  std::unordered_map<Key, std::array<Samples, source_count>, Hash> table_;
  Rates best_;
};

}  // namespace asterism::bounds
