// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/task_cost.hpp"

#include <algorithm>
#include <cmath>

namespace asterism {

double interpolate(const std::vector<Sample>& samples, double size) {
  const Sample& first = samples.front();
  const Sample& last = samples.back();
  if (size <= first.size) return first.seconds * size / first.size;
  if (size >= last.size) return last.seconds * size / last.size;
  const auto above = std::find_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.size >= size; });
  const Sample& below = *(above - 1);
  const double part = std::log(size / below.size) / std::log(above->size / below.size);
  return below.seconds * std::pow(above->seconds / below.seconds, part);
}

namespace {
const std::vector<Sample>& nearest(const std::vector<SamplesAtIntensity>& at, const TaskWork& work) {
  const auto distance = [&](const SamplesAtIntensity& s) {
    return std::abs(std::log(work.flops / (s.intensity * work.bytes)));
  };
  return std::min_element(at.begin(), at.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); })
      ->samples;
}

/// Sizes that are nearer to each other may differ in time by noise as much as by work.
constexpr double apart = 2;

/// The time of work of a size: beyond the largest sample what it took, and for the rest what the slope of it and the
/// next smaller sample of at most half its size or the rates say, whichever is longer, but never more than in
/// proportion to the size.
double by_samples(const std::vector<Sample>& samples, double size, double by_rates) {
  const double seconds = interpolate(samples, size);
  if (samples.size() < 2 || size <= samples.back().size) return seconds;
  const Sample& last = samples.back();
  const auto before = std::find_if(samples.rbegin() + 1, samples.rend() - 1,
                                   [&](const Sample& s) { return s.size * apart <= last.size; });
  const double slope = (last.seconds - before->seconds) / (last.size - before->size);
  const double rest = size - last.size;
  return std::min(seconds, last.seconds + std::max(slope * rest, by_rates * rest / size));
}
}  // namespace

double TaskCost::of(const TaskWork& work) const {
  if (const auto measured = of_class.find(work.footprint); measured != of_class.end()) return measured->second;
  const double size = sized_by == Size::flops ? work.flops : work.bytes;
  const double shared = work.flops * work.units / together;
  const double by_rates = std::max(work.flops / flops, work.bytes / bytes);
  if (!samples.empty() && size > 0) return std::max({seconds, by_samples(samples, size, by_rates), shared});
  if (!at.empty() && work.flops > 0 && work.bytes > 0)
    return std::max({seconds, by_samples(nearest(at, work), size, by_rates), shared});
  return seconds + std::max(by_rates, shared) + chunk * work.chunks;
}

}  // namespace asterism
