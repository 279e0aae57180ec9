// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/generate.hpp"

#include <cmath>
#include <numbers>

#include "taskflows/fmm/particles/random_numbers.hpp"

namespace asterism::fmm {
namespace {

constexpr std::uint64_t numbers_per_particle = 4;  // three for the place, one for the charge

double charge_of(const Random& random, std::uint64_t i, std::uint64_t n, Charges charges) {
  const auto number = [&](std::uint64_t particle) { return numbers_per_particle * particle + 3; };
  switch (charges) {
    case Charges::random_signs:
      return random.bits(number(i)) >> 63U == 0 ? 0.5 : -0.5;
    case Charges::uniform01:
      return random.uniform(number(i));
    case Charges::ones:
      return 1;
    case Charges::shares:
      return 1 / static_cast<double>(n);
    case Charges::neutral: {
      // Particles 2k and 2k + 1 are opposite; an odd last one is neutral itself.
      if (i + 1 == n && n % 2 == 1) return 0;
      const std::uint64_t bits = random.bits(number(i - i % 2));
      const double magnitude = static_cast<double>(bits >> 40U) * 0x1p-24;
      const bool negative = (bits & 1U) != i % 2;
      return negative ? -magnitude : magnitude;
    }
  }
  return 0;
}

struct Point {
  double x, y, z;
};

/// Calls place(u, v, w) for each particle of the part with three numbers uniform in [0, 1).
template <class Place>
Particles generate(std::size_t n, std::uint64_t seed, Charges charges, Part part, Place place) {
  const Random random(seed);
  const std::size_t begin = part.begin(n);
  Particles particles(part.end(n) - begin);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::uint64_t k = numbers_per_particle * (begin + i);
    const Point point = place(random.uniform(k), random.uniform(k + 1), random.uniform(k + 2));
    particles.x[i] = point.x;
    particles.y[i] = point.y;
    particles.z[i] = point.z;
    particles.charge[i] = charge_of(random, begin + i, n, charges);
  }
  return particles;
}

/// Uniform on the unit sphere: every slice along y has the same share (Archimedes).
Point on_unit_sphere(double u, double v) {
  const double s = 2 * u - 1;
  const double r = std::sqrt(1 - s * s);
  const double phi = 2 * std::numbers::pi * v;
  return {r * std::cos(phi), s, r * std::sin(phi)};
}

constexpr double center = generated_center;

}  // namespace

double plummer_share_within_cut() {
  constexpr double cut = 0.5;
  return std::pow(1 + plummer_scale * plummer_scale / (cut * cut), -1.5);
}

Particles cube(std::size_t n, std::uint64_t seed, Charges charges, Part part) {
  return generate(n, seed, charges, part, [](double u, double v, double w) { return Point{u, v, w}; });
}

Particles ellipsoid(std::size_t n, std::uint64_t seed, Charges charges, Part part) {
  return generate(n, seed, charges, part, [](double u, double v, double) {
    constexpr double a = 0.1;
    constexpr double b = 0.5;
    const Point p = on_unit_sphere(u, v);
    return Point{center + a * p.x, center + b * p.y, center + a * p.z};
  });
}

Particles tilted_ellipsoid(std::size_t n, std::uint64_t seed, Charges charges, Part part) {
  // The density sqrt(1 - t^2) + rise |t| sqrt(1 - t^2) is a mixture of two that can be drawn directly: t is a
  // coordinate of a point uniform in the unit disk, or has (1 - t^2)^(3/2) uniform. w chooses; what it leaves is
  // uniform, too.
  constexpr double rise = 10;
  constexpr double of_disk = std::numbers::pi / 4;  // integrals over 0 < t < 1
  constexpr double of_rise = rise / 3;
  constexpr double share = of_disk / (of_disk + of_rise);
  constexpr double tilt = std::numbers::pi / 8;
  constexpr double turn = std::numbers::pi / 4;
  constexpr double a = 0.1;
  constexpr double b = 0.5;
  return generate(n, seed, charges, part, [](double u, double v, double w) {
    const bool disk = w < share;
    const double r_of_rise = std::cbrt(1 - u);
    const double t = disk ? std::sqrt(u) * std::cos(2 * std::numbers::pi * v)
                          : std::copysign(std::sqrt(1 - r_of_rise * r_of_rise), v - 0.5);
    const double r = disk ? std::sqrt(1 - t * t) : r_of_rise;
    const double phi = 2 * std::numbers::pi * (disk ? w / share : (w - share) / (1 - share));
    const Point p{b * t, a * r * std::cos(phi), a * r * std::sin(phi)};
    const double along = std::cos(tilt) * p.x + std::sin(tilt) * p.z;  // tilted about y, then turned about z
    return Point{center + std::cos(turn) * along - std::sin(turn) * p.y,
                 center + std::sin(turn) * along + std::cos(turn) * p.y,
                 center - std::sin(tilt) * p.x + std::cos(tilt) * p.z};
  });
}

Particles sphere(std::size_t n, std::uint64_t seed, Charges charges, Part part) {
  return generate(n, seed, charges, part, [](double u, double v, double) {
    constexpr double radius = 0.5;
    const Point p = on_unit_sphere(u, v);
    return Point{center + radius * p.x, center + radius * p.y, center + radius * p.z};
  });
}

Particles plummer(std::size_t n, std::uint64_t seed, Charges charges, Part part) {
  return generate(n, seed, charges, part, [](double u, double v, double w) {
    static const double mass_within_cut = plummer_share_within_cut();
    // M(r) = (1 + s^2 / r^2)^(-3/2) inverted
    const double mass = w * mass_within_cut;
    const double r = mass == 0 ? 0 : plummer_scale / std::sqrt(std::pow(mass, -2.0 / 3.0) - 1);
    const Point p = on_unit_sphere(u, v);
    return Point{center + r * p.x, center + r * p.y, center + r * p.z};
  });
}

}  // namespace asterism::fmm
