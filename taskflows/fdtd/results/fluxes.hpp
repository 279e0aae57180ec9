// SPDX-License-Identifier: Apache-2.0
// Power through the planes of a scene at frequencies, by itself and beside that of a run without bodies.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/fdtd/scene/to_problem.hpp"

namespace asterism::fdtd {

struct SceneFlux {
  std::string name;
  double frequency = 0;  ///< Hz
  /// 1/2 Re of the integral of E x conj H of the transforms, towards growing coordinates: J/Hz times 1/4.
  double power = 0;
  std::optional<double> normalised;  ///< by the power through the reference plane of another run
};

/// In the order of planes and frequencies.
std::vector<SceneFlux> fluxes(const scene::Scene& scene, const SceneProblem& of, const std::vector<Spectrum>& spectra);

/// CSV: flux, frequency (Hz), power and, where it is known, normalised. Throws Error.
void write_fluxes(const std::filesystem::path& path, const std::vector<SceneFlux>& all);

/// What write_fluxes wrote. Throws Error (bad input) with file and line.
std::vector<SceneFlux> read_fluxes(const std::filesystem::path& path);

/// The power through the plane that normalises each of `scene.fluxes` at each of its frequencies, from another run.
/// Throws Error (bad input) for a plane or a frequency that `other` has not, and where nothing passed.
std::vector<double> references(const scene::Scene& scene, const std::vector<SceneFlux>& other, const std::string& file);

/// Fills SceneFlux::normalised.
void normalise(std::vector<SceneFlux>& all, const std::vector<double>& references);

}  // namespace asterism::fdtd
