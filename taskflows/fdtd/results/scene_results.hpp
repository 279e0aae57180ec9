// SPDX-License-Identifier: Apache-2.0
// What a scene's monitors and far fields have seen, as files.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "taskflows/fdtd/scene/to_problem.hpp"
#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// HDF5: a group for each monitor with "frequencies" (Hz) and, for each component, "Ex_real" and "Ex_imag"
/// [frequency][x][y][z]: transforms of the field, its unit times s, exp(+i w t). Throws Error.
void write_monitors(const std::filesystem::path& path, const scene::Scene& scene, const SceneProblem& of,
                    const std::vector<Spectrum>& spectra);

/// The far field of a scene's surface at a frequency in a direction.
struct SceneFarField {
  std::size_t of = 0;  ///< number of the scene's far field
  double frequency = 0;
  Towards towards{};
  FarField field;
  double radiated = 0;
  double directivity = 0;
  std::optional<double> scattering;  ///< m^2, with one plane wave: radiated power by its power per area
  std::optional<double> radar;       ///< m^2, with one plane wave: 4 pi times power per solid angle instead
};
/// Those of a scene, in the order of far fields, frequencies and directions. `steps`: that were done.
std::vector<SceneFarField> far_fields(const scene::Scene& scene, const SceneProblem& of,
                                      const std::vector<Spectrum>& spectra, long steps);

/// CSV: a line for each far field, frequency and direction with E r exp(i k r) along theta and phi (V/m m s), the
/// transform of the power through the surface (J/Hz times 1/4) and the directivity; with one plane wave also its
/// scattering and radar cross-sections (m^2). Throws Error.
void write_far_fields(const std::filesystem::path& path, const std::vector<SceneFarField>& all);

}  // namespace asterism::fdtd
