// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/sources/waveform.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace asterism::fdtd {
namespace {

void require_positive(double value, const char* what) {
  if (!(value > 0 && std::isfinite(value)))
    throw std::invalid_argument(std::string(what) + " of a waveform: " + std::to_string(value) +
                                ", has to be positive");
}

}  // namespace

void check(const Waveform& w) {
  if (w.pulse != Pulse::ricker) require_positive(w.width, "width");
  if (w.pulse != Pulse::gaussian && w.pulse != Pulse::differentiated_gaussian)
    require_positive(w.frequency, "frequency");
  if (!std::isfinite(w.amplitude) || !std::isfinite(w.delay) || !std::isfinite(w.phase))
    throw std::invalid_argument("amplitude, delay and phase of a waveform have to be finite");
}

double value(const Waveform& w, double t) {
  const double since = t - w.delay;
  const double u = since / w.width;
  const double phase = 2 * std::numbers::pi * w.frequency * since;
  switch (w.pulse) {
    case Pulse::gaussian:
      return w.amplitude * std::exp(-u * u);
    case Pulse::differentiated_gaussian:
      return -w.amplitude * std::sqrt(2 * std::numbers::e) * u * std::exp(-u * u);
    case Pulse::ricker:
      return w.amplitude * (1 - phase * phase / 2) * std::exp(-phase * phase / 4);
    case Pulse::modulated_gaussian:
      return w.amplitude * std::exp(-u * u) * std::sin(phase + w.phase);
    case Pulse::ramped_sine: {
      if (u <= 0) return 0;
      const double ramp = u < 1 ? (1 - std::cos(std::numbers::pi * u)) / 2 : 1;
      return w.amplitude * ramp * std::sin(phase + w.phase);
    }
  }
  throw std::invalid_argument("unknown pulse");
}

std::vector<double> sample(const Waveform& waveform, Moment moment, double dt, std::int64_t first, std::int32_t count) {
  std::vector<double> values;
  for (std::int32_t n = 0; n < count; ++n) values.push_back(value(waveform, time_of(moment, first + n, dt)));
  return values;
}

Waveform yee_bench_pulse() {
  constexpr double width = 2e-9;
  const double steepest = std::sqrt(2 / std::numbers::e) / width;  // of exp(-u^2), at u = -1 / sqrt(2)
  return {Pulse::differentiated_gaussian, -1e-10 * steepest, width, 3 * width, 0};
}

}  // namespace asterism::fdtd
