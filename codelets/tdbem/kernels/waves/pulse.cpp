// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/waves/pulse.hpp"

#include <numbers>

#include "base/error.hpp"

namespace asterism::tdbem {
namespace {

constexpr double negligible = 1e-16;

void require_positive(double value, const char* what) {
  if (!(value > 0 && std::isfinite(value))) bad_input("{} of the incident wave: {}, has to be positive", what, value);
}

}  // namespace

Pulse modulated_gaussian(double centre, double width, double frequency) {
  require_positive(width, "width");
  if (!(frequency >= 0 && std::isfinite(frequency)))
    bad_input("frequency of the incident wave: {}, must not be negative", frequency);
  if (!std::isfinite(centre)) bad_input("centre of the incident wave: {}, has to be finite", centre);
  return {PulseShape::modulated_gaussian, centre, width, frequency};
}

Pulse ricker(double centre, double peak_frequency) {
  require_positive(peak_frequency, "peak frequency");
  if (!std::isfinite(centre)) bad_input("centre of the incident wave: {}, has to be finite", centre);
  return {PulseShape::ricker, centre, std::numbers::sqrt2 / peak_frequency,
          0};  // where omega^2 exp(-(w omega)^2 / 2) peaks
}

std::complex<double> spectrum(const Pulse& pulse, double omega) {
  const double w = pulse.width;
  const std::complex<double> shift = std::polar(std::sqrt(2 * std::numbers::pi) * w, omega * pulse.centre);
  if (pulse.shape == PulseShape::ricker) return shift * (w * w * omega * omega * std::exp(-w * w * omega * omega / 2));
  const auto lobe = [&](double from) { return std::exp(-w * w * (omega - from) * (omega - from) / 2); };
  return shift * ((lobe(pulse.frequency) + lobe(-pulse.frequency)) / 2);
}

double half_duration(const Pulse& pulse) {
  // |f| <= (1 + u^2) exp(-u^2 / 2) for a Ricker pulse, <= exp(-u^2 / 2) for the other
  double square = -2 * std::log(negligible);
  if (pulse.shape == PulseShape::ricker)
    for (int n = 0; n < 20; ++n) square = 2 * (std::log1p(square) - std::log(negligible));
  return pulse.width * std::sqrt(square);
}

double bandwidth(const Pulse& pulse, double level) {
  if (!(level > 0 && level < 1)) bad_input("level of the bandwidth: {}, has to lie between 0 and 1", level);
  // each lobe alone: the other one adds less there than at the peak
  if (pulse.shape == PulseShape::modulated_gaussian)
    return pulse.frequency + std::sqrt(-2 * std::log(level)) / pulse.width;
  // q exp(-q / 2) = level * (2 / e), q = (w omega)^2 > 2: h(q) = q - 2 log q is convex and grows, so Newton's method
  // comes from above
  const double right = 2 - 2 * std::log(2 * level);
  double q = 4 + 2 * right;
  for (int n = 0; n < 50; ++n) q -= (q - 2 * std::log(q) - right) / (1 - 2 / q);
  return std::sqrt(q) / pulse.width;
}

IncidentWave plane_wave(const Pulse& pulse, const Point& direction, double speed) {
  const double length = norm(direction);
  if (!(length > 0 && std::isfinite(length)))
    bad_input("direction of the incident wave: ({}, {}, {}), must be a vector of some length", direction.x, direction.y,
              direction.z);
  require_positive(speed, "speed");
  return {pulse, (1 / length) * direction, speed, WaveKind::plane, {}};
}

IncidentWave monopole(const Pulse& pulse, const Point& source, double speed) {
  if (!std::isfinite(dot(source, source)))
    bad_input("monopole at ({}, {}, {}): expected finite numbers", source.x, source.y, source.z);
  require_positive(speed, "speed");
  return {pulse, {0, 0, 0}, speed, WaveKind::monopole, source};
}

}  // namespace asterism::tdbem
