// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/results/fluxes.hpp"

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "taskflows/fdtd/results/read_number.hpp"

namespace asterism::fdtd {
namespace {

constexpr const char* header = "flux,frequency,power";

}  // namespace

std::vector<SceneFlux> fluxes(const scene::Scene& scene, const SceneProblem& of, const std::vector<Spectrum>& spectra) {
  const std::array<double, 3>& d = of.problem.spacing;
  std::vector<SceneFlux> all;
  for (const ScenePlane& s : of.planes) {
    const scene::Flux& flux_of = scene.fluxes[s.of];
    for (std::size_t f = 0; f < flux_of.frequencies.size(); ++f)
      all.push_back({flux_of.name, flux_of.frequencies[f],
                     flux(s.plane, spectra[s.first], spectra[s.first + 1], {d[0], d[1], d[2]}, static_cast<int>(f),
                          of.problem.mesh),
                     std::nullopt});
  }
  return all;
}

void write_fluxes(const std::filesystem::path& path, const std::vector<SceneFlux>& all) {
  OutputFile file(path);
  const bool normalised = !all.empty() && all[0].normalised.has_value();
  file.write(std::string(header) + (normalised ? ",normalised\n" : "\n"));
  for (const SceneFlux& flux : all) {
    file.write(fmt::format("{},{},{}", flux.name, flux.frequency, flux.power));
    file.write(normalised ? fmt::format(",{}\n", *flux.normalised) : "\n");
  }
  file.commit();
}

std::vector<SceneFlux> read_fluxes(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) bad_input("{}: cannot be read", path.string());
  if (!line.starts_with(header)) bad_input("{}: line 1: expected \"{}\" of a run with fluxes", path.string(), header);
  std::vector<SceneFlux> all;
  for (int number = 2; std::getline(file, line); ++number) {
    const std::string where = fmt::format("{}: line {}", path.string(), number);
    const std::size_t comma = line.find(',');
    if (comma == std::string::npos) bad_input("{}: found \"{}\"; expected {}", where, line, header);
    std::string_view rest = std::string_view(line).substr(comma + 1);
    SceneFlux flux{line.substr(0, comma), 0, 0, std::nullopt};
    flux.frequency = take_number(rest, where);
    flux.power = take_number(rest, where);
    all.push_back(flux);
  }
  return all;
}

std::vector<double> references(const scene::Scene& scene, const std::vector<SceneFlux>& other,
                               const std::string& file) {
  std::vector<double> found;
  for (const scene::Flux& flux : scene.fluxes)
    for (const double frequency : flux.frequencies) {
      const auto is_same = [&](const SceneFlux& f) { return f.name == flux.reference && f.frequency == frequency; };
      const auto at = std::find_if(other.begin(), other.end(), is_same);
      if (at == other.end())
        bad_input("{}: no flux {} at {} Hz, which normalises flux {}", file, flux.reference, frequency, flux.name);
      if (at->power == 0) bad_input("{}: flux {} at {} Hz is 0 and cannot normalise", file, flux.reference, frequency);
      found.push_back(at->power);
    }
  return found;
}

void normalise(std::vector<SceneFlux>& all, const std::vector<double>& references) {
  for (std::size_t n = 0; n < all.size(); ++n) all[n].normalised = all[n].power / references[n];
}

}  // namespace asterism::fdtd
