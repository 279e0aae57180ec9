// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace asterism::apps::compare {
namespace {

/// P(B(n, 1/2) = k)
double coin(std::size_t n, std::size_t k) {
  const auto m = static_cast<double>(n);
  const auto j = static_cast<double>(k);
  return std::exp(std::lgamma(m + 1) - std::lgamma(j + 1) - std::lgamma(m - j + 1) - m * std::log(2.0));
}

}  // namespace

MedianInterval median_interval(std::vector<double> sample, double level) {
  MedianInterval result;
  const std::size_t n = sample.size();
  if (n == 0) return result;
  std::sort(sample.begin(), sample.end());
  result.count = n;
  result.median = n % 2 == 1 ? sample[n / 2] : (sample[n / 2 - 1] + sample[n / 2]) / 2;
  // ranks from 1: the interval leaves out `below` observations at each end
  std::size_t below = 0;
  double tail = coin(n, 0);
  result.confidence = 1 - 2 * tail;
  while (2 * (below + 2) <= n) {
    tail += coin(n, below + 1);
    if (1 - 2 * tail < level) break;
    result.confidence = 1 - 2 * tail;
    ++below;
  }
  result.low = sample[below];
  result.high = sample[n - 1 - below];
  return result;
}

MedianInterval paired_ratio(const std::vector<std::optional<double>>& a, const std::vector<std::optional<double>>& b,
                            double level) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] && b[i] && *b[i] > 0) ratios.push_back(*a[i] / *b[i]);
  return median_interval(std::move(ratios), level);
}

}  // namespace asterism::apps::compare
