// SPDX-License-Identifier: Apache-2.0
// The exact solution on spheres: values of an independent computation, closed forms, boundary conditions, causality.
#include <cmath>
#include <complex>
#include <numbers>

#include "taskflows/tdbem/reference/sphere_series.hpp"
#include "taskflows/tdbem/reference/spherical_bessel.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

const Pulse pulse = modulated_gaussian(7, 1, 2);

TEST(TdbemSphericalBessel, AreThoseOfTheStandardLibrary) {
  for (const double x : {0.02, 0.7, 2.0, std::numbers::pi, 4.71238898038469, 17.3, 90.0}) {
    const int top = static_cast<int>(x) + 12;
    const auto j = spherical_j(top, x);
    const auto h = spherical_h(top, x);
    for (int l = 0; l <= top; ++l) {
      const auto i = static_cast<std::size_t>(l);
      const auto order = static_cast<unsigned>(l);
      const double expected = std::sph_bessel(order, x);
      EXPECT_NEAR(j[i], expected, 1e-11 * std::abs(expected) + 1e-15) << l << " " << x;
      const std::complex<double> expected_h(expected, std::sph_neumann(order, x));
      EXPECT_LT(std::abs(h[i] - expected_h), 2e-12 * std::abs(expected_h)) << l << " " << x;
    }
  }
}

TEST(TdbemSphericalBessel, SmallArgumentsAndLargeOrders) {
  // j_l(x) = x^l / (2l+1)!! (1 - x^2 / (4l+6) + ...), far below what a start without rescaling could reach
  for (const double x : {1e-6, 1e-3, 0.1}) {
    const auto j = spherical_j(30, x);
    double first = 1;
    for (int l = 0; l <= 30; ++l) {
      if (l > 0) first *= x / (2 * l + 1);
      EXPECT_NEAR(j[static_cast<std::size_t>(l)] / first, 1 - x * x / (4 * l + 6), x * x * x * x / 100 + 1e-13) << l;
      if (first < 1e-100) break;
    }
  }
}

/// j_l h_l' - j_l' h_l = i / x^2
TEST(TdbemSphericalBessel, Wronskian) {
  for (const double x : {0.3, 5.0, 40.0}) {
    const auto j = spherical_j(60, x);
    const auto h = spherical_h(60, x);
    const auto dj = spherical_derivative(j, x);
    const auto dh = spherical_derivative(h, x);
    ASSERT_EQ(dj.size(), 60U);
    for (std::size_t l = 0; l < 60; ++l) EXPECT_NEAR((j[l] * dh[l] - dj[l] * h[l]).imag() * x * x, 1, 1e-10);
  }
}

/// Unit sphere, waves along z: computed by another program.
TEST(TdbemSphereSeries, RigidValues) {
  const std::vector<double> times = {5.5, 6, 7, 8.5};
  const std::vector<Point> points = {{0, 0, -1}, {3, 0, 0}, {0, 0, 1}};
  const double expected[4][3] = {{.970820, -.368299, .008652},
                                 {1.530947, -.230383, .017647},
                                 {-.763339, 1.114385, -.299682},
                                 {.066846, -.391075, 1.084781}};
  const auto p = sphere_surface_field(Boundary::rigid, 1, plane_wave(pulse, {0, 0, 1}, 1), points, times);
  for (std::size_t n = 0; n < 4; ++n)
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(p[n * 3 + i], expected[n][i], 6e-7);
}

/// Places and weights for means over a sphere around the origin: polynomials in cos of degree 2 n - 1 are exact.
struct Ring {
  std::vector<Point> points;
  std::vector<double> weights;
};
Ring gauss_legendre(int n, const Point& axis) {
  Ring ring;
  const Point across = cross(axis, {0.3, -0.5, 0.8});
  const Point other = (1 / norm(across)) * across;
  for (int k = 0; k < n; ++k) {
    double z = std::cos(std::numbers::pi * (k + 0.75) / (n + 0.5)), slope = 0;
    for (int step = 0; step < 10; ++step) {
      const double p = std::legendre(static_cast<unsigned>(n), z);
      slope = n * (z * p - std::legendre(static_cast<unsigned>(n - 1), z)) / (z * z - 1);
      z -= p / slope;
    }
    ring.points.push_back(z * axis + std::sqrt(1 - z * z) * other);
    ring.weights.push_back(1 / ((1 - z * z) * slope * slope));
  }
  return ring;
}

/// Mean over the sphere: a/c p'(t) + p(t) = f(t + a/c) and a mean d_n p = f(t + a/c), in any direction.
TEST(TdbemSphereSeries, MeansHaveClosedForms) {
  const double radius = 0.5, speed = 340, scale = radius / speed;
  for (const Pulse& f : {modulated_gaussian(7 * scale, scale, 2 / scale), ricker(7 * scale, 3 / scale),
                         modulated_gaussian(7 * scale, scale, 0)}) {
    const IncidentWave wave = plane_wave(f, {2, -3, 6}, speed);
    const Ring ring = gauss_legendre(30, wave.direction);
    std::vector<double> times;
    const double h = 1e-3 * scale;
    for (int k = 0; k < 40; ++k)
      for (const double shift : {-2 * h, -h, 0.0, h, 2 * h}) times.push_back(0.4 * k * scale + shift);
    const auto rigid = sphere_surface_field(Boundary::rigid, radius, wave, ring.points, times);
    const auto soft = sphere_surface_field(Boundary::soft, radius, wave, ring.points, times);
    const auto mean = [&](const std::vector<double>& field, std::size_t n) {
      double sum = 0;
      for (std::size_t i = 0; i < ring.points.size(); ++i) sum += ring.weights[i] * field[n * ring.points.size() + i];
      return sum;
    };
    for (std::size_t k = 0; k < 40; ++k) {
      const auto p = [&](std::size_t m) { return mean(rigid, 5 * k + m); };
      const double rate = (8 * (p(3) - p(1)) - (p(4) - p(0))) / (12 * h);
      const double driven = value(f, times[5 * k + 2] + scale);
      EXPECT_NEAR(scale * rate + p(2), driven, 1e-9);
      EXPECT_NEAR(radius * mean(soft, 5 * k + 2), driven, 1e-12);
      // S phi = g has phi = 2 sum_k g'(t - 2 k a/c) for the mean, and that of the wave has g' = [f(t + a/c) - f(t -
      // a/c)] / 2
      double echoes = 0;
      for (int echo = 0; echo < 20; ++echo)
        echoes +=
            value(f, times[5 * k + 2] + (1 - 2 * echo) * scale) - value(f, times[5 * k + 2] - (1 + 2 * echo) * scale);
      EXPECT_NEAR(radius * mean(soft, 5 * k + 2), echoes, 1e-12);
    }
  }
}

TEST(TdbemSphereSeries, RadiusSpeedAndDirection) {
  const double radius = 3, speed = 0.25, scale = radius / speed;
  const IncidentWave unit = plane_wave(pulse, {0, 0, 1}, 1);
  const IncidentWave other = plane_wave(modulated_gaussian(7 * scale, scale, 2 / scale), {1, 0, 0}, speed);
  const std::vector<double> times = {4, 6.25, 9, 19};
  std::vector<double> late;
  for (const double t : times) late.push_back(scale * t);
  const std::vector<Point> points = {{0.3, 0.5, -1}, {1, 0, 0}, {-0.4, 0, 2}};
  std::vector<Point> turned, far, far_turned;
  for (const Point& p : points) {
    turned.push_back({p.z, p.x, p.y});
    far.push_back((2.5 / norm(p)) * p);
    far_turned.push_back(radius * Point{far.back().z, far.back().x, far.back().y});
  }
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const auto p = sphere_surface_field(b, 1, unit, points, times);
    const auto q = sphere_surface_field(b, radius, other, turned, late);
    const auto s = sphere_scattered_pressure(b, 1, unit, far, times);
    const auto r = sphere_scattered_pressure(b, radius, other, far_turned, late);
    for (std::size_t k = 0; k < p.size(); ++k) {
      EXPECT_NEAR(p[k], q[k] * (b == Boundary::soft ? radius : 1), 1e-12);
      EXPECT_NEAR(s[k], r[k], 1e-12);
    }
  }
}

/// On the sphere: scattered and incident pressure are the total one, soft spheres have none; its slope is none on rigid
/// spheres and the surface's field on soft ones.
void expect_boundary_conditions(double radius, const IncidentWave& wave, const Point& axis) {
  std::vector<Point> directions = {{1, 0, 0}, {0, 0, 1}, {-0.6, 0, 0.8}, {0, -1, 0}};
  directions.push_back((1 / norm(axis)) * axis);
  directions.push_back((-1 / norm(axis)) * axis);
  std::vector<double> times;
  for (int n = 0; n < 30; ++n) times.push_back(3 + 0.31 * n);
  const double h = 1e-3;
  std::vector<Point> points;
  for (const Point& d : directions)
    for (int k = 0; k <= 4; ++k) points.push_back((radius + k * h) * d);
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const auto surface = sphere_surface_field(b, radius, wave, directions, times);
    const auto scattered = sphere_scattered_pressure(b, radius, wave, points, times);
    for (std::size_t n = 0; n < times.size(); ++n)
      for (std::size_t i = 0; i < directions.size(); ++i) {
        const auto total = [&](std::size_t k) {
          return scattered[n * points.size() + 5 * i + k] + pressure(wave, points[5 * i + k], times[n]);
        };
        const double slope = (-25 * total(0) + 48 * total(1) - 36 * total(2) + 16 * total(3) - 3 * total(4)) / (12 * h);
        const double field = surface[n * directions.size() + i];
        EXPECT_NEAR(total(0), b == Boundary::rigid ? field : 0, 1e-12);
        EXPECT_NEAR(slope, b == Boundary::rigid ? 0 : field, 1e-8);
      }
  }
}
TEST(TdbemSphereSeries, OutsideFitsTheSurface) {
  const double speed = 2;
  const Point axis = {1, 2, -1};
  expect_boundary_conditions(1.5, plane_wave(modulated_gaussian(6, 0.8, 2.4), axis, speed), axis);
}

TEST(TdbemSphereSeries, OutsideFitsTheSurfaceBeforeAMonopole) {
  const double speed = 2;
  for (const double distance : {2.1, 4.0}) {
    const Point source = (distance / 3) * Point{1, 2, -2};
    expect_boundary_conditions(1.5, monopole(modulated_gaussian(5, 0.8, 2.4), source, speed), source);
  }
}

/// The transfer function is the transform of the pressure over time, here a sum; for both kinds of waves.
TEST(TdbemSphereSeries, TransferIsTheSpectrum) {
  const Pulse f = modulated_gaussian(7, 1, 1.5);
  const double dt = 0.1;
  std::vector<double> times;
  for (int n = -50; n < 600; ++n) times.push_back(n * dt);
  const std::vector<Point> points = {{0.5, -2, 1}};
  for (const IncidentWave& wave : {plane_wave(f, {1, 0.2, 0}, 1.2), monopole(f, {0, 1, 2}, 1.2)})
    for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
      const auto p = sphere_scattered_pressure(b, 0.8, wave, points, times);
      for (const double omega : {0.4, 1.5, 2.7}) {
        std::complex<double> sum = 0;
        for (std::size_t n = 0; n < times.size(); ++n) sum += dt * p[n] * std::polar(1.0, omega * times[n]);
        const std::complex<double> transfer = sphere_scattered_transfer(b, 0.8, wave, points[0], omega);
        EXPECT_NEAR(std::abs(sum / spectrum(f, omega) - transfer), 0, 1e-9);
        EXPECT_GT(std::abs(transfer), 1e-3);
      }
    }
}

/// Waves need their time: nothing before |x - y| / c after the wave meets the sphere; then it leaves as 1 / r.
TEST(TdbemSphereSeries, CausalityAndDecay) {
  const IncidentWave wave = plane_wave(ricker(0, 8), {0, 0, 1}, 1);
  const double begin = start(wave.pulse) - 1;
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    // in front of the lit point: to the sphere and back; in the shadow, the wave goes around the sphere
    const std::vector<Point> points = {{0, 0, -4}, {0, 0, 1}};
    const std::vector<double> early = {begin - 40, begin - 1, begin + 1.999, begin + 2.999};
    const auto scattered = sphere_scattered_pressure(b, 1, wave, points, early);
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(scattered[k], 0, 1e-11);
    const std::vector<double> around = {begin + 1 + std::numbers::pi / 2 - 0.001, begin + 1 + std::numbers::pi / 2 + 1};
    const auto shadow = sphere_surface_field(b, 1, wave, points, around);
    EXPECT_NEAR(shadow[1], 0, 1e-11);
    EXPECT_GT(std::abs(shadow[3]), 1e-6);
    for (const double v : sphere_surface_field(b, 1, wave, points, std::vector<double>{60, 300}))
      EXPECT_NEAR(v, 0, 1e-11);
    double peak[2] = {};
    for (int k = 0; k < 2; ++k) {
      const double r = k == 0 ? 200 : 400;
      std::vector<double> times;
      for (int n = 0; n < 800; ++n) times.push_back(begin + r + 1 + 0.005 * n);
      for (const double v : sphere_scattered_pressure(b, 1, wave, std::vector<Point>{{r, 0, 0}}, times))
        peak[k] = std::max(peak[k], std::abs(v));
    }
    EXPECT_GT(peak[0], 1e-4);
    EXPECT_NEAR(peak[0] / peak[1], 2, 0.01);
  }
}

TEST(TdbemSphereSeries, Refused) {
  const IncidentWave wave = plane_wave(pulse, {0, 0, 1}, 1);
  const std::vector<double> times = {1};
  const std::vector<Point> inside = {{0, 0, 0.9}};
  expect_names(complaint([&] { sphere_surface_field(Boundary::rigid, 0, wave, inside, times); }), "radius");
  expect_names(complaint([&] { sphere_scattered_pressure(Boundary::soft, -1, wave, inside, times); }), "radius");
  expect_names(complaint([&] { sphere_scattered_pressure(Boundary::soft, 1, wave, inside, times); }), "inside");
}

TEST(TdbemSphereSeries, RelativeError) {
  const std::vector<double> areas = {1, 3};
  const std::vector<double> exact = {1, 2, 3, 4};
  const std::vector<double> computed = {2, 2, 3, 3};
  EXPECT_DOUBLE_EQ(relative_error(areas, computed, exact), std::sqrt((1. + 3) / (1 + 12 + 9 + 48)));
  EXPECT_EQ(relative_error(areas, exact, exact), 0);
  expect_names(complaint([&] { relative_error(areas, computed, std::vector<double>{1, 2}); }), "cannot be compared");
  expect_names(complaint([&] { relative_error({}, {}, {}); }), "cannot be compared");
  const Surface s = prepare_surface(tetrahedron(2, 3, 6));
  const auto v = vertex_areas(s);
  EXPECT_DOUBLE_EQ(v[0], (3 + 6 + 9) / 3.0);
  EXPECT_DOUBLE_EQ(v[3], (6 + 9 + std::sqrt(126.)) / 3);
}

}  // namespace
}  // namespace asterism::tdbem
