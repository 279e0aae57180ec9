// SPDX-License-Identifier: Apache-2.0
#include "apps/fdtd/results.hpp"

#include <algorithm>
#include <charconv>

#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::fdtd {

using namespace asterism::fdtd;

namespace {

void read_slice(const std::string& text, const Problem& p, scene::SliceOutput& slice) {
  const std::size_t axis = text.empty() ? std::string::npos : std::string("xyz").find(text[0]);
  if (axis == std::string::npos) bad_input("--slice {}: expected x, y or z, or x=K", text);
  slice.axis = axis;
  slice.index = p.cells[axis] / 2;
  if (text.size() > 1) {
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data() + std::min<std::size_t>(2, text.size()), end, slice.index);
    if (text[1] != '=' || error != std::errc{} || next != end)
      bad_input("--slice {}: expected x, y or z, or x=K", text);
  }
  if (slice.index < 0 || slice.index >= p.cells[axis])
    bad_input("--slice {}: expected a plane from 0 to {}", text, p.cells[axis] - 1);
}

void read_quantity(const std::string& text, scene::SliceOutput& slice) {
  const std::size_t axis = text.size() == 2 ? std::string("xyz").find(text[1]) : std::string::npos;
  const bool named = !text.empty() && (text[0] == 'E' || text[0] == 'H');
  if (!named || (text.size() != 1 && axis == std::string::npos))
    bad_input("--quantity {}: expected Ex to Hz, or E or H for a magnitude", text);
  const Field field = text[0] == 'E' ? Field::electric : Field::magnetic;
  if (text.size() == 1)
    slice.quantity = field;
  else
    slice.quantity = scene::Component{field, static_cast<std::int32_t>(axis)};
}

std::string stem(const std::string& file, bool empty) {
  return std::filesystem::path(file).stem().string() + (empty ? "_empty" : "");
}

}  // namespace

void add_outputs(const OutputOptions& options, const Problem& problem, Outputs& outputs) {
  if (!options.series.empty()) {
    scene::FieldOutput output;
    output.file = options.series;
    output.every = options.every;
    output.fields = {Field::electric, Field::magnetic};
    const std::string extension = output.file.extension().string();
    if (extension != ".pvd" && extension != ".vtkhdf" && extension != ".h5")
      bad_input("--output {}: expected {}", options.series, output::series_names);
    require_writable("--output", options.series);
    outputs.fields.push_back(output);
  }
  if (!options.picture.empty()) {
    scene::SliceOutput slice{};
    slice.file = options.picture;
    slice.every = options.every;
    slice.zoom = options.zoom;
    slice.plain = options.plain;
    read_slice(options.slice, problem, slice);
    read_quantity(options.quantity, slice);
    require_writable("--png", options.picture);
    outputs.slices.push_back(slice);
  }
  if (options.every > 0 && options.series.empty() && options.picture.empty())
    bad_input("--every {}: there is neither --output nor --png", options.every);
}

std::string probes_file(const std::string& scene, bool empty) {
  return stem(scene, empty) + "_probes.csv";
}

std::string LoadedScene::monitors_file() const {
  return scene.monitors.empty() ? std::string{} : stem(file, empty) + "_monitors.h5";
}
std::string LoadedScene::far_field_file() const {
  return scene.far_fields.empty() ? std::string{} : stem(file, empty) + "_far_field.csv";
}

std::string LoadedScene::fluxes_file() const {
  return scene.fluxes.empty() ? std::string{} : stem(file, empty) + "_fluxes.csv";
}

std::string LoadedScene::probe_spectra_file() const {
  const bool has_some = std::ranges::any_of(scene.probes, [](const scene::Probe& p) { return !p.frequencies.empty(); });
  return has_some ? stem(file, empty) + "_probe_spectra.csv" : std::string{};
}
std::string LoadedScene::ports_file() const {
  const std::string base = stem(file, empty) + (driven.empty() ? "" : "_" + driven);
  return scene.ports.empty() ? std::string{} : base + "_ports.csv";
}
std::string LoadedScene::touchstone_file() const {
  if (!other_ports.empty()) return stem(file, empty) + ".s2p";
  return scene.ports.size() == 1 ? stem(file, empty) + ".s1p" : std::string{};
}

std::vector<std::string> LoadedScene::write(const Simulation& simulation) {
  std::vector<std::string> names;
  for (const std::string& name :
       {monitors_file(), far_field_file(), fluxes_file(), probe_spectra_file(), ports_file(), touchstone_file()})
    if (!name.empty()) names.push_back(name);
  if (names.empty()) return names;
  const std::vector<Spectrum> spectra = simulation.spectra();
  if (!rank_group().is_root()) return names;  // it has no spectra
  const long steps = simulation.time();
  if (!scene.monitors.empty()) write_monitors(monitors_file(), scene, problem, spectra);
  far_fields = asterism::fdtd::far_fields(scene, problem, spectra, steps);
  if (!scene.far_fields.empty()) write_far_fields(far_field_file(), far_fields);
  fluxes = asterism::fdtd::fluxes(scene, problem, spectra);
  if (!references.empty()) normalise(fluxes, references);
  if (!scene.fluxes.empty()) write_fluxes(fluxes_file(), fluxes);
  if (!probe_spectra_file().empty()) write_probe_spectra(probe_spectra_file(), probe_spectra);
  ports = scattering(scene, problem, spectra, steps);
  if (!scene.ports.empty()) write_scattering(ports_file(), scene, ports);
  if (!touchstone_file().empty()) write_touchstone(touchstone_file(), scene, ports, other_ports);
  return names;
}

LoadedScene load_scene(const std::string& file, bool empty, const OtherRuns& others,
                       const scene::Overrides& overrides) {
  LoadedScene loaded;
  loaded.file = file;
  loaded.empty = empty;
  loaded.scene = scene::read_scene(file, overrides);
  if (empty) loaded.scene.geometry.clear();
  loaded.driven = overrides.drive;
  if (!others.fluxes.empty()) {
    if (loaded.scene.fluxes.empty()) bad_input("--normalise {}: {} has no fluxes", others.fluxes, file);
    loaded.references = references(loaded.scene, read_fluxes(others.fluxes), others.fluxes);
  }
  if (!others.ports.empty()) loaded.other_ports = read_scattering(others.ports, loaded.scene);
  loaded.problem = make_problem(loaded.scene);
  const auto writable = [&](const std::string& name) {
    if (!name.empty()) require_writable(file, name);
  };
  for (const scene::FieldOutput& output : loaded.scene.field_outputs) writable(output.file.string());
  for (const scene::SliceOutput& output : loaded.scene.slice_outputs) writable(output.file.string());
  writable(loaded.monitors_file());
  writable(loaded.far_field_file());
  writable(loaded.fluxes_file());
  writable(loaded.probe_spectra_file());
  writable(loaded.ports_file());
  writable(loaded.touchstone_file());
  return loaded;
}

}  // namespace asterism::apps::fdtd
