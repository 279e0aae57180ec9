// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/verify.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/session.hpp"
#include "taskflows/fdtd/reference/reference.hpp"

namespace asterism::fdtd {
namespace {

/// Updates of a cell by the simple solver in some seconds.
constexpr double affordable_updates = 2e7;
constexpr double double_rounding = 1e-12;
constexpr double single_rounding = 1e-5;
/// Reflection from the end of a plane wave's line, where the simple solver has none: 1e-8 of waves of 20 cells and
/// more, 1e-6 of those of 10.
constexpr double echo_of_waves = 1e-5;

bool is_single(const Problem& p) {
  return p.precision == Precision::single_precision;
}

long compared_steps(const Problem& p, long steps) {
  return std::min(steps, steps_worth(p, affordable_updates));
}

bool has_validation(const Case& problem_case, long steps) {
  return problem_case.validation && steps == validation_steps;
}

/// `body(component, i, j, k, value)` for all entries of a field.
template <class Body>
void for_entries(const Problem& problem, Simulation& simulation, Field field, const Body& body) {
  simulation.get(field, [&](const Box& box, const void* values) {
    with_precision(problem.precision, [&](auto real) {
      const auto* next = static_cast<const decltype(real)*>(values);
      for (int c = 0; c < 3; ++c)
        for (int i = box.x0; i < box.x1; ++i)
          for (int j = box.y0; j < box.y1; ++j)
            for (int k = box.z0; k < box.z1; ++k) body(c, i, j, k, static_cast<double>(*next++));
    });
  });
}

void keep_largest(double& largest, double value) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;  // NaN stays
}

/// The largest value of all ranks.
double largest_of_ranks(double of_this_rank) {
  double largest = 0;
  for (const double of_rank : rank_group().all_gather(of_this_rank)) keep_largest(largest, of_rank);
  return largest;
}

Verdict compare_with_published(const Case& problem_case, Simulation& simulation) {
  const double sum = simulation.sums(Field::electric)[2];
  const double allowed = is_single(problem_case.problem) ? 1e-4 : 1e-12 * std::abs(*problem_case.validation);
  return {fmt::format("the published sum of Ez, {}", *problem_case.validation),
          std::abs(sum - *problem_case.validation),
          allowed,
          {}};
}

Verdict compare_with_exact(const Case& problem_case, Simulation& simulation, long steps) {
  double largest = 0;
  for_entries(problem_case.problem, simulation, Field::electric, [&](int c, int i, int j, int k, double found) {
    if (problem_case.compared && !problem_case.compared(c, i, j, k)) return;
    keep_largest(largest, std::abs(found - problem_case.exact(steps, c, i, j, k)));
  });
  // every step rounds once more, and errors of the phase grow with time
  const double rounding = is_single(problem_case.problem) ? 1e-6 : 2e-15;
  return {fmt::format("{}, largest difference of E by the amplitude",
                      problem_case.discretisation > 0 ? "the analytic field" : "the exact mode of the grid"),
          largest_of_ranks(largest) / problem_case.amplitude,
          problem_case.discretisation + rounding * (10 + static_cast<double>(steps)),
          {}};
}

double allowed_difference(const Problem& p) {
  if (is_single(p)) return single_rounding;
  return p.waves.empty() ? double_rounding : echo_of_waves;
}

Verdict compare_with_reference(const Case& problem_case, const Division& division, long steps) {
  const Problem& p = problem_case.problem;
  const long compared = compared_steps(p, steps);
  Reference reference(p);
  Simulation simulation(p, division.bricks, division.placement, division.overlap);
  simulation.initialise();
  simulation.advance(compared);
  starpu_task_wait_for_all();
  {
    const Pause pause;
    for (long t = 0; t < compared; ++t) reference.advance();
  }
  double error = 0;
  double largest = 0;
  for (const Field field : {Field::electric, Field::magnetic}) {
    const double scale = field == Field::electric ? 1 : std::sqrt(p.mu0 / p.eps0);
    keep_largest(largest, scale * reference.largest(field));
    for_entries(p, simulation, field, [&](int c, int i, int j, int k, double found) {
      const double expected = reference.at(field, c, i, j, k);
      keep_largest(error, scale * std::abs(found - expected));
    });
  }
  error = largest_of_ranks(error);
  return {fmt::format("E and H of a simple solver in double precision after {} of {} steps, largest difference by the "
                      "largest field so far, {:.3g} V/m{}",
                      compared, steps, largest, largest == 0 ? ": no source has acted, so that this says nothing" : ""),
          error == 0 ? 0 : error / largest,
          allowed_difference(p),
          {}};
}

/// Whether some cell is where the exact answer holds.
bool has_comparable_cells(const Case& problem_case) {
  if (!problem_case.compared) return true;
  const std::array<int, 3>& cells = problem_case.problem.cells;
  for (int i = 0; i < cells[0]; ++i)
    for (int j = 0; j < cells[1]; ++j)
      for (int k = 0; k < cells[2]; ++k)
        if (problem_case.compared(2, i, j, k)) return true;
  return false;
}

}  // namespace

void require_verifiable(const Case& problem_case, long steps) {
  if (problem_case.exact && !has_comparable_cells(problem_case))
    bad_input("--verify: no cell lies outside the absorbing layers and far enough from the source; take more cells");
  if (problem_case.exact || has_validation(problem_case, steps) ||
      compared_steps(problem_case.problem, steps) >= std::min(steps, 2L))
    return;
  bad_input(
      "--verify: {:.3g} cells are too many for the solver that it compares with (at most {:.0e}); the same problem in "
      "fewer cells can be verified",
      cells_of(problem_case.problem), affordable_updates / 2);
}

Verdict verify(const Case& problem_case, Simulation& simulation, const Division& division, long steps) {
  if (has_validation(problem_case, steps)) return compare_with_published(problem_case, simulation);
  if (problem_case.exact) return compare_with_exact(problem_case, simulation, steps);
  return compare_with_reference(problem_case, division, steps);
}

}  // namespace asterism::fdtd
