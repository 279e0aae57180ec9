// SPDX-License-Identifier: Apache-2.0
// Incident waves, whose pulse f is smooth, short in time and in frequency: the plane wave p(x, t) = f(t - d.x / c), and
// the monopole p(x, t) = (1 m) f(t - r / c) / r, r = |x - x_0|, whose pressure has the pulse's peak 1 at 1 m.
// Both pulses are of the Gaussian g(s) = exp(-s^2 / (2 w^2)), s = t - t0, so their spectra are known in closed form.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

#include "base/host_device.hpp"
#include "codelets/tdbem/kernels/point.hpp"

namespace asterism::tdbem {

enum class PulseShape : std::uint8_t {
  modulated_gaussian,  ///< g(s) cos(omega s)
  ricker,              ///< (1 - s^2 / w^2) g(s) = -w^2 g''(s)
};

struct Pulse {
  PulseShape shape = PulseShape::modulated_gaussian;
  double centre = 0;     ///< t0, s: where f is 1, its peak
  double width = 1;      ///< w, s
  double frequency = 0;  ///< omega, rad/s; of a modulated Gaussian
};

/// Throw Error (bad_input) for widths and peak frequencies that are not positive, anything that is not finite, and
/// a negative frequency of the carrier.
Pulse modulated_gaussian(double centre, double width, double frequency);
/// Its spectrum is highest at `peak_frequency` (rad/s).
Pulse ricker(double centre, double peak_frequency);

/// f(t)
ASTERISM_HOST_DEVICE inline double value(const Pulse& pulse, double t) {
  const double s = t - pulse.centre;
  const double u = s / pulse.width;
  const double g = exp(-u * u / 2);
  return pulse.shape == PulseShape::ricker ? (1 - u * u) * g : g * cos(pulse.frequency * s);
}

/// f'(t), 1/s
ASTERISM_HOST_DEVICE inline double derivative(const Pulse& pulse, double t) {
  const double s = t - pulse.centre;
  const double u = s / pulse.width;
  const double g = exp(-u * u / 2);
  if (pulse.shape == PulseShape::ricker) return u * (u * u - 3) / pulse.width * g;
  return -g * (u / pulse.width * cos(pulse.frequency * s) + pulse.frequency * sin(pulse.frequency * s));
}

/// F(omega) = integral of f(t) exp(i omega t) dt, s: f(t) = integral of F(omega) exp(-i omega t) d omega / (2 pi).
std::complex<double> spectrum(const Pulse& pulse, double omega);

/// Half the time outside of which |f| stays below 1e-16 of its peak: f counts as zero before centre - half_duration().
double half_duration(const Pulse& pulse);
inline double start(const Pulse& pulse) {
  return pulse.centre - half_duration(pulse);
}

/// A frequency (rad/s) above which the spectrum stays below `level` of its peak, 0 < level < 1. A time step has to
/// resolve it.
double bandwidth(const Pulse& pulse, double level);

enum class WaveKind : std::uint8_t { plane, monopole };

/// Plain data, for arguments of tasks and kernels.
struct IncidentWave {
  Pulse pulse;                  ///< at the origin, or as it leaves the monopole
  Point direction = {0, 0, 1};  ///< d, unit: where the plane wave goes to; 0 of a monopole
  double speed = 1;             ///< c, m/s
  WaveKind kind = WaveKind::plane;
  Point source = {};  ///< x_0, of the monopole, m

  [[nodiscard]] ASTERISM_HOST_DEVICE double delay(const Point& x) const {
    return kind == WaveKind::plane ? dot(direction, x) / speed : norm(x - source) / speed;
  }
  /// What the pulse is multiplied with at x.
  [[nodiscard]] ASTERISM_HOST_DEVICE double amplitude(const Point& x) const {
    return kind == WaveKind::plane ? 1 : 1 / norm(x - source);
  }
};
/// `direction` of any length but zero. Throws Error (bad_input) for that, and for a speed that is not positive.
IncidentWave plane_wave(const Pulse& pulse, const Point& direction, double speed);

/// Throws Error (bad_input) for a source that is not finite, and for a speed that is not positive.
IncidentWave monopole(const Pulse& pulse, const Point& source, double speed);

/// p(x, t); infinite or not a number where a monopole is.
ASTERISM_HOST_DEVICE inline double pressure(const IncidentWave& wave, const Point& x, double t) {
  return wave.amplitude(x) * value(wave.pulse, t - wave.delay(x));
}

}  // namespace asterism::tdbem
