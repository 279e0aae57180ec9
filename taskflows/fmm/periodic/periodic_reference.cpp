// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/periodic/periodic_reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace asterism::fmm {
namespace {

using std::numbers::pi;

/// Both sums of Ewald end where exp(-ewald_cut^2) is: 2e-15.
constexpr double ewald_cut = 5.8;

struct Potential {
  double value = 0;
  double x = 0, y = 0, z = 0;  ///< gradient
};

double nearest(double d, double width) {
  return d - width * std::round(d / width);
}

/// The images n >= first of a line, at distances u + n - first along and rho across, without what does not depend on
/// the place: Euler's and Maclaurin's formula of f = 1/R, R^2 = u^2 + rho^2, whose derivatives are
/// f^(l) = (-1)^l l! P_l(u / R) / R^(l + 1). Derivatives: along u, and along rho divided by rho.
struct Tail {
  double value, along, across;
};
Tail tail(double u, double rho2) {
  const double r = std::sqrt(u * u + rho2);
  const double c = u / r;
  Tail t{-std::log(u + r) + 0.5 / r, -1 / r - 0.5 * u / (r * r * r), -1 / (r * (u + r)) - 0.5 / (r * r * r)};
  constexpr double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730};
  double legendre[14] = {1, c};
  double slope[14] = {0, 1};
  for (int l = 1; l < 13; ++l) {
    legendre[l + 1] = ((2 * l + 1) * c * legendre[l] - l * legendre[l - 1]) / (l + 1);
    slope[l + 1] = slope[l - 1] + (2 * l + 1) * legendre[l];
  }
  double power = 1 / (r * r);  // R^-(l + 1)
  for (int k = 1; k <= 6; ++k, power /= r * r) {
    const int l = 2 * k - 1;
    const double factor = bernoulli[k - 1] / (2 * k) * power;
    t.value += factor * legendre[l];
    t.along -= factor * (l + 1) * legendre[l + 1] / r;
    t.across -= factor * (c * slope[l] + (l + 1) * legendre[l]) / (r * r);
  }
  return t;
}

/// A line of images along x with period 1, without a charge at distance 0.
Potential line_potential(double x, double y, double z) {
  constexpr int first = 16;
  const double rho2 = y * y + z * z;
  Potential sum;
  double across = 0;
  for (int n = 1 - first; n < first; ++n) {
    const double u = x + n;
    const double r2 = u * u + rho2;
    if (r2 == 0) continue;
    const double r = std::sqrt(r2);
    sum.value += 1 / r;
    sum.x -= u / (r2 * r);
    across -= 1 / (r2 * r);
  }
  const Tail right = tail(first + x, rho2);
  const Tail left = tail(first - x, rho2);
  sum.value += right.value + left.value;
  sum.x += right.along - left.along;
  across += right.across + left.across;
  sum.y = across * y;
  sum.z = across * z;
  return sum;
}

/// A sheet of such lines along y. Far from a line its potential is -ln rho^2, and the sum of these over all lines is
/// -ln(sinh^2 pi z + sin^2 pi y); lines farther than the ones here differ from it by exp(-2 pi rho).
Potential sheet_potential(double x, double y, double z) {
  constexpr int lines = 6;
  Potential sum;
  for (int m = -lines; m <= lines; ++m) {
    const Potential one = line_potential(x, y + m, z);
    sum.value += one.value;
    sum.x += one.x;
    sum.y += one.y;
    sum.z += one.z;
    if (m == 0) continue;
    const double rho2 = (y + m) * (y + m) + z * z;
    sum.value += std::log(rho2);
    sum.y += 2 * (y + m) / rho2;
    sum.z += 2 * z / rho2;
  }
  const double rho2 = y * y + z * z;
  constexpr double small = 1e-8;
  if (rho2 < small) {  // the two logarithms cancel
    sum.value -= 2 * std::log(pi) + pi * pi / 3 * (z * z - y * y);
    sum.y += 2 * pi * pi / 3 * y;
    sum.z -= 2 * pi * pi / 3 * z;
    return sum;
  }
  const double all = std::pow(std::sinh(pi * z), 2) + std::pow(std::sin(pi * y), 2);
  sum.value += std::log(rho2) - std::log(all);
  sum.y += 2 * y / rho2 - pi * std::sin(2 * pi * y) / all;
  sum.z += 2 * z / rho2 - pi * std::sinh(2 * pi * z) / all;
  return sum;
}

/// exp(2 pi i m x) for m = -most .. most.
std::vector<std::complex<double>> phases(double x, int most) {
  std::vector<std::complex<double>> result(static_cast<std::size_t>(2 * most) + 1);
  for (int m = -most; m <= most; ++m) result[static_cast<std::size_t>(m + most)] = std::polar(1.0, 2 * pi * m * x);
  return result;
}

}  // namespace

std::int64_t affordable_periodic_targets(const PeriodicBox& box, std::int64_t particles) {
  const double pairs = box.directions == 3 ? 1e7 : box.directions == 2 ? 5e5 : 5e6;
  constexpr std::int64_t fewest = 10;
  return std::clamp(static_cast<std::int64_t>(pairs / static_cast<double>(particles * box.count())),
                    std::min(particles, fewest), particles);
}

PeriodicReference::PeriodicReference(const Particles& particles, int directions, double width, double targets,
                                     std::size_t all)
    : particles_(particles), directions_(directions), width_(width) {
  if (directions_ < 3) return;
  choose_waves(static_cast<double>(all > 0 ? all : particles.size()), targets);
  add_structure();
}

/// The splitting parameter for which the two sums take about equally long.
void PeriodicReference::choose_waves(double n, double targets) {
  double least = INFINITY;
  double best = 0;
  for (double a = 3; a <= 16; ++a) {
    constexpr double slow = 10;  // an erfc, in terms of a wave
    const double images = std::max(8.0, 4 * pi / 3 * std::pow(ewald_cut / a + 0.5, 3));
    const double waves = 2 * pi / 3 * std::pow(ewald_cut * a / pi, 3);
    const double cost = slow * n * targets * images + waves * (n + targets);
    if (cost < least) {
      least = cost;
      best = a;
    }
  }
  alpha_ = best / width_;
  most_ = static_cast<int>(std::ceil(ewald_cut * best / pi));
  const double volume = width_ * width_ * width_;
  for (int i = 0; i <= most_; ++i)
    for (int j = -most_; j <= most_; ++j)
      for (int k = -most_; k <= most_; ++k) {
        if (i == 0 && (j < 0 || (j == 0 && k <= 0))) continue;
        const double k2 = std::pow(2 * pi / width_, 2) * (i * i + j * j + k * k);
        const double decay = k2 / (4 * alpha_ * alpha_);
        if (decay < ewald_cut * ewald_cut) waves_.push_back({i, j, k, 8 * pi / volume * std::exp(-decay) / k2, {}});
      }
}

void PeriodicReference::add_structure() {
#pragma omp parallel
  {
    std::vector<std::complex<double>> sums(waves_.size());
#pragma omp for schedule(static) nowait
    for (std::size_t j = 0; j < particles_.size(); ++j) {
      const auto x = phases(particles_.x[j] / width_, most_);
      const auto y = phases(particles_.y[j] / width_, most_);
      const auto z = phases(particles_.z[j] / width_, most_);
      for (std::size_t w = 0; w < waves_.size(); ++w) {
        const Wave& k = waves_[w];
        const auto at = [&](int m) { return static_cast<std::size_t>(m + most_); };
        sums[w] += particles_.charge[j] * (x[at(k.x)] * y[at(k.y)] * z[at(k.z)]);
      }
    }
#pragma omp critical
    for (std::size_t w = 0; w < waves_.size(); ++w) waves_[w].structure += sums[w];
  }
}

FieldSums PeriodicReference::ewald(double x, double y, double z) const {
  FieldSums sum;
  const double reach = ewald_cut / alpha_;
  const int images = static_cast<int>(std::ceil(reach / width_ + 0.5));
  for (std::size_t j = 0; j < particles_.size(); ++j) {
    const double q = particles_.charge[j];
    const double d[3] = {nearest(x - particles_.x[j], width_), nearest(y - particles_.y[j], width_),
                         nearest(z - particles_.z[j], width_)};
    for (int a = -images; a <= images; ++a)
      for (int b = -images; b <= images; ++b)
        for (int c = -images; c <= images; ++c) {
          const double r[3] = {d[0] + a * width_, d[1] + b * width_, d[2] + c * width_};
          const double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
          if (r2 > reach * reach) continue;
          if (r2 == 0) {
            sum.coincident += q;
            sum.potential -= q * 2 * alpha_ / std::sqrt(pi);
            continue;
          }
          const double distance = std::sqrt(r2);
          const double screened = std::erfc(alpha_ * distance) / distance;
          const double slope =
              (screened + 2 * alpha_ / std::sqrt(pi) * std::exp(-alpha_ * alpha_ * r2)) / r2;  // -(d/dr)/r
          sum.potential += q * screened;
          sum.fx += q * slope * r[0];
          sum.fy += q * slope * r[1];
          sum.fz += q * slope * r[2];
        }
  }
  const auto px = phases(x / width_, most_);
  const auto py = phases(y / width_, most_);
  const auto pz = phases(z / width_, most_);
  const auto at = [&](int m) { return static_cast<std::size_t>(m + most_); };
  for (const Wave& k : waves_) {
    const std::complex<double> term = px[at(k.x)] * py[at(k.y)] * pz[at(k.z)] * std::conj(k.structure);
    sum.potential += k.weight * term.real();
    const double along = k.weight * term.imag() * 2 * pi / width_;  // minus the gradient of the real part
    sum.fx += along * k.x;
    sum.fy += along * k.y;
    sum.fz += along * k.z;
  }
  return sum;
}

FieldSums PeriodicReference::at(double x, double y, double z) const {
  if (directions_ == 3) return ewald(x, y, z);
  FieldSums sum;
  for (std::size_t j = 0; j < particles_.size(); ++j) {
    const double q = particles_.charge[j];
    const double dx = nearest(x - particles_.x[j], width_) / width_;
    const double dz = (z - particles_.z[j]) / width_;
    double dy = y - particles_.y[j];
    dy = (directions_ == 2 ? nearest(dy, width_) : dy) / width_;
    const Potential p = directions_ == 2 ? sheet_potential(dx, dy, dz) : line_potential(dx, dy, dz);
    if (dx == 0 && dy == 0 && dz == 0) sum.coincident += q;
    sum.potential += q * p.value / width_;
    sum.fx -= q * p.x / (width_ * width_);
    sum.fy -= q * p.y / (width_ * width_);
    sum.fz -= q * p.z / (width_ * width_);
  }
  return sum;
}

}  // namespace asterism::fmm
