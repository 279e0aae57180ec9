// SPDX-License-Identifier: Apache-2.0
// The kernels of the finite-difference time-domain method against a published value and against Maxwell's equations.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/sources/dipole.hpp"
#include "codelets/fdtd/kernels/sources/waveform.hpp"
#include "taskflows/fdtd/reference/reference.hpp"
#include "tests/codelets/fdtd/cases.hpp"

namespace asterism::fdtd {
namespace {

/// Yee_bench (Andersson, PDC technical report 2002): 100^3 cells of 1 m, 200 steps, a dipole in the middle. The report
/// prints -0.0692134.
template <class T>
double yee_bench() {
  constexpr double eps = 8.8541878e-12, mu = 1.256637061e-6, c = 2.99792458e8, dt = 1 / (2 * c);
  const Face box[6] = {cases::pec, cases::pec, cases::pec, cases::pec, cases::pec, cases::pec};
  const Grid grid = make_grid(100, 100, 100, box, sizeof(T));
  std::vector<T> e(as_size(grid.elements())), h(as_size(grid.elements()));
  const Addition source = dipole_on_edge(2, {49, 49, 49}, dipole_factor(dt, eps, {1, 1, 1}));
  for (const double moment : sample(yee_bench_pulse(), Moment::whole, dt, 1, 200)) {
    cpu::update(Field::magnetic, grid, grid.cells(), factors(dt, mu, {1, 1, 1}), {}, e.data(), h.data());
    cpu::update(Field::electric, grid, grid.cells(), factors(dt, eps, {1, 1, 1}), {}, h.data(), e.data());
    cpu::add(grid, source.component, source.entry[0], source.entry[1], source.entry[2],
             static_cast<T>(source.factor * moment), e.data());
  }
  std::vector<double> planes(100);
  cpu::sum(Field::electric, grid, grid.cells(), 2, e.data(), planes.data());
  double sum = 0;
  for (const double p : planes) sum += p;
  return sum;
}

TEST(FdtdYeeBench, Double) {
  EXPECT_NEAR(yee_bench<double>(), -0.0692134169831, 7e-13);
}
TEST(FdtdYeeBench, Float) {
  EXPECT_NEAR(yee_bench<float>(), -0.06919, 1e-4);
}

using Case = std::tuple<std::size_t, bool>;
class FdtdReference : public ::testing::TestWithParam<Case> {
 protected:
  static Setting setting() {
    const auto [boundary, materials] = GetParam();
    Setting s{{7, 11, 19}};
    s.face = cases::boundaries[boundary].second;
    return materials ? cases::with_materials(s) : s;
  }
  /// With the domain's fields at the start.
  template <class T>
  static Problem problem_of(const Domain<T>& d) {
    const Setting& s = d.setting;
    Problem p;
    p.cells = s.n;
    p.spacing = s.d;
    p.dt = s.dt();
    p.face = s.face;
    p.eps0 = eps0;
    p.mu0 = mu0;
    p.materials = s.materials;
    p.material = s.cells;
    p.initial = [&d](Field f, int c, int i, int j, int k) { return static_cast<double>(d.at(f, c, i, j, k)); };
    return p;
  }
  template <class T>
  static void expect_equal(double tolerance) {
    Domain<T> d(setting());
    d.randomize();
    const Problem problem = problem_of(d);
    Reference r(problem);
    for (int step = 1; step <= 12; ++step) {
      d.step();
      r.advance();
      double worst = 0;
      d.each_entry([&](Field f, int c, int i, int j, int k) {
        const double scale = f == Field::electric ? 1 : std::sqrt(mu0 / eps0);
        worst = larger(scale * std::abs(static_cast<double>(d.at(f, c, i, j, k)) - r.at(f, c, i, j, k)), worst);
      });
      ASSERT_LT(worst, tolerance) << "step " << step;
    }
  }
};

TEST_P(FdtdReference, Double) {
  expect_equal<double>(1e-14);
}
TEST_P(FdtdReference, Float) {
  expect_equal<float>(1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, FdtdReference, ::testing::Combine(::testing::Range<std::size_t>(0, 8), ::testing::Bool()),
                         [](const auto& p) {
                           std::string name = cases::boundaries[std::get<0>(p.param)].first;
                           for (char& c : name)
                             if (c == ' ') c = '_';
                           return name + (std::get<1>(p.param) ? "_materials" : "_background");
                         });

TEST(FdtdMedia, Coefficients) {
  const double dt = 2e-12;
  const auto lossless = coefficients<double>({4, 0}, eps0, dt);
  EXPECT_EQ(lossless.a, 1);
  EXPECT_EQ(lossless.b, 0.25);
  const auto background = coefficients<float>({}, mu0, dt);
  EXPECT_EQ(background.a, 1);
  EXPECT_EQ(background.b, 1);
  const double s = 0.5 * dt / (2 * 4 * eps0);
  const auto lossy = coefficients<double>({4, 0.5}, eps0, dt);
  EXPECT_DOUBLE_EQ(lossy.a, (1 - s) / (1 + s));
  EXPECT_DOUBLE_EQ(lossy.b, 0.25 / (1 + s));
  const auto conductor = coefficients<double>({1, INFINITY}, eps0, dt);
  EXPECT_EQ(conductor.a, 0);
  EXPECT_EQ(conductor.b, 0);
}

/// Two cells along each axis, by hand.
TEST(FdtdMedia, MeansAroundEdgesAndBesideFaces) {
  const std::vector<Material> materials = {{1, 1, 0, 0}, {3, 4, 2, 0}, {7, 2, 0, 6}};
  const std::vector<std::uint16_t> cells = {0, 1, 2, 0, 1, 1, 0, 2};  // (0,0,0), (0,0,1), (0,1,0), ...
  const Face faces[6] = {cases::pec, cases::pmc, cases::none, cases::none, cases::pec, cases::pec};
  const Grid g = make_grid(2, 2, 2, faces, 8);
  const Cells all{{2, 2, 2}, {false, true, false}, cells.data()};
  std::vector<std::uint16_t> e(as_size(g.elements())), h(e.size());
  const auto electric = assign_media(Field::electric, g, {0, 0, 0}, all, materials, e.data());
  const auto magnetic = assign_media(Field::magnetic, g, {0, 0, 0}, all, materials, h.data());
  // Ez (1, 1, 0): cells (0,0,0), (0,1,0), (1,0,0), (1,1,0) = 0, 2, 1, 0
  EXPECT_DOUBLE_EQ(electric[e[as_size(g.at(2, 1, 1, 0))]].relative, (1 + 7 + 3 + 1) / 4.0);
  EXPECT_DOUBLE_EQ(electric[e[as_size(g.at(2, 1, 1, 0))]].loss, 0.5);
  // Ez (2, 0, 1), on the magnetic conductor, y periodic: cells (1,1,1), (1,0,1) = 2, 1
  EXPECT_DOUBLE_EQ(electric[e[as_size(g.at(2, 2, 0, 1))]].relative, 5);
  // Hz (0, 0, 1): cells (0,0,0), (0,0,1) = 0, 1; Hz (1, 1, 1): cells (1,1,0), (1,1,1) = 0, 2
  EXPECT_DOUBLE_EQ(magnetic[h[as_size(g.at(2, 0, 0, 1))]].relative, 2 / (1 + 1 / 4.0));
  EXPECT_EQ(magnetic[h[as_size(g.at(2, 1, 1, 1))]].loss, 0);
  // Hy (0, 0, 0): cells (0,1,0), (0,0,0) = 2, 0
  EXPECT_DOUBLE_EQ(magnetic[h[as_size(g.at(1, 0, 0, 0))]].relative, 2 / (1 + 1 / 2.0));
  EXPECT_THROW(assign_media(Field::electric, g, {0, 0, 0}, all, {{}, {}}, e.data()), std::invalid_argument);
}

/// A table that says "background" gives the bits of no table.
TEST(FdtdMedia, BackgroundAsAMaterial) {
  Setting s{{6, 5, 19}};
  s.face = cases::boundaries[7].second;
  Domain<double> plain(s);
  s.materials = {{}};
  s.cells.assign(6 * 5 * 19, 0);
  Domain<double> indexed(s);
  plain.randomize();
  indexed.randomize();
  for (int n = 0; n < 4; ++n) {
    plain.step();
    indexed.step();
  }
  EXPECT_EQ(plain.differences(indexed), 0U);
}

}  // namespace
}  // namespace asterism::fdtd
