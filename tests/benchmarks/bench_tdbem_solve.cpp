// SPDX-License-Identifier: Apache-2.0
// bench_tdbem_solve [VERTICES] [REPEATS]: one right-hand side of a matrix like M^0, by conjugate gradients and by
// MUMPS, on one core. The pattern is that of the unknowns up to two edges apart on a box, 19 per row but at few.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "taskflows/tdbem/matrices/direct.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"
#include "taskflows/tdbem/surface/surface.hpp"
#include "tests/codelets/tdbem/matrices.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
Matrix<T> like_m0(const Surface& surface) {
  const auto n = surface.vertices.size();
  std::vector<std::set<std::int32_t>> ring(n);
  for (const Triangle& t : surface.triangles)
    for (const std::int32_t a : t.corner)
      for (const std::int32_t b : t.corner) ring[static_cast<std::size_t>(a)].insert(b);
  Matrix<T> m;
  for (std::size_t i = 0; i < n; ++i) {
    std::set<std::int32_t> near;
    for (const std::int32_t j : ring[i])
      near.insert(ring[static_cast<std::size_t>(j)].begin(), ring[static_cast<std::size_t>(j)].end());
    for (const std::int32_t j : near) {
      m.column.push_back(j);
      const double r = norm(surface.vertices[i] - surface.vertices[static_cast<std::size_t>(j)]) / surface.edges.mean;
      m.value.push_back(static_cast<T>(j == static_cast<std::int32_t>(i) ? 1 : 0.15 * std::exp(-r)));
    }
    m.start.push_back(static_cast<std::int32_t>(m.column.size()));
  }
  return m;
}

/// Fastest and median seconds.
struct Times {
  std::vector<double> all;

  template <class F>
  void time(const F& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  void report(const char* what) {
    std::sort(all.begin(), all.end());
    std::printf("%-34s best %8.3f ms  median %8.3f ms\n", what, 1e3 * all.front(), 1e3 * all[all.size() / 2]);
  }
};

template <class T>
void run(const Surface& surface, int repeats, const char* precision) {
  const Matrix<T> m = like_m0<T>(surface);
  std::printf("%s: %d rows, %.2f values per row\n", precision, m.rows(),
              static_cast<double>(m.value.size()) / static_cast<double>(m.rows()));
  Times factorise;
  factorise.time([&] { DirectSolver<T> solver(m.view()); });
  DirectSolver<T> solver(m.view());
  std::vector<T> inverse(static_cast<std::size_t>(m.rows())), workspace(3 * inverse.size());
  cpu::invert_diagonal(m.view(), inverse.data());
  const std::vector<T> s = random_vector<T>(m.rows(), 1);
  const SolveLimits limits{sizeof(T) == 8 ? 1e-10 : 1e-6, 200};
  Times cold, warm, direct;
  Convergence c, w;
  for (int k = 0; k < repeats; ++k) {
    std::vector<T> a(s.size());
    cold.time([&] { c = cpu::solve(m.view(), inverse.data(), limits, s.data(), a.data(), workspace.data()); });
    for (std::size_t i = 0; i < a.size(); ++i) a[i] *= static_cast<T>(1 + 0.01 * std::sin(static_cast<double>(i)));
    warm.time([&] { w = cpu::solve(m.view(), inverse.data(), limits, s.data(), a.data(), workspace.data()); });
    a = s;
    direct.time([&] { solver.solve(a); });
  }
  std::printf("  conjugate gradients: %d iterations, %d from a guess that is 1 %% off\n", c.iterations, w.iterations);
  std::printf("  factors: %.1f values per row\n",
              static_cast<double>(solver.factor_entries()) / static_cast<double>(m.rows()));
  cold.report("  conjugate gradients");
  warm.report("  conjugate gradients, good guess");
  direct.report("  MUMPS, solution");
  factorise.report("  MUMPS, analysis, factorisation");
}

}  // namespace
}  // namespace asterism::tdbem

int main(int argc, char** argv) {
  using namespace asterism::tdbem;
  const int vertices = argc > 1 ? std::atoi(argv[1]) : 24000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 20;
  const Surface own = prepare_surface(named_body("box", vertices));
  const Surface surface = renumbered(own, order_of(own.vertices, Ordering::hilbert));
  run<double>(surface, repeats, "double");
  run<float>(surface, repeats, "float");
}
