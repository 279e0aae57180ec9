// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/results/scene_results.hpp"

#include <cmath>

#include "base/angles.hpp"
#include "base/error.hpp"
#include "io/hdf5/file.hpp"
#include "io/output_file.hpp"
#include "taskflows/fdtd/results/transform.hpp"

namespace asterism::fdtd {
namespace {

std::vector<std::size_t> shape_of(const Monitor& monitor, const Box& b) {
  const auto length = [](std::int32_t first, std::int32_t end) { return static_cast<std::size_t>(end - first); };
  return {monitor.frequencies.size(), length(b.x0, b.x1), length(b.y0, b.y1), length(b.z0, b.z1)};
}

void write_component(Hdf5Output& file, const std::string& name, const Spectrum& spectrum, int m) {
  const Monitor& monitor = spectrum.monitor;
  const Box& b = monitor.components[static_cast<std::size_t>(m)].entries;
  std::vector<double> real, imaginary;
  for (int f = 0; f < static_cast<int>(monitor.frequencies.size()); ++f)
    for (int i = b.x0; i < b.x1; ++i)
      for (int j = b.y0; j < b.y1; ++j) {
        const SpectrumRow row = spectrum.row(m, f, i, j);
        real.insert(real.end(), row.real, row.real + (b.z1 - b.z0));
        imaginary.insert(imaginary.end(), row.imaginary, row.imaginary + (b.z1 - b.z0));
      }
  file.write(name + "_real", shape_of(monitor, b), std::span<const double>(real));
  file.write(name + "_imag", shape_of(monitor, b), std::span<const double>(imaginary));
}

}  // namespace

void write_monitors(const std::filesystem::path& path, const scene::Scene& scene, const SceneProblem& of,
                    const std::vector<Spectrum>& spectra) {
  Hdf5Output file(path);
  for (std::size_t n = 0; n < scene.monitors.size(); ++n) {
    const std::vector<double>& frequencies = scene.monitors[n].frequencies;
    file.write(scene.monitors[n].name + "/frequencies", {frequencies.size()}, std::span<const double>(frequencies));
  }
  for (const SceneMonitor& m : of.monitors) {
    const Spectrum& spectrum = spectra[m.monitor];
    for (std::size_t c = 0; c < spectrum.monitor.components.size(); ++c)
      write_component(file,
                      scene.monitors[m.of].name + "/" + (spectrum.monitor.field == Field::electric ? "E" : "H") +
                          "xyz"[spectrum.monitor.components[c].component],
                      spectrum, static_cast<int>(c));
  }
  file.commit();
}

std::vector<SceneFarField> far_fields(const scene::Scene& scene, const SceneProblem& of,
                                      const std::vector<Spectrum>& spectra, long steps) {
  const Problem& p = of.problem;
  const bool one_wave = scene.plane_waves.size() == 1 && scene.dipoles.empty();
  Surroundings around{{p.spacing[0], p.spacing[1], p.spacing[2]}, p.eps0, p.mu0, {}, p.mesh};
  for (std::size_t a = 0; a < 3; ++a) around.centre[a] = -scene.grid.origin[a] / p.spacing[a];
  std::vector<SceneFarField> all;
  for (const SceneSurface& s : of.surfaces) {
    SurfaceSpectra seen(s.surface);
    for (std::size_t plane = 0; plane < 6; ++plane) {
      seen.electric[plane] = spectra[s.first + 2 * plane];
      seen.magnetic[plane] = spectra[s.first + 2 * plane + 1];
    }
    const scene::FarField& far = scene.far_fields[s.of];
    std::vector<Towards> directions;
    for (const auto& d : far.directions) directions.push_back({d.theta, d.phi});
    for (std::size_t f = 0; f < far.frequencies.size(); ++f) {
      const int frequency = static_cast<int>(f);
      const std::vector<FarField> fields = far_field(s.surface, seen, around, frequency, directions);
      const double power = radiated(s.surface, seen, around.spacing, frequency, p.mesh);
      const std::size_t first = all.size();
      for (std::size_t d = 0; d < directions.size(); ++d)
        all.push_back({s.of, far.frequencies[f], directions[d], fields[d], power, directivity(fields[d], around, power),
                       std::nullopt, std::nullopt});
      if (!one_wave) continue;
      const std::complex<double> incident = transform(scene.plane_waves[0].waveform, far.frequencies[f], p.dt, steps);
      for (std::size_t d = first; d < all.size(); ++d) {
        all[d].scattering = power / (std::norm(incident) / (2 * std::sqrt(p.mu0 / p.eps0)));
        all[d].radar = radar_cross_section(all[d].field, incident);
      }
    }
  }
  return all;
}

void write_far_fields(const std::filesystem::path& path, const std::vector<SceneFarField>& all) {
  OutputFile file(path);
  const bool scatters = !all.empty() && all[0].scattering.has_value();
  file.write("far_field,frequency,theta,phi,e_theta_real,e_theta_imag,e_phi_real,e_phi_imag,radiated,directivity");
  file.write(scatters ? ",scattering_cross_section,radar_cross_section\n" : "\n");
  for (const SceneFarField& far : all) {
    file.write(fmt::format("{},{},{},{},{},{},{},{},{},{}", far.of, far.frequency, far.towards.theta / degree,
                           far.towards.phi / degree, far.field.theta.real(), far.field.theta.imag(),
                           far.field.phi.real(), far.field.phi.imag(), far.radiated, far.directivity));
    file.write(scatters ? fmt::format(",{},{}\n", *far.scattering, *far.radar) : "\n");
  }
  file.commit();
}

}  // namespace asterism::fdtd
