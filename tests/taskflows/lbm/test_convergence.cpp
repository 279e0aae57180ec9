// SPDX-License-Identifier: Apache-2.0
// The order of the lattice Boltzmann method: its error against exact solutions falls with the square of the cell.
#include <cmath>
#include <vector>

#include "taskflows/lbm/cases.hpp"
#include "tests/taskflows/lbm/runs.hpp"

namespace asterism::lbm {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Relative L2 error of the velocity of a decaying Taylor-Green vortex with n cells, at the same physical time.
double taylor_green(int n, Collision::Model model) {
  const double k = 2 * pi / n;
  const double u0 = 0.04 * 16 / n;
  Problem p;
  p.cells = {n, n, 2};
  for (Face& f : p.face) f.periodic = true;
  p.collision.model = model;
  p.collision.tau = 0.8;
  const auto exact = [&](int x, int y, double decay) {
    const double a = k * (x + 0.5);
    const double b = k * (y + 0.5);
    return Flow{1 - 0.75 * u0 * u0 * decay * decay * (std::cos(2 * a) + std::cos(2 * b)),
                {-u0 * decay * std::cos(a) * std::sin(b), u0 * decay * std::sin(a) * std::cos(b), 0}};
  };
  p.initial = [&](int x, int y, int) { return exact(x, y, 1); };
  const int steps = 60 * n * n / 256;
  const std::vector<double> f = numbers(run(p, {{1, 2, 1}, 0, 1}, steps), false);
  const double decay = std::exp(-2 * viscosity(p.collision.tau) * k * k * steps);
  const auto cells = static_cast<std::size_t>(2 * n * n);
  double error = 0;
  double norm = 0;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      for (std::size_t a = 0; a < 2; ++a) {
        const double e = exact(x, y, decay).u[a];
        const double d = f[(1 + a) * cells + static_cast<std::size_t>(x + n * y)] - e;
        error += d * d;
        norm += e * e;
      }
  return std::sqrt(error / norm);
}

TEST(LbmFlow, TaylorGreenConvergesWithSecondOrder) {
  for (const auto model : {Collision::Model::bgk, Collision::Model::trt, Collision::Model::central_moments}) {
    const double coarse = taylor_green(16, model);
    const double fine = taylor_green(32, model);
    const double finest = taylor_green(64, model);
    EXPECT_GT(std::log2(coarse / fine), 1.85);
    EXPECT_GT(std::log2(fine / finest), 1.85);
    EXPECT_LT(finest, 2e-3);
  }
}

/// Relative L2 error of the velocity of the steady flow between two walls, n cells apart.
double poiseuille(int n, Collision::Model model) {
  CaseOptions options;
  options.name = "poiseuille";
  options.cells = {1, 1, n};
  options.tau = 1.4;
  options.collision.model = model;
  const Case flow = make_case(options);
  const std::vector<double> f =
      numbers(run(flow.problem, {{1, 1, 1}, 0, 1}, static_cast<int>(flow.steady_after)), false);
  double error = 0;
  double norm = 0;
  for (int z = 0; z < n; ++z) {
    const double exact = flow.exact(0, 0, z, 0).u[0];
    const double d = f[static_cast<std::size_t>(n + z)] - exact;
    error += d * d;
    norm += exact * exact;
  }
  return std::sqrt(error / norm);
}

// walls are half-way between cells: of TRT for any viscosity, of BGK up to an error of second order
TEST(LbmFlow, PoiseuilleConvergesWithSecondOrder) {
  const double coarse = poiseuille(6, Collision::Model::bgk);
  const double fine = poiseuille(12, Collision::Model::bgk);
  const double finest = poiseuille(24, Collision::Model::bgk);
  EXPECT_GT(coarse, 1e-2);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  EXPECT_NEAR(std::log2(fine / finest), 2, 0.1);
  EXPECT_LT(poiseuille(12, Collision::Model::trt), 1e-6);
}

}  // namespace
}  // namespace asterism::lbm
