// SPDX-License-Identifier: Apache-2.0
// Transforms of waveforms, as monitors have those of fields.
#pragma once

#include <complex>
#include <numbers>

#include "taskflows/fdtd/scene/to_problem.hpp"

namespace asterism::fdtd {

/// dt times the sum of w(t) exp(-2 pi i f t) over the middles of the steps.
inline std::complex<double> transform(const scene::Waveform& w, double frequency, double dt, long steps) {
  std::complex<double> sum = 0;
  for (long n = 0; n < steps; ++n) {
    const double t = (static_cast<double>(n) + 0.5) * dt;
    sum += dt * value(w, t) * std::polar(1.0, -2 * std::numbers::pi * frequency * t);
  }
  return sum;
}

}  // namespace asterism::fdtd
