// SPDX-License-Identifier: Apache-2.0
// Frequency and quality factor of a resonance from the free decay of a probe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "taskflows/fdtd/scene/to_problem.hpp"

namespace asterism::fdtd {

struct Resonance {
  double frequency = 0;  ///< Hz
  double quality = 0;    ///< Q: 2 pi times the energy by what a period loses of it
  double residual = 0;   ///< root mean square of what one decaying oscillation does not explain, by that of all
};

/// Fits x(t) = exp(-s t) cos(w t + p) to values that are dt apart, by linear prediction: with q steps in about a
/// quarter of a period, b = exp(-2 s q dt) and a = 2 exp(-s q dt) cos(w q dt),
///   x(n + q) = a x(n) - b x(n - q)
/// with least squares over all n. Q = w / (2 s). None where there are fewer than three periods, or no decay.
std::optional<Resonance> fit_ringdown(std::span<const double> values, double dt);

struct Ringdown {
  std::string probe;  ///< "cavity.Ex"
  double after = 0;   ///< s, from when on
  std::optional<Resonance> resonance;
};
/// The scene's probes that have one. `values`: steps x probes, as Simulation::probe_values has them.
std::vector<Ringdown> ringdowns(const scene::Scene& scene, const SceneProblem& of, const std::vector<double>& values);

}  // namespace asterism::fdtd
