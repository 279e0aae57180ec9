// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/reference.hpp"

namespace asterism::lbm {

namespace {

/// Cells times steps that the two-copy solver does in some seconds.
constexpr double affordable_updates = 1e8;
constexpr double double_rounding = 1e-12;
constexpr double single_rounding = 1e-5;
/// Half precision: below the error of the method where velocities are about 0.05 (docs/methods/lbm.md).
constexpr double half_rounding = 2e-3;
constexpr double half_exact_rounding = 2e-2;

double cells_of(const Problem& p) {
  return static_cast<double>(p.cells[0]) * p.cells[1] * p.cells[2];
}

long compared_steps(const Problem& p, long steps) {
  return std::min(steps, static_cast<long>(affordable_updates / cells_of(p)));
}

/// `body(x, y, z, flow)` for all cells of this rank.
template <class Body>
void for_cells(const Problem& problem, Simulation& simulation, const Body& body) {
  simulation.observe([&](const DomainBox& box, const void* slots) {
    const auto cells = static_cast<std::size_t>(box.cells());
    with_precision(problem.precision, [&](auto number) {
      const auto value = [&](std::size_t i) {
        return static_cast<double>(static_cast<const decltype(number)*>(slots)[i]);
      };
      std::size_t k = 0;
      for (int z = box.z0; z < box.z1; ++z)
        for (int y = box.y0; y < box.y1; ++y)
          for (int x = box.x0; x < box.x1; ++x, ++k)
            body(x, y, z, Flow{value(k), {value(cells + k), value(2 * cells + k), value(3 * cells + k)}});
    });
  });
}

/// Errors that rounding may cause: of the velocity beside an exact solution (relative), and beside another solver.
struct Rounding {
  double of_exact;
  double of_reference;
};
Rounding rounding_of(Precision precision) {
  switch (precision) {
    case Precision::half_precision:
      return {half_exact_rounding, half_rounding};
    case Precision::single_precision:
      return {1e-3, single_rounding};
    case Precision::double_precision:
      break;
  }
  return {0, double_rounding};
}

}  // namespace

void require_verifiable(const Case& flow, long steps) {
  if (flow.exact && steps < flow.steady_after)
    bad_input("--verify: this flow is steady after about {0} steps; ask for --steps {0} at least", flow.steady_after);
  if (!flow.exact && compared_steps(flow.problem, steps) < std::min(steps, 2L))
    bad_input(
        "--verify: {:.3g} cells are too many for the solver that it compares with (at most {:.0e}); the same flow in "
        "fewer cells can be verified",
        cells_of(flow.problem), affordable_updates / 2);
}

Verdict compare_with_exact(const Case& flow, Simulation& simulation) {
  double difference = 0;
  double norm = 0;
  for_cells(flow.problem, simulation, [&](int x, int y, int z, const Flow& found) {
    const Flow exact = flow.exact(x, y, z, simulation.time());
    for (std::size_t a = 0; a < 3; ++a) {
      difference += (found.u[a] - exact.u[a]) * (found.u[a] - exact.u[a]);
      norm += exact.u[a] * exact.u[a];
    }
  });
  const double rounding = rounding_of(flow.problem.precision).of_exact;
  double whole_difference = 0;
  double whole_norm = 0;
  for (const double of_rank : rank_group().all_gather(difference)) whole_difference += of_rank;
  for (const double of_rank : rank_group().all_gather(norm)) whole_norm += of_rank;
  return {"the exact solution, relative L2 error of the velocity", std::sqrt(whole_difference / whole_norm),
          std::max(flow.tolerance, rounding)};
}

Verdict compare_with_reference(const Case& flow, const std::vector<BrickPlace>& bricks, const Placement& placement,
                               long steps) {
  const Problem& p = flow.problem;
  const long compared = compared_steps(p, steps);
  Reference reference(p);
  Simulation simulation(p, bricks, placement);
  simulation.initialise();
  simulation.advance(compared);
  starpu_task_wait_for_all();
  {
    const Pause pause;
    for (long t = 0; t < compared; ++t) reference.advance();
  }
  const std::vector<double> expected = reference.fields();
  const std::size_t n = expected.size() / 4;
  double largest = 0;
  for_cells(p, simulation, [&](int x, int y, int z, const Flow& found) {
    const auto k =
        static_cast<std::size_t>(x) +
        static_cast<std::size_t>(p.cells[0]) *
            (static_cast<std::size_t>(y) + static_cast<std::size_t>(p.cells[1]) * static_cast<std::size_t>(z));
    const double values[4] = {found.rho, found.u[0], found.u[1], found.u[2]};
    for (std::size_t i = 0; i < 4; ++i) {
      const double d = std::abs(values[i] - expected[i * n + k]);
      if (!(d <= largest)) largest = d;
    }
  });
  for (const double of_rank : rank_group().all_gather(largest))
    if (!(of_rank <= largest)) largest = std::isnan(largest) ? largest : of_rank;
  return {
      fmt::format("a two-copy solver in double precision after {} steps, largest difference of density and velocity",
                  compared),
      largest, rounding_of(p.precision).of_reference};
}

}  // namespace asterism::lbm
