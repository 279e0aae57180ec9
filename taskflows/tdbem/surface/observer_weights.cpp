// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/surface/observer_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"

namespace asterism::tdbem {
namespace {

/// Where the weights of one pair of observer and unknown are summed.
class Lags {
 public:
  void clear() {
    first_ = 0;
    values_.clear();
  }
  void add(std::int32_t lag, double weight) {
    if (values_.empty()) first_ = lag;
    if (lag < first_) {
      values_.insert(values_.begin(), static_cast<std::size_t>(first_ - lag), 0);
      first_ = lag;
    }
    const auto at = static_cast<std::size_t>(lag - first_);
    if (at >= values_.size()) values_.resize(at + 1);
    values_[at] += weight;
  }
  [[nodiscard]] std::int32_t first() const { return first_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::int32_t first_ = 0;
  std::vector<double> values_;
};

/// A corner of a piece of a triangle: its place and the value of the basis function there.
struct Corner {
  Point at;
  double basis;
};

Corner middle(const Corner& a, const Corner& b) {
  return {0.5 * (a.at + b.at), (a.basis + b.basis) / 2};
}

struct Potential {
  Boundary boundary;
  double step_length;  ///< c dt
  const TriangleRule& rule;
  Point observer;

  /// `weight` stands for area times basis function, y for the place, n for the normal.
  void add(const Point& y, const Point& n, double weight, Lags& lags) const {
    const Point to = observer - y;
    const double r = norm(to);
    const double rho = r / step_length;
    const auto q = static_cast<std::int32_t>(std::floor(rho));
    const double s = rho - q;
    if (boundary == Boundary::soft) {
      // a^(n-k) belongs to t_n - (k + 1/2) dt
      const double g = -weight / (4 * std::numbers::pi * r);
      const std::int32_t k = s < 0.5 ? q - 1 : q;
      const double beyond = rho - (k + 0.5);
      lags.add(k, g * (1 - beyond));
      lags.add(k + 1, g * beyond);
      return;
    }
    // phi is the parabola through a^(n-q), a^(n-q-1), a^(n-q-2) at s = 0, 1, 2; phi' = -d/ds / dt
    const double g = weight * dot(n, to) / (4 * std::numbers::pi * r * r);
    const double of_value = g / r, of_slope = g / step_length;
    lags.add(q, of_value * (s - 1) * (s - 2) / 2 + of_slope * (1.5 - s));
    lags.add(q + 1, of_value * s * (2 - s) + of_slope * (2 * s - 2));
    lags.add(q + 2, of_value * s * (s - 1) / 2 + of_slope * (0.5 - s));
  }

  /// A piece of a triangle, cut again where it is near the observer.
  void add(const Corner (&c)[3], const Point& n, double area, Lags& lags) const {
    const Point centre = (1.0 / 3) * (c[0].at + c[1].at + c[2].at);
    const double extent = std::max({norm(c[1].at - c[0].at), norm(c[2].at - c[1].at), norm(c[0].at - c[2].at)});
    if (extent > 0.5 * norm(observer - centre)) {
      const Corner m[3] = {middle(c[0], c[1]), middle(c[1], c[2]), middle(c[2], c[0])};
      add({c[0], m[0], m[2]}, n, area / 4, lags);
      add({m[0], c[1], m[1]}, n, area / 4, lags);
      add({m[2], m[1], c[2]}, n, area / 4, lags);
      add({m[0], m[1], m[2]}, n, area / 4, lags);
      return;
    }
    for (std::int32_t p = 0; p < rule.points; ++p) {
      const auto& b = rule.point[p].coordinate;
      add(b[0] * c[0].at + b[1] * c[1].at + b[2] * c[2].at, n,
          area * rule.point[p].weight * (b[0] * c[0].basis + b[1] * c[1].basis + b[2] * c[2].basis), lags);
    }
  }
};

/// All triangles around vertex j.
void collect(const Surface& surface, const Potential& potential, std::size_t j, Lags& lags) {
  lags.clear();
  for (std::int32_t a = surface.start[j]; a < surface.start[j + 1]; ++a) {
    const std::int32_t entry = surface.around[static_cast<std::size_t>(a)];
    const auto t = static_cast<std::size_t>(entry / 3);
    Corner c[3];
    for (int k = 0; k < 3; ++k)
      c[k] = {surface.vertices[static_cast<std::size_t>(surface.triangles[t].corner[k])], k == entry % 3 ? 1.0 : 0.0};
    potential.add(c, surface.normals[t], surface.areas[t], lags);
  }
}

double distance_to_edge(const Point& x, const Point& a, const Point& b) {
  const Point along = b - a;
  const double s = std::clamp(dot(x - a, along) / dot(along, along), 0.0, 1.0);
  return norm(x - (a + s * along));
}

void require_outside(const Surface& surface, double way, std::size_t o, const Point& x) {
  if (!std::isfinite(dot(x, x))) bad_input("observer {} at ({}, {}, {}) has to be finite", o, x.x, x.y, x.z);
  const Situation s = situation(surface, x);
  if (s.winding > 0.5) bad_input("observer {} at ({}, {}, {}) lies inside of a body", o, x.x, x.y, x.z);
  const double least = std::max(surface.edges.mean, 2 * way);
  if (!(s.distance >= least))
    bad_input(
        "observer {} at ({}, {}, {}) is {:.4g} from the surface; at least {:.4g} are needed (a mean edge, two steps)",
        o, x.x, x.y, x.z, s.distance, least);
}

}  // namespace

Situation situation(const Surface& surface, const Point& x) {
  double distance = HUGE_VAL, angle = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    Point v[3];
    for (std::size_t c = 0; c < 3; ++c)
      v[c] = surface.vertices[static_cast<std::size_t>(surface.triangles[t].corner[c])];
    const Point& n = surface.normals[t];
    const double height = dot(n, x - v[0]);
    const Point foot = x - height * n;
    bool within = true;
    for (std::size_t c = 0; c < 3; ++c) {
      const Point& a = v[c];
      const Point& b = v[(c + 1) % 3];
      within = within && dot(cross(b - a, foot - a), n) >= 0;
      distance = std::min(distance, distance_to_edge(x, a, b));
    }
    if (within) distance = std::min(distance, std::abs(height));
    // A. van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983)
    const Point p = v[0] - x, q = v[1] - x, r = v[2] - x;
    const double a = norm(p), b = norm(q), c = norm(r);
    angle += 2 * std::atan2(dot(p, cross(q, r)), a * b * c + dot(p, q) * c + dot(q, r) * a + dot(r, p) * b);
  }
  return {distance, angle / (4 * std::numbers::pi)};
}

void check_observers(const Surface& surface, double speed, double dt, std::span<const Point> observers) {
  for (const double positive : {speed, dt})
    if (!(positive > 0 && std::isfinite(positive)))
      bad_input("speed {} and time step {} of observers have to be positive", speed, dt);
  for (std::size_t o = 0; o < observers.size(); ++o) require_outside(surface, speed * dt, o, observers[o]);
}

void check_monopole(const Surface& surface, std::size_t number, const Point& source) {
  const Situation s = situation(surface, source);
  if (s.winding > 0.5)
    bad_input("monopole {} at ({}, {}, {}) lies inside of a body", number, source.x, source.y, source.z);
  if (!(s.distance >= surface.edges.mean))
    bad_input("monopole {} at ({}, {}, {}) is {:.4g} from the surface; at least {:.4g} are needed (a mean edge)",
              number, source.x, source.y, source.z, s.distance, surface.edges.mean);
}

template <class T>
ObserverWeights<T> observer_weights(const Surface& surface, Boundary boundary, double speed, double dt,
                                    const TriangleRule& rule, std::span<const Point> observers) {
  check_observers(surface, speed, dt, observers);
  ObserverWeights<T> w;
  w.observers = static_cast<std::int32_t>(observers.size());
  w.unknowns = surface.unknowns();
  const auto unknowns = surface.vertices.size();
  w.start.push_back(0);
  w.smallest_lag = observers.empty() ? 0 : std::numeric_limits<std::int32_t>::max();
  std::vector<Lags> rows(unknowns);
  for (std::size_t o = 0; o < observers.size(); ++o) {
    const Potential potential{boundary, speed * dt, rule, observers[o]};
#pragma omp parallel for schedule(dynamic, 64)
    for (std::size_t j = 0; j < unknowns; ++j) collect(surface, potential, j, rows[j]);
    for (const Lags& row : rows) {
      w.first.push_back(row.first());
      for (const double v : row.values()) w.weight.push_back(static_cast<T>(v));
      w.start.push_back(w.weight.size());
      w.smallest_lag = std::min(w.smallest_lag, row.first());
      w.largest_lag = std::max(w.largest_lag, row.first() + static_cast<std::int32_t>(row.values().size()) - 1);
    }
  }
  return w;
}

template ObserverWeights<double> observer_weights(const Surface&, Boundary, double, double, const TriangleRule&,
                                                  std::span<const Point>);
template ObserverWeights<float> observer_weights(const Surface&, Boundary, double, double, const TriangleRule&,
                                                 std::span<const Point>);

}  // namespace asterism::tdbem
