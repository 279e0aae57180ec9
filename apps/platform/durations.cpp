// SPDX-License-Identifier: Apache-2.0
#include "apps/platform/durations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "apps/common/program.hpp"
#include "bounds/durations.hpp"

namespace asterism::apps::platform {
namespace {

constexpr double outlier = 3;       ///< times the median
constexpr double same_size = 1.02;  ///< classes closer than this are one sample
/// Classes sorted by intensity of which one has this much more than the one before are tasks of another kind.
constexpr double other_intensity = 1.5;

std::optional<UnitKind> kind_of(const traces::Recording& recording, const traces::Task& task) {
  const std::string& name = recording.kind_name(task);
  if (name == "CPU") return UnitKind::cpu;
  if (name.starts_with("CUDA")) return UnitKind::gpu;
  return std::nullopt;
}

/// The mean, in microseconds, without one sample that may have been much longer than the others, the first launch of a
/// kernel: n - 1 samples of m and one of m + o have the mean m + o/n and the deviation o sqrt(n - 1)/n. Where there was
/// none it is the mean less its standard error.
double without_first(const traces::Timing& timing) {
  if (timing.samples < 2) return timing.mean;
  const double excess = timing.deviation / std::sqrt(static_cast<double>(timing.samples - 1));
  return std::max(timing.mean - excess, timing.mean / static_cast<double>(timing.samples));
}

double passes(traces::Mode mode) {
  switch (mode) {
    case traces::Mode::read:
    case traces::Mode::write:
      return 1;
    case traces::Mode::read_write:
      return 2;
    case traces::Mode::other:
      return 0;
  }
  return 0;
}

double bytes_of(const traces::Recording& recording, std::size_t task) {
  double bytes = 0;
  for (const traces::Access& access : recording.data(task))
    if (access.handle != traces::none)
      bytes += passes(access.mode) * static_cast<double>(recording.handles[access.handle].bytes);
  return bytes;
}

/// Classes of about the same size.
struct Bin {
  double size = 0;  ///< mean over tasks, as `seconds`
  double seconds = 0;
  double tasks = 0;
  double intensity = 0;  ///< likewise, flops over bytes; 0: by bytes alone

  void add(const Bin& other) {
    const double sum = tasks + other.tasks;
    size = (size * tasks + other.size * other.tasks) / sum;
    intensity = (intensity * tasks + other.intensity * other.tasks) / sum;
    seconds = (seconds * tasks + other.seconds * other.tasks) / sum;
    tasks = sum;
  }
};

/// Joins neighbours whose sizes differ by less than the factor.
std::vector<Bin> join(const std::vector<Bin>& bins, double factor) {
  std::vector<Bin> joined;
  for (const Bin& bin : bins)
    if (!joined.empty() && bin.size < factor * joined.back().size)
      joined.back().add(bin);
    else
      joined.push_back(bin);
  return joined;
}

/// Durations that never fall with size, by least squares with the tasks as weights: neighbours that do are one (pool
/// adjacent violators; Barlow, Bartholomew, Bremner, Brunk, Statistical inference under order restrictions, 1972).
std::vector<Bin> isotonic(const std::vector<Bin>& bins) {
  std::vector<Bin> pools;
  for (const Bin& bin : bins) {
    pools.push_back(bin);
    while (pools.size() > 1 && pools.back().seconds < pools[pools.size() - 2].seconds) {
      const Bin last = pools.back();
      pools.pop_back();
      pools.back().add(last);
    }
  }
  return pools;
}

/// Leaves out classes of few tasks whose size lies between those of two classes with enough: their first task, which
/// finds cold caches, is most of what is known of them.
void leave_out_rare(std::vector<Bin>& bins) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Bin& bin : bins)
    if (bin.tasks >= static_cast<double>(MeasuredDurations::enough)) {
      least = std::min(least, bin.size);
      most = std::max(most, bin.size);
    }
  std::erase_if(bins, [&](const Bin& bin) {
    return bin.tasks < static_cast<double>(MeasuredDurations::enough) && bin.size > least && bin.size < most;
  });
}

std::vector<Sample> samples_of(std::vector<Bin> bins) {
  leave_out_rare(bins);
  std::sort(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) { return a.size < b.size; });
  for (double factor = same_size;; factor *= std::sqrt(factor)) {
    bins = join(bins, factor);
    if (bins.size() <= MeasuredDurations::most_samples) break;
  }
  std::vector<Sample> samples;
  for (const Bin& bin : isotonic(bins)) samples.push_back({bin.size, bin.seconds});
  return samples;
}

/// Those of about the same intensity together, by increasing intensity.
std::vector<std::vector<Bin>> by_intensity(std::vector<Bin> bins) {
  std::sort(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) { return a.intensity < b.intensity; });
  std::vector<std::vector<Bin>> groups;
  for (const Bin& bin : bins) {
    if (groups.empty() || bin.intensity > other_intensity * groups.back().back().intensity) groups.emplace_back();
    groups.back().push_back(bin);
  }
  return groups;
}

TaskCost cost(const std::map<std::uint32_t, TaskClass>& classes, const TaskCost& by_default) {
  TaskCost result = by_default;
  const bool by_flops =
      std::any_of(classes.begin(), classes.end(), [](const auto& entry) { return entry.second.flops > 0; });
  std::vector<Bin> bins;
  Bin without_size;
  for (const auto& [footprint, c] : classes) {
    const Bin bin{by_flops ? c.flops : c.bytes, c.mean(), c.weight(), by_flops && c.bytes > 0 ? c.flops / c.bytes : 0};
    if (bin.seconds > 0) result.of_class[footprint] = bin.seconds;
    if (bin.size > 0)
      bins.push_back(bin);
    else
      without_size.add(bin);
  }
  result.sized_by = by_flops ? TaskCost::Size::flops : TaskCost::Size::bytes;
  if (bins.empty()) result.seconds = without_size.seconds;
  const std::vector<std::vector<Bin>> groups = by_intensity(bins);
  if (groups.size() == 1 || (groups.size() > 1 && groups.front().front().intensity <= 0)) {
    result.samples = samples_of(bins);
    return result;
  }
  for (const std::vector<Bin>& group : groups) {
    Bin mean = group.front();
    for (std::size_t b = 1; b < group.size(); ++b) mean.add(group[b]);
    result.at.push_back({mean.intensity, samples_of(group)});
  }
  return result;
}

}  // namespace

double TaskClass::weight() const {
  return samples > 0 ? static_cast<double>(samples) : static_cast<double>(seconds.size());
}

double TaskClass::mean() const {
  if (samples > 0) return modelled;
  const double largest = outlier * median(seconds);
  double sum = 0;
  double count = 0;
  for (const double s : seconds)
    if (s <= largest) {
      sum += s;
      count += 1;
    }
  return count > 0 ? sum / count : 0;
}

void MeasuredDurations::add(const traces::Recording& recording) {
  std::set<std::pair<Key, std::uint32_t>> settled;
  for (const auto& [key, classes] : classes_)
    for (const auto& [footprint, c] : classes)
      if (c.seconds.size() >= enough) settled.insert({key, footprint});
  for (std::size_t t = 0; t < recording.tasks.size(); ++t) {
    const traces::Task& task = recording.tasks[t];
    if (!task.executed() || task.codelet == traces::none || !(task.duration() > 0)) continue;
    const std::optional<UnitKind> kind = kind_of(recording, task);
    if (!kind) continue;
    const Key key{bounds::symbol_of(recording.codelets[task.codelet]), *kind};
    if (key.first.starts_with("starpu_")) continue;  // its own copies, which it simulates by itself
    if (settled.contains({key, task.footprint})) continue;
    TaskClass& c = classes_[key][task.footprint];
    if (c.seconds.empty()) {
      c.flops = task.flops;
      c.bytes = bytes_of(recording, t);
    }
    c.seconds.push_back(task.duration());
  }
}

void MeasuredDurations::add(const traces::PlatformRec& models) {
  for (const traces::Timing& timing : models.timings) {
    const std::string kind = traces::kind_of_architecture(timing.architecture);
    if (timing.samples < enough || !(timing.mean > 0) || (kind != "CPU" && kind != "CUDA")) continue;
    const auto classes = classes_.find({timing.model, kind == "CPU" ? UnitKind::cpu : UnitKind::gpu});
    if (classes == classes_.end()) continue;
    const auto known = classes->second.find(timing.footprint);
    if (known == classes->second.end()) continue;
    TaskClass& c = known->second;
    const std::uint64_t sum = c.samples + timing.samples;
    c.modelled +=
        (1e-6 * without_first(timing) - c.modelled) * static_cast<double>(timing.samples) / static_cast<double>(sum);
    c.samples = sum;
  }
}

std::uint64_t MeasuredDurations::tasks() const {
  std::uint64_t count = 0;
  for (const auto& [key, classes] : classes_)
    for (const auto& [footprint, c] : classes) count += c.seconds.size();
  return count;
}

std::map<std::string, Platform::Codelet, std::less<>> MeasuredDurations::codelets(
    const TaskCost& cpu, const std::vector<TaskCost>& gpu) const {
  std::map<std::string, Platform::Codelet, std::less<>> result;
  for (const auto& [key, classes] : classes_) {
    const auto& [symbol, kind] = key;
    const auto [at, added] = result.try_emplace(symbol, Platform::Codelet{cpu, gpu});
    if (kind == UnitKind::cpu)
      at->second.cpu = cost(classes, cpu);
    else if (!gpu.empty())
      at->second.gpu = {cost(classes, gpu.front())};
  }
  return result;
}

double MeasuredDurations::flops_per_second(UnitKind kind) const {
  std::vector<double> rates;
  for (const auto& [key, classes] : classes_) {
    if (key.second != kind) continue;
    const auto largest = std::max_element(classes.begin(), classes.end(),
                                          [](const auto& a, const auto& b) { return a.second.flops < b.second.flops; });
    if (largest->second.flops > 0) rates.push_back(largest->second.flops / largest->second.mean());
  }
  return median(rates);
}

double MeasuredDurations::shortest(UnitKind kind) const {
  double least = 0;
  for (const auto& [key, classes] : classes_)
    for (const auto& [footprint, c] : classes)
      if (key.second == kind && (least == 0 || c.mean() < least)) least = c.mean();
  return least;
}

}  // namespace asterism::apps::platform
