// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/task_cost.hpp"

#include <algorithm>
#include <cmath>

namespace asterism {

double interpolate(const std::vector<Sample>& samples, double size) {
  const Sample& last = samples.back();
  if (samples.size() == 1 || size >= last.size) return last.seconds * size / last.size;
  const auto above = std::find_if(samples.begin() + 1, samples.end(), [&](const Sample& s) { return s.size >= size; });
  const Sample& below = *(above - 1);
  const double slope = (above->seconds - below.seconds) / (above->size - below.size);
  const double line = below.seconds + slope * (size - below.size);
  return size >= below.size ? line : std::max(line, below.seconds * size / below.size);
}

namespace {
const std::vector<Sample>& nearest(const std::vector<SamplesAtIntensity>& at, const TaskWork& work) {
  const auto distance = [&](const SamplesAtIntensity& s) {
    return std::abs(std::log(work.flops / (s.intensity * work.bytes)));
  };
  return std::min_element(at.begin(), at.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); })
      ->samples;
}
}  // namespace

double TaskCost::of(const TaskWork& work) const {
  if (const auto measured = of_class.find(work.footprint); measured != of_class.end()) return measured->second;
  const double size = sized_by == Size::flops ? work.flops : work.bytes;
  const double shared = work.flops * work.units / together;
  if (!samples.empty() && size > 0) return std::max({seconds, interpolate(samples, size), shared});
  if (!at.empty() && work.flops > 0 && work.bytes > 0)
    return std::max({seconds, interpolate(nearest(at, work), size), shared});
  return seconds + std::max({work.flops / flops, work.bytes / bytes, shared}) + chunk * work.chunks;
}

}  // namespace asterism
