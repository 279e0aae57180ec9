// SPDX-License-Identifier: Apache-2.0
// The time functions of sources.
#pragma once

#include <cstdint>
#include <vector>

namespace asterism::fdtd {

/// With u = (t - delay) / width:
enum class Pulse : std::uint8_t {
  gaussian,                 ///< exp(-u^2)
  differentiated_gaussian,  ///< -sqrt(2e) u exp(-u^2): the derivative of it, scaled to a peak of 1
  ricker,                   ///< (1 - 2a) exp(-a), a = (pi frequency (t - delay))^2: spectrum highest at the frequency
  modulated_gaussian,       ///< exp(-u^2) sin(2 pi frequency (t - delay))
  ramped_sine,              ///< sin(2 pi frequency (t - delay)) from `delay` on, times a raised cosine until u = 1
};

struct Waveform {
  Pulse pulse = Pulse::gaussian;
  double amplitude = 1;  ///< of the peak, in the unit of what it drives
  double width = 0;      ///< s; not of a Ricker pulse
  double delay = 0;      ///< s
  double frequency = 0;  ///< Hz; not of a Gaussian and its derivative
  double phase = 0;      ///< rad, of the sine of a modulated Gaussian and of a ramped sine
};

/// Throws std::invalid_argument if a width or frequency that the pulse has is not positive, or anything is not finite.
void check(const Waveform& waveform);

double value(const Waveform& waveform, double t);

/// Moments of a time step dt: with E, at n dt; or with H and currents, at (n + 1/2) dt.
enum class Moment : std::uint8_t { whole, half };
constexpr double time_of(Moment moment, std::int64_t step, double dt) {
  return (static_cast<double>(step) + (moment == Moment::half ? 0.5 : 0.0)) * dt;
}

/// At steps first, first + 1, ...
std::vector<double> sample(const Waveform& waveform, Moment moment, double dt, std::int64_t first, std::int32_t count);

/// The current moment, A m, of Yee_bench's source: the rate of the dipole moment 1e-10 exp(-((t - 3T) / T)^2), T = 2
/// ns, negative as Yee_bench adds it to E; sampled at whole steps, from 1 on.
Waveform yee_bench_pulse();

}  // namespace asterism::fdtd
