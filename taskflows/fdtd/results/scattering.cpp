// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/results/scattering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/angles.hpp"
#include "io/output_file.hpp"
#include "taskflows/fdtd/results/transform.hpp"

namespace asterism::fdtd {
namespace {

using Complex = std::complex<double>;

double decibels(const Complex& z) {
  return 20 * std::log10(std::abs(z));
}

/// Upper end over lower end: against E.
Complex voltage(const Problem& p, const Spectrum& spectrum, int frequency) {
  const auto& [axis, b] = spectrum.monitor.components[0];
  Complex sum = 0;
  for (int i = b.x0; i < b.x1; ++i)
    for (int j = b.y0; j < b.y1; ++j)
      for (int k = b.z0; k < b.z1; ++k)
        sum -= length_of(p, Field::electric, axis, axis, {i, j, k}) * spectrum.at(0, frequency, i, j, k);
  return sum;
}

}  // namespace

std::size_t driven_port(const scene::Scene& scene) {
  const auto driven = [](const scene::Port& p) { return p.waveform.has_value(); };
  return static_cast<std::size_t>(std::find_if(scene.ports.begin(), scene.ports.end(), driven) - scene.ports.begin());
}

std::vector<Scattering> scattering(const scene::Scene& scene, const SceneProblem& of,
                                   const std::vector<Spectrum>& spectra, long steps) {
  std::vector<Scattering> all;
  if (scene.ports.empty()) return all;
  const Problem& p = of.problem;
  const std::size_t driven = driven_port(scene);
  const double resistance = scene.ports[driven].resistance;
  for (std::size_t f = 0; f < scene.port_frequencies.size(); ++f) {
    Scattering at;
    at.frequency = scene.port_frequencies[f];
    at.generator = transform(*scene.ports[driven].waveform, at.frequency, p.dt, steps);
    const double mean = std::cos(std::numbers::pi * at.frequency * p.dt);
    for (std::size_t n = 0; n < scene.ports.size(); ++n) {
      const scene::Port& port = scene.ports[n];
      const Complex v = mean * voltage(p, spectra[of.ports[n].monitor], static_cast<int>(f));
      at.s.push_back(2.0 * v / at.generator * std::sqrt(resistance / port.resistance));
      if (n != driven) continue;
      at.s.back() -= 1.0;
      at.impedance = resistance * v / (at.generator - v);
    }
    all.push_back(at);
  }
  return all;
}

void write_scattering(const std::filesystem::path& path, const scene::Scene& scene,
                      const std::vector<Scattering>& all) {
  OutputFile file(path);
  file.write("frequency,generator_db,impedance_real,impedance_imag");
  for (const scene::Port& port : scene.ports)
    file.write(fmt::format(",{0}.s_db,{0}.s_deg,{0}.s_real,{0}.s_imag", port.name));
  file.write("\n");
  double largest = 0;
  for (const Scattering& at : all) largest = std::max(largest, std::abs(at.generator));
  for (const Scattering& at : all) {
    file.write(fmt::format("{},{:.6g},{:.9g},{:.9g}", at.frequency, decibels(at.generator / largest),
                           at.impedance.real(), at.impedance.imag()));
    for (const Complex& s : at.s)
      file.write(fmt::format(",{:.9g},{:.9g},{:.9g},{:.9g}", decibels(s), std::arg(s) / degree, s.real(), s.imag()));
    file.write("\n");
  }
  file.commit();
}

void write_touchstone(const std::filesystem::path& path, const scene::Scene& scene,
                      const std::vector<Scattering>& all) {
  OutputFile file(path);
  file.write(fmt::format("! port {}\n# HZ S RI R {}\n", scene.ports[0].name, scene.ports[0].resistance));
  for (const Scattering& at : all)
    file.write(fmt::format("{} {:.9g} {:.9g}\n", at.frequency, at.s[0].real(), at.s[0].imag()));
  file.commit();
}

}  // namespace asterism::fdtd
