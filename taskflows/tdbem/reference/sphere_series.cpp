// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/reference/sphere_series.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/error.hpp"
#include "taskflows/tdbem/reference/spherical_bessel.hpp"

namespace asterism::tdbem {
namespace {

using Complex = std::complex<double>;

/// Frequencies 2 pi (m + 1/2) / period, m = 0, 1, ...: the pulse has nothing above the last, and the response to it,
/// repeated with the period and alternating sign, does not meet itself: resonances of spheres fall as exp(-0.7 c t / a)
/// or faster.
struct Frequencies {
  double period;
  std::int64_t count;

  [[nodiscard]] double at(std::int64_t m) const {
    return 2 * std::numbers::pi * (static_cast<double>(m) + 0.5) / period;
  }
  /// What the spectrum is multiplied with: negative frequencies are the conjugates of positive ones.
  [[nodiscard]] double weight() const { return 2 / period; }
};

Frequencies frequencies_for(const IncidentWave& wave, double radius, double farthest, std::span<const double> times) {
  const double travel = (farthest + (wave.kind == WaveKind::monopole ? norm(wave.source) : 0)) / wave.speed;
  double begin = start(wave.pulse) - travel, end = wave.pulse.centre + half_duration(wave.pulse) + travel;
  for (const double t : times) {
    begin = std::min(begin, t);
    end = std::max(end, t);
  }
  const double period = end - begin + 60 * radius / wave.speed;
  return {period,
          1 + static_cast<std::int64_t>(std::ceil(bandwidth(wave.pulse, 1e-16) * period / (2 * std::numbers::pi)))};
}

/// Orders that matter at frequency x = omega a / c: beyond x the terms fall faster than exponentially.
int orders(double x) {
  return static_cast<int>(x + 4 * std::cbrt(x) + 12);
}

/// Orders that matter for a wave at frequency x. What a monopole at distance r_0 has at rest falls as (a / r_0)^l on
/// the sphere; orders end where h_l would overflow.
int orders_of(const IncidentWave& wave, double radius, double x) {
  if (wave.kind == WaveKind::plane) return orders(x);
  const double more = -std::log(1e-14) / std::log(norm(wave.source) / radius);
  const int wanted = orders(x) + static_cast<int>(std::min(more, 200.0));
  int top = 0;
  for (double digits = 0; top < wanted && digits < 250; ++top) digits += std::max(0.0, std::log10((2 * top + 1) / x));
  return top;
}

/// What j_l(k r) P_l(cos gamma) is multiplied with in the incident wave, l = 0 to top: (2l+1) i^l for a plane wave,
/// i k (2l+1) h_l(k r_0) for a monopole.
std::vector<Complex> incident_factors(const IncidentWave& wave, double k, int top) {
  constexpr Complex turn[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  std::vector<Complex> factors;
  std::vector<Complex> h;
  if (wave.kind == WaveKind::monopole) h = spherical_h(top, k * norm(wave.source));
  for (int l = 0; l <= top; ++l)
    factors.push_back(static_cast<double>(2 * l + 1) *
                      (wave.kind == WaveKind::plane ? turn[l % 4] : Complex(0, k) * h[static_cast<std::size_t>(l)]));
  return factors;
}

/// What P_l(cos gamma) is multiplied with on the sphere, A_l being the factors of the incident wave. From the Wronskian
/// j_l h_l' - j_l' h_l = i / x^2:
///   rigid: p = sum A_l P_l (i / x^2) / h_l'(x),   soft: a d_n p = -sum A_l P_l (i / x) / h_l(x)
std::vector<Complex> surface_coefficients(Boundary boundary, const IncidentWave& wave, double radius, double omega) {
  const double x = omega * radius / wave.speed;
  const int top = orders_of(wave, radius, x);
  const std::vector<Complex> factors = incident_factors(wave, omega / wave.speed, top);
  const std::vector<Complex> h = spherical_h(top + 1, x);
  const std::vector<Complex> dh = spherical_derivative(h, x);
  std::vector<Complex> c;
  for (int l = 0; l <= top; ++l) {
    const auto i = static_cast<std::size_t>(l);
    c.push_back(factors[i] *
                (boundary == Boundary::rigid ? Complex(0, 1 / (x * x)) / dh[i] : Complex(0, -1 / x) / h[i]));
  }
  return c;
}

/// What h_l(k r) P_l(cos gamma) is multiplied with outside: -A_l j_l'(x) / h_l'(x), or without the derivatives.
std::vector<Complex> scattering_coefficients(Boundary boundary, const IncidentWave& wave, double radius, double omega) {
  const double x = omega * radius / wave.speed;
  const int top = orders_of(wave, radius, x);
  const std::vector<Complex> factors = incident_factors(wave, omega / wave.speed, top);
  std::vector<double> j = spherical_j(top + 1, x);
  std::vector<Complex> h = spherical_h(top + 1, x);
  if (boundary == Boundary::rigid) {
    j = spherical_derivative(j, x);
    h = spherical_derivative(h, x);
  }
  std::vector<Complex> b;
  for (int l = 0; l <= top; ++l) {
    const auto i = static_cast<std::size_t>(l);
    b.push_back(-factors[i] * j[i] / h[i]);
  }
  return b;
}

/// P_0(z) ... P_top(z)
void legendre(double z, std::span<double> p) {
  p[0] = 1;
  if (p.size() > 1) p[1] = z;
  for (std::size_t l = 1; l + 1 < p.size(); ++l) {
    const auto order = static_cast<double>(l);
    p[l + 1] = ((2 * order + 1) * z * p[l] - order * p[l - 1]) / (order + 1);
  }
}

/// From the axis of the wave.
double cosine(const IncidentWave& wave, const Point& x) {
  const Point& axis = wave.kind == WaveKind::plane ? wave.direction : wave.source;
  return std::clamp(dot(axis, x) / (norm(axis) * norm(x)), -1.0, 1.0);
}

/// The scattered pressure at distance r over the pulse; p: P_l of the place.
Complex scattered_sum(std::span<const Complex> coefficients, double kr, std::span<const double> p) {
  const std::vector<Complex> h = spherical_h(static_cast<int>(coefficients.size()) - 1, kr);
  Complex sum = 0;
  for (std::size_t l = 0; l < coefficients.size(); ++l) sum += coefficients[l] * h[l] * p[l];
  return sum;
}

void require_outside(const Point& x, double radius) {
  if (norm(x) < radius * (1 - 1e-12))
    bad_input("point ({}, {}, {}) lies inside the sphere of radius {}", x.x, x.y, x.z, radius);
}

void require_radius(double radius) {
  if (!(radius > 0 && std::isfinite(radius))) bad_input("radius of the sphere: {}, has to be positive", radius);
}

}  // namespace

std::vector<double> sphere_surface_field(Boundary boundary, double radius, const IncidentWave& wave,
                                         std::span<const Point> points, std::span<const double> times) {
  require_radius(radius);
  const Frequencies frequencies = frequencies_for(wave, radius, radius, times);
  const std::size_t modes =
      static_cast<std::size_t>(orders_of(wave, radius, frequencies.at(frequencies.count - 1) * radius / wave.speed)) +
      1;
  // modes first, as functions of time: mode[n * modes + l] is what P_l is multiplied with at times[n]
  std::vector<double> mode(times.size() * modes);
  for (std::int64_t m = 0; m < frequencies.count; ++m) {
    const double omega = frequencies.at(m);
    const std::vector<Complex> c = surface_coefficients(boundary, wave, radius, omega);
    const Complex amplitude =
        spectrum(wave.pulse, omega) * frequencies.weight() / (boundary == Boundary::rigid ? 1.0 : radius);
    for (std::size_t n = 0; n < times.size(); ++n) {
      const Complex at = amplitude * std::polar(1.0, -omega * times[n]);
      for (std::size_t l = 0; l < c.size(); ++l) mode[n * modes + l] += (at * c[l]).real();
    }
  }
  std::vector<double> field(times.size() * points.size());
#pragma omp parallel
  {
    std::vector<double> p(modes);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < points.size(); ++i) {
      legendre(cosine(wave, points[i]), p);
      for (std::size_t n = 0; n < times.size(); ++n) {
        double sum = 0;
        for (std::size_t l = 0; l < modes; ++l) sum += p[l] * mode[n * modes + l];
        field[n * points.size() + i] = sum;
      }
    }
  }
  return field;
}

std::vector<double> sphere_scattered_pressure(Boundary boundary, double radius, const IncidentWave& wave,
                                              std::span<const Point> points, std::span<const double> times) {
  require_radius(radius);
  double farthest = radius;
  for (const Point& x : points) {
    require_outside(x, radius);
    farthest = std::max(farthest, norm(x));
  }
  const Frequencies frequencies = frequencies_for(wave, radius, farthest, times);
  std::vector<std::vector<Complex>> b(static_cast<std::size_t>(frequencies.count));
  for (std::int64_t m = 0; m < frequencies.count; ++m)
    b[static_cast<std::size_t>(m)] = scattering_coefficients(boundary, wave, radius, frequencies.at(m));
  std::vector<double> field(times.size() * points.size());
#pragma omp parallel
  {
    std::vector<double> p(b.back().size());
#pragma omp for schedule(dynamic, 1)
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double r = norm(points[i]);
      legendre(cosine(wave, points[i]), p);
      for (std::int64_t m = 0; m < frequencies.count; ++m) {
        const double omega = frequencies.at(m);
        const Complex sum = scattered_sum(b[static_cast<std::size_t>(m)], omega * r / wave.speed, p) *
                            spectrum(wave.pulse, omega) * frequencies.weight();
        for (std::size_t n = 0; n < times.size(); ++n)
          field[n * points.size() + i] += (sum * std::polar(1.0, -omega * times[n])).real();
      }
    }
  }
  return field;
}

Complex sphere_scattered_transfer(Boundary boundary, double radius, const IncidentWave& wave, const Point& x,
                                  double omega) {
  require_radius(radius);
  require_outside(x, radius);
  const std::vector<Complex> b = scattering_coefficients(boundary, wave, radius, omega);
  std::vector<double> p(b.size());
  legendre(cosine(wave, x), p);
  return scattered_sum(b, omega * norm(x) / wave.speed, p);
}

std::vector<double> vertex_areas(const Surface& surface) {
  std::vector<double> areas(surface.vertices.size());
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (const std::int32_t v : surface.triangles[t].corner) areas[static_cast<std::size_t>(v)] += surface.areas[t] / 3;
  return areas;
}

double relative_error(std::span<const double> areas, std::span<const double> computed, std::span<const double> exact) {
  if (areas.empty() || exact.size() % areas.size() != 0 || computed.size() != exact.size())
    bad_input("fields of {} and {} values on {} vertices cannot be compared", computed.size(), exact.size(),
              areas.size());
  double error = 0, all = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double area = areas[i % areas.size()], difference = computed[i] - exact[i];
    error += area * difference * difference;
    all += area * exact[i] * exact[i];
  }
  return std::sqrt(error / all);
}

}  // namespace asterism::tdbem
