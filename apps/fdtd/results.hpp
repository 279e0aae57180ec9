// SPDX-License-Identifier: Apache-2.0
// What a run of a scene, or with --output and --png, leaves in files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taskflows/fdtd/fields/field_files.hpp"
#include "taskflows/fdtd/results/fluxes.hpp"
#include "taskflows/fdtd/results/probe_spectra.hpp"
#include "taskflows/fdtd/results/ringdown.hpp"
#include "taskflows/fdtd/results/scattering.hpp"
#include "taskflows/fdtd/results/scene_results.hpp"

namespace asterism::apps::fdtd {

/// --output, --every, --png, --slice, --quantity, --zoom, --plain.
struct OutputOptions {
  std::string series;
  long every = 0;
  std::string picture;
  std::string slice = "z";  ///< or "z=K"
  std::string quantity = "E";
  int zoom = 0;        ///< 0: as the picture needs
  bool plain = false;  ///< --png without title, axes and colour bar
};

struct Outputs {
  std::array<double, 3> origin{};  ///< of the domain, m
  std::vector<asterism::fdtd::scene::FieldOutput> fields;
  std::vector<asterism::fdtd::scene::SliceOutput> slices;
};

/// Adds what the options ask for. Throws Error (bad input).
void add_outputs(const OutputOptions& options, const asterism::fdtd::Problem& problem, Outputs& outputs);

/// NAME_probes.csv in the working directory, of a scene with probes when no --probes names another file; with --empty
/// NAME_empty_probes.csv.
std::string probes_file(const std::string& scene, bool empty);

/// A scene, with the name of its file.
struct LoadedScene {
  std::string file;
  bool empty = false;  ///< without its bodies: names of files have NAME_empty
  std::string driven;  ///< port that has the generator instead of that of the scene: NAME_PORT_ports.csv
  asterism::fdtd::scene::Scene scene;
  asterism::fdtd::SceneProblem problem;
  std::vector<asterism::fdtd::Scattering> ports;          ///< on rank 0, once they are written
  std::vector<asterism::fdtd::SceneFarField> far_fields;  ///< once they are written

  std::vector<asterism::fdtd::Scattering> other_ports;  ///< of a run in which the other of two is driven; else none

  std::vector<double> references;                 ///< that normalise its fluxes; empty: none do
  std::vector<asterism::fdtd::SceneFlux> fluxes;  ///< once they are written

  std::vector<asterism::fdtd::Ringdown> ringdowns;  ///< once the steps are done

  std::vector<asterism::fdtd::ProbeSpectrum> probe_spectra;  ///< once the steps are done

  /// NAME_monitors.h5, NAME_far_field.csv, NAME_fluxes.csv, NAME_probe_spectra.csv, NAME_ports.csv and NAME.s1p or
  /// NAME.s2p in the working directory; empty where there are none.
  [[nodiscard]] std::string monitors_file() const;
  [[nodiscard]] std::string far_field_file() const;
  [[nodiscard]] std::string fluxes_file() const;
  [[nodiscard]] std::string probe_spectra_file() const;
  [[nodiscard]] std::string ports_file() const;
  [[nodiscard]] std::string touchstone_file() const;
  /// Writes them, over several ranks on rank 0, though all have to call it; returns their names.
  [[nodiscard]] std::vector<std::string> write(const asterism::fdtd::Simulation& simulation);
};
/// Files of other runs, or "": that normalises the fluxes, that has the other port driven.
struct OtherRuns {
  std::string fluxes, ports;
};
/// Without its bodies if `empty`, with `overrides`. Throws Error (bad input), also when results could not be written.
LoadedScene load_scene(const std::string& file, bool empty, const OtherRuns& others,
                       const asterism::fdtd::scene::Overrides& overrides);

}  // namespace asterism::apps::fdtd
