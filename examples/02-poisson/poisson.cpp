// SPDX-License-Identifier: Apache-2.0
// Example 2: Poisson's equation -(u_xx + u_yy) = f in a rectangle of sides 1 and 1/2, u = 0 on its sides, by five-point
// differences. The matrix is made once; two right-hand sides are solved, each with a solution that is known.
//
//   poisson [NODES]    along x, default 200; half as many along y
#include <algorithm>
#include <asterism/cg.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

int main(int argc, char** argv) {
  try {
    const int nx = argc > 1 ? std::atoi(argv[1]) : 200;
    const int ny = nx / 2;
    const double hx = 1.0 / (nx + 1);
    const double hy = 0.5 / (ny + 1);

    // compressed sparse rows, both triangles, columns increasing
    std::vector<std::int32_t> row_begin{0}, column;
    std::vector<double> value;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int row = j * nx + i;
        const auto add = [&](bool inside, int at, double entry) {
          if (!inside) return;
          column.push_back(at);
          value.push_back(entry);
        };
        add(j > 0, row - nx, -1 / (hy * hy));
        add(i > 0, row - 1, -1 / (hx * hx));
        add(true, row, 2 / (hx * hx) + 2 / (hy * hy));
        add(i + 1 < nx, row + 1, -1 / (hx * hx));
        add(j + 1 < ny, row + nx, -1 / (hy * hy));
        row_begin.push_back(static_cast<std::int32_t>(column.size()));
      }

    asterism::Session session;
    asterism::cg::Solver solver(session, {row_begin, column, value});

    for (const int waves : {1, 3}) {
      // u = sin(k x) sin(4 pi y): -(u_xx + u_yy) = (k^2 + 16 pi^2) u, k = waves pi
      const double k = waves * std::numbers::pi;
      const double m = 4 * std::numbers::pi;
      std::vector<double> exact, f;
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
          exact.push_back(std::sin(k * (i + 1) * hx) * std::sin(m * (j + 1) * hy));
          f.push_back((k * k + m * m) * exact.back());
        }
      std::vector<double> u(exact.size());
      const asterism::cg::Result result = solver.solve(f, u);
      double error = 0;
      for (std::size_t i = 0; i < u.size(); ++i) error = std::max(error, std::abs(u[i] - exact[i]));
      std::printf("%d unknowns, %d wave(s): %lld iterations, residual %.1e, error %.2e\n", nx * ny, waves,
                  static_cast<long long>(result.iterations), result.residual, error);
      // second order: the error is about (k^4 hx^2 + m^4 hy^2) / 12 (k^2 + m^2)
      if (!result.converged() ||
          error > 2 * (std::pow(k, 4) * hx * hx + std::pow(m, 4) * hy * hy) / (12 * (k * k + m * m)))
        return 1;
    }
    return 0;
  } catch (const asterism::Error& error) {
    std::fprintf(stderr, "poisson: %s\n", error.what());
    return error.kind() == asterism::Error::Kind::bad_input ? 2 : 1;
  }
}
