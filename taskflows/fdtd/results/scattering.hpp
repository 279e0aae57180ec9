// SPDX-License-Identifier: Apache-2.0
// What the ports of a scene have seen: scattering parameters and the impedance into which the generator feeds.
#pragma once

#include <complex>
#include <filesystem>
#include <vector>

#include "taskflows/fdtd/scene/to_problem.hpp"
#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// At a frequency. Waves a = (V + R I) / (2 sqrt R) and b = (V - R I) / (2 sqrt R) of each port, R its resistance, I
/// into the domain, phasors at e^(+2 pi i f t). With the generator's voltage U at port g:
///   a_g = U / (2 sqrt R_g), S_gg = (2 V_g - U) / U, S_jg = 2 V_j / U sqrt(R_g / R_j), Z = R_g V_g / (U - V_g)
/// V is the mean of the voltages before and after a step, as the resistor's current is.
struct Scattering {
  double frequency = 0;                 ///< Hz
  std::complex<double> generator;       ///< transform of U, V s
  std::vector<std::complex<double>> s;  ///< S of each port from that of the generator
  std::complex<double> impedance;       ///< ohm, of the domain at the generator's port
};
/// At the scene's port frequencies, none without ports. `steps`: that were done.
std::vector<Scattering> scattering(const scene::Scene& scene, const SceneProblem& of,
                                   const std::vector<Spectrum>& spectra, long steps);
/// The port that has the generator.
std::size_t driven_port(const scene::Scene& scene);

/// CSV: frequency (Hz), level of the generator beside its largest (dB), impedance (ohm), and of each port the parameter
/// (dB and degrees, real and imaginary part). Throws Error.
void write_scattering(const std::filesystem::path& path, const scene::Scene& scene, const std::vector<Scattering>& all);
/// S of the ports in a file of write_scattering(), of a run of the same scene in which the other of its two ports was
/// driven. Throws Error (bad input) where it is not that.
std::vector<Scattering> read_scattering(const std::filesystem::path& path, const scene::Scene& scene);
/// Touchstone 1.1 of a scene with one port, or with two, where `other` is what read_scattering() gives. Throws Error.
void write_touchstone(const std::filesystem::path& path, const scene::Scene& scene, const std::vector<Scattering>& all,
                      const std::vector<Scattering>& other = {});

}  // namespace asterism::fdtd
