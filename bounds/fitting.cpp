// SPDX-License-Identifier: Apache-2.0
#include "bounds/fitting.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace asterism::bounds {
namespace {

/// Sorted: the durations that T may depend on, none for a problem without tasks.
std::vector<double> durations_of(const AreaProblem& problem) {
  double least = 0;  // below it some class fits on no kind
  std::vector<double> durations;
  for (const TaskClass& c : problem.classes) {
    if (!(c.tasks > 0)) continue;
    least = std::max(least, *std::min_element(c.seconds.begin(), c.seconds.end()));
    std::copy_if(c.seconds.begin(), c.seconds.end(), std::back_inserter(durations),
                 [](double t) { return std::isfinite(t); });
  }
  std::sort(durations.begin(), durations.end());
  durations.erase(std::unique(durations.begin(), durations.end()), durations.end());
  durations.erase(durations.begin(), std::lower_bound(durations.begin(), durations.end(), least));
  return durations;
}

/// LP's value without the durations beyond `longest`; `part`: a copy of `whole` to work in.
double restricted(const AreaProblem& whole, double longest, AreaProblem& part, const AreaOptions& options) {
  for (std::size_t c = 0; c < whole.classes.size(); ++c) {
    if (!(whole.classes[c].tasks > 0)) continue;
    std::transform(whole.classes[c].seconds.begin(), whole.classes[c].seconds.end(), part.classes[c].seconds.begin(),
                   [&](double t) { return t <= longest ? t : impossible; });
  }
  return solve_area(part, options).seconds;
}

}  // namespace

double solve_fitting(const AreaProblem& problem, const AreaSolution& area, const AreaOptions& options) {
  require_runnable(problem);
  const std::vector<double> tau = durations_of(problem);
  if (tau.empty()) return area.seconds;
  // The first k for which an LP_k of at least `lp` may be below tau_k+1.
  const auto first_above = [&](double lp) {
    const auto above = std::upper_bound(tau.begin() + 1, tau.end(), lp);
    return static_cast<std::size_t>(above - tau.begin()) - 1;
  };
  AreaProblem part = problem;
  double value = area.seconds;  // LP of `last`
  std::size_t first = first_above(value);
  std::size_t last = tau.size() - 1;
  while (first < last) {
    const std::size_t k = (first + last) / 2;
    const double lp = restricted(problem, tau[k], part, options);
    if (lp < tau[k + 1]) {
      last = k;
      value = lp;
      first = std::max(first, first_above(lp));
    } else {
      first = k + 1;
    }
  }
  return std::max({area.seconds, value, tau[last]});
}

}  // namespace asterism::bounds
