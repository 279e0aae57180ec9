// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/forces/force_history.hpp"

#include <algorithm>
#include <cmath>

namespace asterism::lbm {
namespace {

enum Coefficient : std::size_t { drag, side, lift };

constexpr int fewest_periods = 3;
constexpr double largest_spread_of_periods = 0.25;
/// A lateral force that varies by less than this share of the drag is not taken for vortex shedding.
constexpr double smallest_oscillation = 1e-4;

/// Times at which the values rise through their mean.
std::vector<double> upward_crossings(std::span<const double> steps, std::span<const double> values,
                                     const MeanAndDeviation& m) {
  std::vector<double> crossings;
  bool was_low = false;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double before = values[k - 1] - m.mean;
    const double now = values[k] - m.mean;
    was_low = was_low || before < -0.5 * m.deviation;
    if (!was_low || now < 0 || before >= 0) continue;
    crossings.push_back(steps[k - 1] + (steps[k] - steps[k - 1]) * before / (before - now));
    was_low = false;
  }
  return crossings;
}

}  // namespace

std::array<double, 6> ReferenceScales::coefficients(const ForceSample& sample) const {
  const double of_force = velocity * velocity / 2 * area;
  std::array<double, 6> c{};
  for (std::size_t a = 0; a < 3; ++a) {
    c[a] = sample.force[a] / of_force;
    c[3 + a] = sample.moment[a] / (of_force * length);
  }
  return c;
}

MeanAndDeviation mean_and_deviation(std::span<const double> values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  MeanAndDeviation m;
  for (const double v : values) m.mean += v / n;
  for (const double v : values) m.deviation += (v - m.mean) * (v - m.mean) / n;
  m.deviation = std::sqrt(m.deviation);
  m.least = *std::min_element(values.begin(), values.end());
  m.most = *std::max_element(values.begin(), values.end());
  return m;
}

std::optional<Oscillation> oscillation(std::span<const double> steps, std::span<const double> values, double smallest) {
  const MeanAndDeviation m = mean_and_deviation(values);
  if (!(m.deviation > smallest)) return std::nullopt;
  const std::vector<double> at = upward_crossings(steps, values, m);
  const int periods = static_cast<int>(at.size()) - 1;
  if (periods < fewest_periods) return std::nullopt;
  std::vector<double> lengths;
  for (std::size_t k = 1; k < at.size(); ++k) lengths.push_back(at[k] - at[k - 1]);
  const MeanAndDeviation period = mean_and_deviation(lengths);
  if (period.deviation > largest_spread_of_periods * period.mean) return std::nullopt;
  return Oscillation{period.mean, periods};
}

std::optional<ForceStatistics> force_statistics(const std::vector<ForceSample>& samples, long from,
                                                const ReferenceScales& reference) {
  std::vector<double> steps;
  std::array<std::vector<double>, 6> series;
  for (const ForceSample& s : samples) {
    if (s.step < from) continue;
    steps.push_back(static_cast<double>(s.step));
    const std::array<double, 6> c = reference.coefficients(s);
    for (std::size_t a = 0; a < 6; ++a) series[a].push_back(c[a]);
  }
  if (steps.empty()) return std::nullopt;
  ForceStatistics found;
  found.from = std::lround(steps.front());
  found.to = std::lround(steps.back());
  found.samples = steps.size();
  for (std::size_t a = 0; a < 6; ++a) found.coefficient[a] = mean_and_deviation(series[a]);
  found.of_side_force = found.coefficient[side].deviation > found.coefficient[lift].deviation;
  found.shedding = oscillation(steps, series[found.of_side_force ? side : lift],
                               smallest_oscillation * std::abs(found.coefficient[drag].mean));
  if (found.shedding) found.strouhal = reference.length / (found.shedding->period * std::abs(reference.velocity));
  return found;
}

}  // namespace asterism::lbm
