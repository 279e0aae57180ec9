// SPDX-License-Identifier: Apache-2.0
// What a scene asks of the solver: a problem, and how the problem's probes and monitors are the scene's.
#pragma once

#include <string>
#include <vector>

#include "codelets/fdtd/kernels/observers/far_field.hpp"
#include "taskflows/fdtd/problem.hpp"
#include "taskflows/fdtd/scene/scene.hpp"

namespace asterism::fdtd {

/// Monitors of a field, of the scene's monitor of that number.
struct SceneMonitor {
  std::size_t of = 0;
  std::size_t monitor = 0;  ///< of the problem
};
struct SceneSurface {
  std::size_t of = 0;
  ClosedSurface surface;
  std::size_t first = 0;  ///< of 12 monitors of the problem: E and H on the planes in their order
};

struct ScenePlane {
  std::size_t of = 0;  ///< number of the scene's flux
  Plane plane;
  std::size_t first = 0;  ///< of two monitors of the problem: E, then H
};

/// The voltage of a port: monitors of E along its edges.
struct ScenePort {
  std::size_t monitor = 0;  ///< of the problem
};

struct SceneProblem {
  Problem problem;
  std::vector<std::string> probe_names;  ///< "gap.Ez", of each probe
  std::vector<SceneMonitor> monitors;
  std::vector<ScenePort> ports;  ///< in the scene's order
  std::vector<SceneSurface> surfaces;
  std::vector<ScenePlane> planes;
};

/// Reads what the geometry refers to. Throws Error (bad input) like Geometry and check().
SceneProblem make_problem(const scene::Scene& scene);

/// A scene's waveform at a time (s).
double value(const scene::Waveform& waveform, double time);

}  // namespace asterism::fdtd
