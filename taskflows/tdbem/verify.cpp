// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taskflows/tdbem/reference/reference.hpp"
#include "taskflows/tdbem/reference/sphere_series.hpp"

namespace asterism::tdbem {
namespace {

/// Multiplications of plain marching: some seconds.
constexpr double affordable_products = 4e9;
/// Estimate of the mean length of row-vectors.
constexpr double mean_length = 10;
/// Relative L2 errors on the sphere are below this constant times (edges per shortest wavelength)^-2 of the pulse: with
/// the pulse of the tests 0.055 (rigid) and 0.053 (soft) at h = 0.3, where omega reaches 6.
constexpr double error_of_edge = 0.06;

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

/// Relative to the field from step 0 until the pulse has passed, also where the values are of some of these steps only.
Verdict compare_with_series(const ProblemCase& problem_case, const std::vector<double>& values, std::int64_t first) {
  const Problem& p = problem_case.problem;
  const auto n = static_cast<std::size_t>(p.surface.unknowns());
  const auto passed = static_cast<std::int64_t>(std::ceil(passage(p).end / p.dt)) - p.first_step;
  const std::int64_t steps = std::max(first + static_cast<std::int64_t>(values.size() / n), passed);
  std::vector<double> times;
  for (std::int64_t step = 0; step < steps; ++step)
    times.push_back((static_cast<double>(p.first_step + step) - (p.boundary == Boundary::soft ? 0.5 : 0)) * p.dt);
  const auto exact = sphere_surface_field(p.boundary, 1, p.waves[0], p.surface.vertices, times);
  std::vector<double> computed = exact;
  std::copy(values.begin(), values.end(), computed.begin() + first * static_cast<std::int64_t>(n));
  const double error = relative_error(vertex_areas(p.surface), computed, exact);
  const double waves_per_edge = bandwidth(p.waves[0].pulse, 1e-3) / p.speed * p.surface.edges.mean;
  const double steps_per_edge = p.speed * p.dt / p.surface.edges.mean;
  return {"the exact series, relative L2 error over surface and time", error,
          error_of_edge * waves_per_edge * waves_per_edge * std::max(1.0, 4 * steps_per_edge * steps_per_edge)};
}

}  // namespace

std::int64_t compared_steps(const ProblemCase& problem_case) {
  if (problem_case.is_sphere) return problem_case.steps;
  const double n = problem_case.problem.surface.unknowns();
  return std::min(problem_case.steps,
                  std::max<std::int64_t>(8, static_cast<std::int64_t>(affordable_products / (n * n * mean_length))));
}

template <class T>
std::vector<Verdict> verify(const ProblemCase& problem_case, Matrices<T>& matrices, const std::vector<double>& values,
                            std::int64_t first) {
  const Problem& p = problem_case.problem;
  const double rounding = sizeof(T) == 8 ? 1e-10 : 1e-4;
  std::vector<Verdict> verdicts;
  if (problem_case.is_sphere) {
    verdicts.push_back(compare_with_series(problem_case, values, first));
  } else {
    const auto n = static_cast<std::size_t>(p.surface.unknowns());
    const std::int64_t steps = first + static_cast<std::int64_t>(values.size() / n);
    std::vector<double> expected;
    for (const auto& step : reference_march(p, matrices, 0, steps))
      expected.insert(expected.end(), step.begin(), step.end());
    const std::size_t begin = static_cast<std::size_t>(first) * n;
    double difference = 0;
    for (std::size_t x = 0; x < values.size(); ++x) {
      const double d = std::abs(values[x] - expected[begin + x]);
      if (!(d <= difference)) difference = d;  // NaN stays
    }
    const double most = largest(expected);
    verdicts.push_back({fmt::format("plain marching over {} steps, largest difference by the largest value", steps),
                        difference == 0 ? 0 : difference / most, rounding});
  }
  verdicts.push_back({"a constant field scatters nothing: row sums of all matrices by their largest value",
                      identity_error(p, matrices), sizeof(T) == 8 ? 1e-11 : 1e-4});
  return verdicts;
}
template std::vector<Verdict> verify(const ProblemCase&, Matrices<float>&, const std::vector<double>&, std::int64_t);
template std::vector<Verdict> verify(const ProblemCase&, Matrices<double>&, const std::vector<double>&, std::int64_t);

}  // namespace asterism::tdbem
