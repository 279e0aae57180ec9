// SPDX-License-Identifier: Apache-2.0
// Force on a body over time: coefficients, mean and standard deviation, and the frequency of vortex shedding.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace asterism::lbm {

struct ForceSample {
  long step = 0;
  std::array<double, 3> force{}, moment{};
};

/// What forces are divided by: velocity^2 / 2 area at density 1, moments by that times length.
struct ReferenceScales {
  double area = 0;      ///< cells^2
  double length = 0;    ///< cells
  double velocity = 0;  ///< cells per step

  /// Drag (x), side force (y) and lift (z), then the moments about x, y and z.
  [[nodiscard]] std::array<double, 6> coefficients(const ForceSample& sample) const;
};

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  ///< standard deviation, over N
  double least = 0, most = 0;
};
MeanAndDeviation mean_and_deviation(std::span<const double> values);

/// An oscillation found in a series.
struct Oscillation {
  double period = 0;  ///< steps
  int periods = 0;    ///< whole ones that were seen
};
/// From the upward crossings of the mean; between two of them the series has to fall below the mean by half of its
/// standard deviation, so that small wiggles do not count. Nothing: fewer than three periods, or periods that differ by
/// more than a quarter (standard deviation) of their mean, or a standard deviation below `smallest`.
std::optional<Oscillation> oscillation(std::span<const double> steps, std::span<const double> values, double smallest);

struct ForceStatistics {
  long from = 0, to = 0;  ///< first and last step of the samples
  std::size_t samples = 0;
  std::array<MeanAndDeviation, 6> coefficient;  ///< as ReferenceScales::coefficients
  std::optional<Oscillation> shedding;          ///< of the lift or the side force, whichever varies more
  bool of_side_force = false;                   ///< else of the lift
  double strouhal = 0;                          ///< length / (period velocity), if there is a period
};
/// Statistics of the samples of step `from` and later; nothing if there are none.
std::optional<ForceStatistics> force_statistics(const std::vector<ForceSample>& samples, long from,
                                                const ReferenceScales& reference);

}  // namespace asterism::lbm
