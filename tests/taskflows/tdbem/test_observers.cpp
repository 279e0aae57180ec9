// SPDX-License-Identifier: Apache-2.0
// Observers: fed with the exact surface values of a sphere they converge to the exact field outside; what is refused.
#include <cmath>
#include <cstdio>

#include "codelets/tdbem/kernels/waves/observe.hpp"
#include "taskflows/tdbem/reference/sphere_series.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/observer_weights.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

const TriangleRule rule = triangle_rule(7);

/// The values of the surface in steps -before .. steps - 1, by unknowns.
std::vector<double> history_of(const Surface& s, Boundary b, double radius, const IncidentWave& wave, double dt,
                               std::int64_t before, std::int64_t steps) {
  std::vector<double> times;
  for (std::int64_t n = -before; n < steps; ++n)
    times.push_back((static_cast<double>(n) - (b == Boundary::soft ? 0.5 : 0)) * dt);
  const auto field = sphere_surface_field(b, radius, wave, s.vertices, times);
  std::vector<double> history(field.size());
  for (std::size_t i = 0; i < s.vertices.size(); ++i)
    for (std::size_t n = 0; n < times.size(); ++n) history[i * times.size() + n] = field[n * s.vertices.size() + i];
  return history;
}

/// Relative L2 error over observers and time.
double error_of(int level, Boundary b, double radius, const IncidentWave& wave, const std::vector<Point>& observers) {
  const Surface s = prepare_surface(icosphere(level, radius));
  const double dt = 0.5 * s.edges.mean / wave.speed;
  const auto w = observer_weights<double>(s, b, wave.speed, dt, rule, observers);
  const auto steps = static_cast<std::int32_t>(std::ceil(22 * radius / wave.speed / dt));
  const std::vector<double> history = history_of(s, b, radius, wave, dt, w.largest_lag, steps);
  std::vector<double> p(observers.size() * static_cast<std::size_t>(steps)), times;
  cpu::observe<double>(w.view(), {history.data(), w.largest_lag + steps, w.largest_lag}, 0, w.observers, steps,
                       p.data());
  for (int n = 0; n < steps; ++n) times.push_back(n * dt);
  const auto exact = sphere_scattered_pressure(b, radius, wave, observers, times);
  double error = 0, all = 0;
  for (std::size_t o = 0; o < observers.size(); ++o)
    for (std::size_t n = 0; n < times.size(); ++n) {
      const double e = exact[n * observers.size() + o];
      error += std::pow(p[o * times.size() + n] - e, 2);
      all += e * e;
    }
  return std::sqrt(error / all);
}

TEST(TdbemObservers, ConvergeOnTheSphere) {
  const double radius = 1.5, speed = 2, scale = radius / speed;
  const IncidentWave wave = plane_wave(modulated_gaussian(7 * scale, scale, 2 / scale), {1, 2, -2}, speed);
  const std::vector<Point> observers = {{3, 0, 0}, {0, -4.5, 1}, {1, 1, -2.5}, {-1, -1.7, 1.9}};
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    double before = 0;
    for (const int level : {1, 2, 3, 4}) {
      const double error = error_of(level, b, radius, wave, observers);
      std::printf("%s, level %d: relative error %.3e\n", b == Boundary::rigid ? "rigid" : "soft", level, error);
      if (level > 2) {
        EXPECT_GT(before / error, 3.4) << level;
      }
      before = error;
    }
    EXPECT_LT(before, 6e-3);
  }
}

/// A constant surface pressure makes nothing outside of a closed body, a constant density what a charge does.
TEST(TdbemObservers, SumsOfWeights) {
  const Surface s = prepare_surface(box({1, 2, 3}, {3, 4, 7}));
  const std::vector<Point> observers = {{3, 0, 0.3}, {0.2, -1.9, 2}};
  const double speed = 1.7, dt = 0.11;
  const auto rigid = observer_weights<double>(s, Boundary::rigid, speed, dt, rule, observers);
  const auto soft = observer_weights<double>(s, Boundary::soft, speed, dt, rule, observers);
  for (std::int32_t o = 0; o < 2; ++o) {
    double angle = 0, charge = 0, delay = 0;
    for (std::int32_t j = 0; j < s.unknowns(); ++j) {
      const auto x = static_cast<std::size_t>(o * s.unknowns() + j);
      for (std::uint64_t c = rigid.start[x]; c < rigid.start[x + 1]; ++c) angle += rigid.weight[c];
      for (std::uint64_t c = soft.start[x]; c < soft.start[x + 1]; ++c) {
        EXPECT_LE(soft.weight[c], 0) << "between two values, never beyond";
        charge += soft.weight[c];
        delay += soft.weight[c] * (soft.first[x] + static_cast<double>(c - soft.start[x]) + 0.5) * dt;
      }
    }
    EXPECT_NEAR(angle, 0, 1e-6);
    EXPECT_NEAR(delay, -s.area / (4 * M_PI * speed), 1e-12) << "1/r times the delay r/c is 1/c";
    double potential = 0;  // centres of small pieces
    mesh::TriangleMesh fine = box({1, 2, 3}, {40, 80, 120});
    const Surface pieces = prepare_surface(fine);
    for (std::size_t t = 0; t < pieces.triangles.size(); ++t) {
      Point centre;
      for (const std::int32_t v : pieces.triangles[t].corner)
        centre = centre + (1.0 / 3) * pieces.vertices[static_cast<std::size_t>(v)];
      potential -= pieces.areas[t] / (4 * M_PI * norm(observers[static_cast<std::size_t>(o)] - centre));
    }
    EXPECT_NEAR(charge / potential, 1, 1e-4);
  }
}

/// One observer, one moment: the integral over the surface of a density that is quadratic in time (linear for soft
/// bodies) and linear in space on each triangle has no error but that of quadrature.
TEST(TdbemObservers, ExactForQuadraticsInTime) {
  const Surface s = prepare_surface(ellipsoid(2, {1, 0.7, 0.5}));
  const Point x = {1.1, -1.2, 0.9};
  const double speed = 1.3, dt = 0.2;
  for (const Boundary b : {Boundary::rigid, Boundary::soft}) {
    const auto w = observer_weights<double>(s, b, speed, dt, triangle_rule(16), std::vector<Point>{x});
    const auto density = [&](const Point& y, double t) {
      const double space = 1 + 0.5 * y.x - 0.3 * y.y + 0.2 * y.z;
      return space * (b == Boundary::rigid ? 1 + 0.4 * t + 0.07 * t * t : 1 + 0.4 * t);
    };
    const auto rate = [&](const Point& y, double t) {
      return (1 + 0.5 * y.x - 0.3 * y.y + 0.2 * y.z) * (0.4 + 0.14 * t);
    };
    const std::int64_t length = w.largest_lag + 1;
    std::vector<double> history;
    for (const Point& v : s.vertices)
      for (std::int64_t k = -w.largest_lag; k <= 0; ++k)
        history.push_back(density(v, (static_cast<double>(k) - (b == Boundary::soft ? 0.5 : 0)) * dt));
    double p = 0;
    cpu::observe<double>(w.view(), {history.data(), length, w.largest_lag}, 0, 1, 1, &p);
    double expected = 0;
    constexpr int cuts = 12;
    for (std::size_t t = 0; t < s.triangles.size(); ++t) {
      Point v[3];
      for (std::size_t c = 0; c < 3; ++c) v[c] = s.vertices[static_cast<std::size_t>(s.triangles[t].corner[c])];
      for (int i = 0; i < cuts; ++i)
        for (int j = 0; i + j < cuts; ++j)
          for (const double third : {1.0, 2.0}) {
            if (third > 1.5 && i + j >= cuts - 1) continue;
            const double u = (i + third / 3) / cuts, q = (j + third / 3) / cuts;
            const Point y = v[0] + u * (v[1] - v[0]) + q * (v[2] - v[0]);
            const double r = norm(x - y), area = s.areas[t] / (cuts * cuts);
            if (b == Boundary::soft)
              expected -= area * density(y, -r / speed) / (4 * M_PI * r);
            else
              expected += area * dot(s.normals[t], x - y) / (4 * M_PI * r * r) *
                          (density(y, -r / speed) / r + rate(y, -r / speed) / speed);
          }
    }
    EXPECT_NEAR(p / expected, 1, 2e-4);
  }
}

TEST(TdbemObservers, NearObserversAreIntegratedFinely) {
  // as near as is allowed: coarse and fine rules agree, as pieces are cut
  const Surface s = prepare_surface(ellipsoid(2, {1, 0.7, 0.5}));
  const std::vector<Point> near = {{0, 0, 0.5 + 1.01 * s.edges.mean}};
  const auto sum = [&](int points) {
    const auto w = observer_weights<double>(s, Boundary::soft, 1, 0.02, triangle_rule(points), near);
    double total = 0;
    for (const double v : w.weight) total += v;
    return total;
  };
  EXPECT_NEAR(sum(7) / sum(16), 1, 1e-6);
  EXPECT_NEAR(sum(1) / sum(16), 1, 1e-2);
}

TEST(TdbemObservers, Situations) {
  const Surface s = prepare_surface(box({2, 4, 6}, {1, 2, 3}));
  const auto check = [&](const Point& x, double distance, double winding) {
    const Situation here = situation(s, x);
    EXPECT_NEAR(here.distance, distance, 1e-12);
    EXPECT_NEAR(here.winding, winding, 1e-12);
  };
  check({0, 0, 0}, 1, 1);
  check({0.1, 1.7, -0.4}, 0.3, 1);
  check({4, 0.3, 0.2}, 3, 0);
  check({2, 5, 0.4}, std::sqrt(1. + 9), 0);
  check({-2, -4, -6}, std::sqrt(1. + 4 + 9), 0);
}

TEST(TdbemObservers, Refused) {
  const Surface s = prepare_surface(icosphere(2, 1));
  const auto refused = [&](const Point& x, double speed, double dt, const char* why) {
    const std::vector<Point> observers = {{5, 0, 0}, x};
    expect_names(complaint([&] { observer_weights<float>(s, Boundary::rigid, speed, dt, rule, observers); }), why);
  };
  refused({0.2, 0.1, 0}, 1, 0.1, "observer 1");
  refused({0.2, 0.1, 0}, 1, 0.1, "inside");
  refused({0, 0, 1.1}, 1, 0.1, "from the surface");
  refused({0, 0, 1.6}, 1, 0.4, "from the surface");  // two steps
  refused({0, 0, NAN}, 1, 0.1, "finite");
  refused({0, 0, 3}, 0, 0.1, "positive");
  refused({0, 0, 3}, 1, -0.1, "positive");
  EXPECT_EQ(observer_weights<float>(s, Boundary::rigid, 1, 0.1, rule, {}).view().observers, 0);
}

TEST(TdbemObservers, GroupsPartsAndPrecision) {
  const Surface s = prepare_surface(ellipsoid(1, {1, 0.7, 0.5}));
  const std::vector<Point> observers = {{3, 0, 0.3}, {0.2, -2.9, 2}, {-2, -2, -1}};
  const auto w = observer_weights<double>(s, Boundary::rigid, 1, 0.3, rule, observers);
  const auto single = observer_weights<float>(s, Boundary::rigid, 1, 0.3, rule, observers);
  const std::int64_t position = w.largest_lag + 2, stride = position + 9;
  std::vector<double> history;
  for (std::int64_t k = 0; k < stride * s.unknowns(); ++k)
    history.push_back(std::sin(0.37 * static_cast<double>(k * k % 101)));
  const std::vector<float> of_single(history.begin(), history.end());
  std::vector<double> all(27), part(2 * 4);
  std::vector<float> floats(27);
  cpu::observe<double>(w.view(), {history.data(), stride, position}, 0, 3, 9, all.data());
  cpu::observe<double>(w.view(), {history.data(), stride, position + 3}, 1, 3, 4, part.data());
  cpu::observe<float>(single.view(), {of_single.data(), stride, position}, 0, 3, 9, floats.data());
  for (std::size_t k = 0; k < 27; ++k) EXPECT_NEAR(floats[k], all[k], 1e-5);
  for (std::size_t o = 0; o < 3; ++o)
    for (std::size_t g = 0; g < 9; ++g) {
      double sum = 0;
      for (std::size_t j = 0; j < s.vertices.size(); ++j) {
        const std::size_t x = o * s.vertices.size() + j;
        for (std::uint64_t c = w.start[x]; c < w.start[x + 1]; ++c) {
          const auto k = w.first[x] + static_cast<std::int64_t>(c - w.start[x]);
          EXPECT_LE(w.smallest_lag, k);
          EXPECT_GE(w.largest_lag, k);
          sum += w.weight[c] * history[static_cast<std::size_t>(static_cast<std::int64_t>(j) * stride + position +
                                                                static_cast<std::int64_t>(g) - k)];
        }
      }
      EXPECT_NEAR(all[o * 9 + g], sum, 1e-13);
      if (o > 0 && g >= 3 && g < 7) {
        EXPECT_EQ(part[(o - 1) * 4 + g - 3], all[o * 9 + g]);
      }
    }
}

}  // namespace
}  // namespace asterism::tdbem
