// SPDX-License-Identifier: Apache-2.0
// Right-hand sides: against sums over fine pieces of triangles, integrals known in closed form, telescoping.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "codelets/tdbem/kernels/waves/illumination.hpp"
#include "tests/codelets/tdbem/surfaces.hpp"

namespace asterism::tdbem {
namespace {

const IncidentWave wave = plane_wave(modulated_gaussian(3, 0.9, 1.7), {2, -3, 6}, 1.3);

template <class T>
std::vector<T> illuminated(const TestSurface& s, const Illumination& incident, const Steps& steps, std::int32_t begin,
                           std::int32_t end) {
  std::vector<T> out(static_cast<std::size_t>((end - begin) * steps.count), std::numeric_limits<T>::quiet_NaN());
  cpu::illuminate(s.view(), incident, steps, begin, end, out.data());
  return out;
}

/// int b_i g dS by centres of small pieces of the triangles around vertex i; g(x, normal).
template <class G>
double integral(const TestSurface& s, std::int32_t row, const G& g) {
  constexpr int cuts = 40;
  double sum = 0;
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    int corner = -1;
    Point v[3];
    for (int c = 0; c < 3; ++c) {
      v[c] = s.vertices[static_cast<std::size_t>(s.triangles[t].corner[c])];
      if (s.triangles[t].corner[c] == row) corner = c;
    }
    if (corner < 0) continue;
    const Point n = cross(v[1] - v[0], v[2] - v[0]);
    for (int i = 0; i < cuts; ++i)
      for (int j = 0; i + j < cuts; ++j)
        for (const double third : {1.0, 2.0}) {
          if (third > 1.5 && i + j >= cuts - 1) continue;
          const double b[3] = {1 - (i + j + 2 * third / 3) / cuts, (i + third / 3) / cuts, (j + third / 3) / cuts};
          sum +=
              b[corner] * g(b[0] * v[0] + b[1] * v[1] + b[2] * v[2], (1 / norm(n)) * n) * norm(n) / 2 / (cuts * cuts);
        }
  }
  return sum;
}

TEST(TdbemIllumination, IsTheIntegral) {
  const TestSurface s = bent_spindle(5, 7);
  const Steps steps{0.21, 9, 5};
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const auto l = illuminated<double>(s, illumination(b, wave, triangle_rule(16)), steps, 0, s.unknowns());
    const auto seven = illuminated<double>(s, illumination(b, wave, triangle_rule(7)), steps, 0, s.unknowns());
    for (std::int32_t i = 0; i < s.unknowns(); ++i)
      for (int g = 0; g < 5; ++g) {
        const double expected = integral(s, i, [&](const Point& x, const Point& n) {
          const Point d = {2 / 7.0, -3 / 7.0, 6 / 7.0};
          const double delay = dot(d, x) / 1.3;
          const auto f = [&](double t) { return std::exp(-(t - 3) * (t - 3) / 1.62) * std::cos(1.7 * (t - 3)); };
          const double difference = f((9 + g) * 0.21 - delay) - f((8 + g) * 0.21 - delay);
          return b == Boundary::soft ? difference : -dot(n, d) / 1.3 * difference;
        });
        const auto at = static_cast<std::size_t>(i * 5 + g);
        EXPECT_NEAR(l[at], expected, 2e-5);
        EXPECT_NEAR(l[at], seven[at], 2e-6);
      }
  }
}

/// f of the tests, and its integral from a to b by Simpson's rule.
double f_of(double t) {
  return std::exp(-(t - 3) * (t - 3) / 1.62) * std::cos(1.7 * (t - 3));
}
double integral_of_f(double a, double b) {
  constexpr int halves = 20;
  const double h = (b - a) / (2 * halves);
  double sum = f_of(a) + f_of(b);
  for (int k = 1; k < 2 * halves; ++k) sum += (k % 2 == 0 ? 2 : 4) * f_of(a + k * h);
  return sum * h / 3;
}
const Point source_place = {1.9, -2.3, 1.4};
const IncidentWave point_source = monopole(modulated_gaussian(3, 0.9, 1.7), source_place, 1.3);

/// l^n of a monopole: its normal derivative -n.e [f'/(c r) + f/r^2], or its derivative in time, integrated over a step.
TEST(TdbemIllumination, OfAMonopoleIsTheIntegral) {
  const TestSurface s = bent_spindle(5, 7);
  const Steps steps{0.21, 13, 5};
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const auto l = illuminated<double>(s, illumination(b, point_source, triangle_rule(16)), steps, 0, s.unknowns());
    double largest = 0;
    for (std::int32_t i = 0; i < s.unknowns(); ++i)
      for (int g = 0; g < 5; ++g) {
        const double expected = integral(s, i, [&](const Point& x, const Point& n) {
          const double r = norm(x - source_place);
          const double end = (13 + g) * 0.21 - r / 1.3, begin = end - 0.21;
          if (b == Boundary::soft) return (f_of(end) - f_of(begin)) / r;
          return -dot(n, x - source_place) / r *
                 ((f_of(end) - f_of(begin)) / (1.3 * r) + integral_of_f(begin, end) / (r * r));
        });
        largest = std::max(largest, std::abs(expected));
        EXPECT_NEAR(l[static_cast<std::size_t>(i * 5 + g)], expected, 3e-5) << i << " " << g;
      }
    EXPECT_GT(largest, 3e-3);
  }
}

/// Each vertex of a soft body, and the sum over a rigid one, whose constant mode is not driven, though the rule of
/// seven points is far from exact so near to the source.
TEST(TdbemIllumination, OfAMonopoleAddsUpToNothing) {
  const TestSurface s = bent_spindle(4, 6);
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const Illumination incident = illumination(b, point_source, triangle_rule(7));
    std::vector<double> sum(s.vertices.size());
    double all = 0, most = 0;
    for (std::int64_t n = -100; n < 150; n += 7) {
      const auto l = illuminated<double>(s, incident, {0.17, n, 7}, 0, s.unknowns());
      for (std::size_t k = 0; k < l.size(); ++k) {
        sum[k / 7] += l[k];
        all += l[k];
        most = std::max(most, std::abs(l[k]));
      }
    }
    EXPECT_GT(most, 1e-3);
    EXPECT_LT(std::abs(all), 1e-12);
    for (const double v : sum) EXPECT_LT(std::abs(v), b == Boundary::soft ? 3e-15 : 1);
  }
}

/// r_0 times a monopole far away is a plane wave.
TEST(TdbemIllumination, OfAFarMonopoleIsThatOfAPlaneWave) {
  const TestSurface s = bent_spindle(4, 6);
  const double far = 1e5;
  const IncidentWave source = monopole(modulated_gaussian(3 - far / 1.3, 0.9, 1.7), (-far / 7) * Point{2, -3, 6}, 1.3);
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const auto expected = illuminated<double>(s, illumination(b, wave, triangle_rule(7)), {0.2, 8, 9}, 0, s.unknowns());
    const auto l = illuminated<double>(s, illumination(b, source, triangle_rule(7)), {0.2, 8, 9}, 0, s.unknowns());
    for (std::size_t k = 0; k < l.size(); ++k) EXPECT_NEAR(far * l[k], expected[k], 2e-5);
  }
}

/// sum_i l_i^n = -1/c int (n.d) [f] = int over the body of [f']/c^2 for rigid bodies; here in the limit of long waves.
TEST(TdbemIllumination, LongWavesSeeTheVolume) {
  const TestSurface s = bent_spindle(9, 11);
  double volume = 0, area = 0;
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    volume += s.areas[t] * dot(s.normals[t], s.vertices[static_cast<std::size_t>(s.triangles[t].corner[0])]) / 3;
    area += s.areas[t];
  }
  EXPECT_GT(volume, 0);
  const IncidentWave slow = plane_wave(modulated_gaussian(100, 1000, 0), {2, -3, 6}, 1.3);
  const Steps steps{50, 13, 1};
  const auto f = [](double t) { return std::exp(-t * t / 2e6); };
  const auto slope = [&](double t) { return -t / 1e6 * f(t); };
  double rigid = 0, soft = 0;
  for (const double v :
       illuminated<double>(s, illumination(Boundary::rigid, slow, triangle_rule(7)), steps, 0, s.unknowns()))
    rigid += v;
  for (const double v :
       illuminated<double>(s, illumination(Boundary::soft, slow, triangle_rule(7)), steps, 0, s.unknowns()))
    soft += v;
  EXPECT_NEAR(rigid / (volume / 1.69 * (slope(550) - slope(500))), 1, 2e-2);
  EXPECT_NEAR(soft / (area * (f(550) - f(500))), 1, 2e-3);
}

TEST(TdbemIllumination, Telescopes) {
  const TestSurface s = bent_spindle(4, 6);
  const double dt = 0.17;
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const Illumination incident = illumination(b, wave, triangle_rule(7));
    std::vector<double> sum(s.vertices.size()), most(s.vertices.size());
    for (std::int64_t n = -100; n < 150; n += 7) {
      const auto l = illuminated<double>(s, incident, {dt, n, 7}, 0, s.unknowns());
      for (std::size_t k = 0; k < l.size(); ++k) {
        sum[k / 7] += l[k];
        most[k / 7] = std::max(most[k / 7], std::abs(l[k]));
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      EXPECT_GT(most[i], 1e-3);
      EXPECT_LT(std::abs(sum[i]), 3e-15);
    }
    for (const std::int64_t silent : {-100, 150})
      for (const double v : illuminated<double>(s, incident, {dt, silent, 3}, 0, s.unknowns())) EXPECT_EQ(v, 0);
  }
}

/// A pulse that lights a part of a triangle only: the sum over points is the same as without a look at what is dark.
TEST(TdbemIllumination, PulsesShorterThanTriangles) {
  const TestSurface s = bent_spindle(3, 5);
  const IncidentWave brief = plane_wave(modulated_gaussian(0.4, 0.015, 30), {2, -3, 6}, 1.3);
  const TriangleRule rule = triangle_rule(16);
  const std::int32_t count = 3;
  for (const double dt : {0.02, 0.3})
    for (std::int64_t n = -60; n < 100; n += count) {
      const auto l = illuminated<double>(s, illumination(Boundary::soft, brief, rule), {dt, n, count}, 0, s.unknowns());
      std::vector<double> expected(l.size());
      for (std::size_t t = 0; t < s.triangles.size(); ++t)
        for (std::int32_t p = 0; p < rule.points; ++p) {
          const auto& b = rule.point[p].coordinate;
          Point x;
          for (int c = 0; c < 3; ++c) x = x + b[c] * s.vertices[static_cast<std::size_t>(s.triangles[t].corner[c])];
          for (std::int32_t g = 0; g < count; ++g)
            for (int c = 0; c < 3; ++c)
              expected[static_cast<std::size_t>(s.triangles[t].corner[c] * count + g)] +=
                  s.areas[t] * rule.point[p].weight * b[c] *
                  (pressure(brief, x, static_cast<double>(n + g) * dt) -
                   pressure(brief, x, static_cast<double>(n + g - 1) * dt));
        }
      for (std::size_t k = 0; k < l.size(); ++k) EXPECT_NEAR(l[k], expected[k], 1e-14);
    }
}

TEST(TdbemIllumination, GroupsAndRowsDoNotMatter) {
  const TestSurface s = bent_spindle(4, 5);
  const Illumination incident = illumination(Boundary::rigid, wave, triangle_rule(12));
  const auto all = illuminated<double>(s, incident, {0.2, 5, 37}, 0, s.unknowns());
  for (const std::int32_t count : {1, 3, 16, 17})
    for (const auto& [begin, end] : {std::pair{0, 4}, std::pair{3, 4}, std::pair{7, s.unknowns()}, std::pair{2, 2}}) {
      const auto part = illuminated<double>(s, incident, {0.2, 5 + 11, count}, begin, end);
      const auto single = illuminated<float>(s, incident, {0.2, 5 + 11, count}, begin, end);
      for (std::int32_t i = begin; i < end; ++i)
        for (std::int32_t g = 0; g < count; ++g) {
          const auto at = static_cast<std::size_t>((i - begin) * count + g);
          EXPECT_EQ(part[at], all[static_cast<std::size_t>(i * 37 + 11 + g)]);
          EXPECT_EQ(single[at], static_cast<float>(part[at]));
        }
    }
}

}  // namespace
}  // namespace asterism::tdbem
