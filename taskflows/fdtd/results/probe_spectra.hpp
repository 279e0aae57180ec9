// SPDX-License-Identifier: Apache-2.0
// Transforms of what the probes of a scene have seen.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "taskflows/fdtd/scene/to_problem.hpp"

namespace asterism::fdtd {

struct ProbeSpectrum {
  std::string probe;           ///< "gap.Ez"
  double frequency = 0;        ///< Hz
  std::complex<double> value;  ///< dt times the sum of the values times exp(-2 pi i f t): V/m s or A/m s
};
/// Transforms of the scene's probes with frequencies, in their order. `values`: steps x probes, as
/// Simulation::probe_values has them, E at the end of a step and H in its middle.
std::vector<ProbeSpectrum> probe_spectra(const scene::Scene& scene, const SceneProblem& of,
                                         const std::vector<double>& values);
/// CSV: probe, frequency, real and imaginary part, magnitude. Throws Error.
void write_probe_spectra(const std::filesystem::path& path, const std::vector<ProbeSpectrum>& all);

}  // namespace asterism::fdtd
