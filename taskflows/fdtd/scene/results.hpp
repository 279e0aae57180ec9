// SPDX-License-Identifier: Apache-2.0
// What a scene's monitors and far fields have seen, as files.
#pragma once

#include <filesystem>

#include "taskflows/fdtd/scene/to_problem.hpp"
#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// HDF5: a group for each monitor with "frequencies" (Hz) and, for each component, "Ex_real" and "Ex_imag"
/// [frequency][x][y][z]: transforms of the field, its unit times s, exp(+i w t). Throws Error.
void write_monitors(const std::filesystem::path& path, const scene::Scene& scene, const SceneProblem& of,
                    const std::vector<Spectrum>& spectra);

/// CSV: a line for each far field, frequency and direction with E r exp(i k r) along theta and phi (V/m m s), the
/// transform of the power through the surface (J/Hz times 1/4) and the directivity. Throws Error.
void write_far_fields(const std::filesystem::path& path, const scene::Scene& scene, const SceneProblem& of,
                      const std::vector<Spectrum>& spectra);

}  // namespace asterism::fdtd
