// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/results/probe_spectra.hpp"

#include <fmt/format.h>

#include <numbers>

#include "io/output_file.hpp"

namespace asterism::fdtd {

std::vector<ProbeSpectrum> probe_spectra(const scene::Scene& scene, const SceneProblem& of,
                                         const std::vector<double>& values) {
  std::vector<ProbeSpectrum> all;
  const std::size_t probes = of.problem.probes.size();
  const double dt = of.problem.dt;
  std::size_t number = 0;
  for (const scene::Probe& probe : scene.probes)
    for (const scene::Component& component : probe.components) {
      const double after = component.field == Field::electric ? 1 : 0.5;  // in steps
      for (const double frequency : probe.frequencies) {
        std::complex<double> sum = 0;
        for (std::size_t n = 0; (n + 1) * probes <= values.size(); ++n) {
          const double t = (static_cast<double>(n) + after) * dt;
          sum += dt * values[n * probes + number] * std::polar(1.0, -2 * std::numbers::pi * frequency * t);
        }
        all.push_back({of.probe_names[number], frequency, sum});
      }
      ++number;
    }
  return all;
}

void write_probe_spectra(const std::filesystem::path& path, const std::vector<ProbeSpectrum>& all) {
  OutputFile file(path);
  file.write("probe,frequency,real,imag,magnitude\n");
  for (const ProbeSpectrum& s : all)
    file.write(
        fmt::format("{},{},{},{},{}\n", s.probe, s.frequency, s.value.real(), s.value.imag(), std::abs(s.value)));
  file.commit();
}

}  // namespace asterism::fdtd
