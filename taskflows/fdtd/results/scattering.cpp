// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/results/scattering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>
#include <string_view>

#include "base/angles.hpp"
#include "base/error.hpp"
#include "io/output_file.hpp"
#include "taskflows/fdtd/results/read_number.hpp"
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

std::vector<Scattering> read_scattering(const std::filesystem::path& path, const scene::Scene& scene) {
  const std::string name = path.string();
  if (scene.ports.size() != 2)
    bad_input("{}: the scene has {} ports; expected two, of which the other was driven", name, scene.ports.size());
  if (scene.ports[0].resistance != scene.ports[1].resistance)
    bad_input("{}: ports of {} and {} ohm; expected one resistance, as Touchstone has", name, scene.ports[0].resistance,
              scene.ports[1].resistance);
  std::ifstream file(path);
  std::string line, header = "frequency,generator_db,impedance_real,impedance_imag";
  for (const scene::Port& port : scene.ports)
    header += fmt::format(",{0}.s_db,{0}.s_deg,{0}.s_real,{0}.s_imag", port.name);
  if (!file || !std::getline(file, line)) bad_input("{}: cannot be read", name);
  if (line != header) bad_input("{}: line 1: expected \"{}\", as of a run of this scene", name, header);
  const std::size_t driven = 1 - driven_port(scene);
  const double resistance = scene.ports[driven].resistance;
  std::vector<Scattering> all;
  for (std::size_t f = 0; f < scene.port_frequencies.size(); ++f) {
    const std::string where = fmt::format("{}: line {}", name, f + 2);
    if (!std::getline(file, line))
      bad_input("{}: found none; expected {} frequencies", where, scene.port_frequencies.size());
    std::string_view rest = line;
    const auto take = [&] { return take_number(rest, where); };
    Scattering at;
    at.frequency = take();
    if (at.frequency != scene.port_frequencies[f])
      bad_input("{}: found {} Hz; expected {} Hz, as in the scene", where, at.frequency, scene.port_frequencies[f]);
    take();
    const double real = take();
    at.impedance = {real, take()};
    for (std::size_t n = 0; n < 2; ++n) {
      take();
      take();
      const double part = take();
      at.s.emplace_back(part, take());
    }
    constexpr double digits = 1e-6;  // of the file
    if (std::abs(at.s[driven] * (at.impedance + resistance) - (at.impedance - resistance)) >
        digits * (std::abs(at.impedance) + resistance))
      bad_input(
          "{}: S of port {} is not that of its impedance; expected a run in which that port was driven (--drive {})",
          where, scene.ports[driven].name, scene.ports[driven].name);
    all.push_back(at);
  }
  return all;
}

void write_touchstone(const std::filesystem::path& path, const scene::Scene& scene, const std::vector<Scattering>& all,
                      const std::vector<Scattering>& other) {
  OutputFile file(path);
  const auto write = [&](const Complex& s) { file.write(fmt::format(" {:.9g} {:.9g}", s.real(), s.imag())); };
  file.write(scene.ports.size() == 1 ? fmt::format("! port {}\n", scene.ports[0].name)
                                     : fmt::format("! ports {}, {}\n", scene.ports[0].name, scene.ports[1].name));
  file.write(fmt::format("# HZ S RI R {}\n", scene.ports[0].resistance));
  for (std::size_t f = 0; f < all.size(); ++f) {
    file.write(fmt::format("{}", all[f].frequency));
    if (other.empty()) {
      write(all[f].s[0]);
    } else {  // S11, S21, S12, S22
      const bool is_first = driven_port(scene) == 0;
      const Scattering &first = is_first ? all[f] : other[f], &second = is_first ? other[f] : all[f];
      for (const Scattering* column : {&first, &second})
        for (const Complex& s : column->s) write(s);
    }
    file.write("\n");
  }
  file.commit();
}

}  // namespace asterism::fdtd
