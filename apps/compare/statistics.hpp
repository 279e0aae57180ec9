// SPDX-License-Identifier: Apache-2.0
// Medians with intervals that assume nothing about the distribution of the times.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace asterism::apps::compare {

/// The median of a sample, and order statistics between which the median of what was sampled lies with probability
/// `confidence`, whatever its (continuous) distribution: [x_(k), x_(n+1-k)], k the largest for which
/// 1 - 2 P(B(n, 1/2) < k) is at least the level wanted. A sample too small for that gives its whole range and the
/// confidence this has, 1 - 2^(1-n): below 95 % for n < 6.
struct MedianInterval {
  std::size_t count = 0;  ///< n; all else is 0 when this is
  double median = 0;
  double low = 0;
  double high = 0;
  double confidence = 0;
};

MedianInterval median_interval(std::vector<double> sample, double level = 0.95);

/// The ratios a / b of pairs measured one soon after the other, so that a drift of the machine cancels; pairs with a
/// missing member are left out.
MedianInterval paired_ratio(const std::vector<std::optional<double>>& a, const std::vector<std::optional<double>>& b,
                            double level = 0.95);

}  // namespace asterism::apps::compare
