// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/mesh/placement.hpp"
#include "taskflows/tdbem/results/traits.hpp"
#include "taskflows/tdbem/surface/observer_weights.hpp"
#include "taskflows/tdbem/surface/refine.hpp"

namespace asterism::tdbem {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::int32_t default_unknowns = 642;
/// Mean edges per wavelength at the highest frequency, where a default pulse has 1e-3 of its spectrum's peak.
constexpr double edges_per_wavelength = 6;
constexpr double spectrum_level = 1e-3;
/// A time step must not miss a half period of frequencies where the spectrum has this part of its peak, or more.
constexpr double level_to_resolve = 0.1;

mesh::TriangleMesh shape_of(const BodyOptions& options) {
  if (!options.file.empty()) return mesh::read_mesh(options.file);
  if (!options.mesh.triangles.empty()) return options.mesh;
  return named_body(options.name, options.unknowns > 0 ? options.unknowns : default_unknowns);
}

mesh::TriangleMesh body_of(const BodyOptions& options) {
  mesh::TriangleMesh mesh = shape_of(options);
  mesh::Placement placement;
  if (!options.file.empty() && options.length > 0) placement.length = options.length;
  placement.degrees = options.degrees;
  if (placement.length || placement.degrees != std::array<double, 3>{}) mesh::place(mesh, placement);
  return mesh;
}

/// Both kinds of pulse scale with their frequency: the default one is a pulse of 1 rad/s, as fast as the mesh allows.
Pulse pulse_of(const WaveOptions& options, double speed, double mean_edge) {
  const auto make = [&](double omega, double centre) {
    return options.shape == PulseShape::ricker ? ricker(centre, omega)
                                               : modulated_gaussian(centre, options.width.value_or(2 / omega), omega);
  };
  double omega = 0;
  if (options.frequency) {
    omega = 2 * pi * *options.frequency;
  } else {
    const double highest = 2 * pi * speed / (edges_per_wavelength * mean_edge);
    omega = highest /
            bandwidth(options.shape == PulseShape::ricker ? ricker(0, 1) : modulated_gaussian(0, 2, 1), spectrum_level);
  }
  return make(omega, options.delay);
}

void require_resolved(const Pulse& pulse, double dt) {
  const double longest = pi / bandwidth(pulse, level_to_resolve);
  if (dt > longest)
    bad_input(
        "time step {:g} s: too large for this pulse, expected at most {:g} s, half a period of its upper frequencies",
        dt, longest);
}

Surface surface_of(const BodyOptions& body) {
  mesh::TriangleMesh mesh = body_of(body);
  Surface surface = prepare_surface(mesh, body.inward);  // says what is wrong before it is refined
  if (!body.file.empty() && body.unknowns > surface.unknowns()) {
    bisect_longest_edges(mesh, body.unknowns);
    surface = prepare_surface(mesh, body.inward);
  }
  return renumbered(surface, order_of(surface.vertices, body.ordering));
}

}  // namespace

std::vector<IncidentWave> waves_of(const WaveOptions& options, const Problem& problem) {
  const Pulse pulse = pulse_of(options, problem.speed, problem.surface.edges.mean);
  require_resolved(pulse, problem.dt);
  std::vector<IncidentWave> waves;
  for (const Point& direction : options.directions) waves.push_back(plane_wave(pulse, direction, problem.speed));
  for (std::size_t m = 0; m < options.monopoles.size(); ++m) {
    waves.push_back(monopole(pulse, options.monopoles[m], problem.speed));
    check_monopole(problem.surface, m, options.monopoles[m]);
  }
  return waves;
}

std::int64_t steps_until_silence(const Problem& p, const std::optional<double>& given) {
  const Passage pass = passage(p);
  const double duration = given.value_or(pass.end - pass.begin + 2 * p.surface.diameter / p.speed);
  const double steps = std::ceil(duration / p.dt);
  constexpr double most_steps = 0x1p40;
  if (!(steps >= 0 && steps <= most_steps))
    bad_input("--duration {}: {:.3g} steps of {:.3g} s; expected 0 to {:.3g} steps", duration, steps, p.dt, most_steps);
  return static_cast<std::int64_t>(steps);
}

std::int64_t steps_until_observed(const Problem& p) {
  double farthest = 0;
  for (const Point& x : p.observers)
    for (const Point& v : p.surface.vertices) farthest = std::max(farthest, norm(x - v));
  const Passage pass = passage(p);
  return steps_until_silence(p, pass.end - pass.begin + (5 * p.surface.diameter + farthest) / p.speed);
}

ProblemCase problem_case(const CaseOptions& options, const Method& method) {
  ProblemCase problem_case;
  Problem& p = problem_case.problem;
  p.surface = surface_of(options.body);
  p.boundary = options.boundary;
  p.speed = options.speed;
  p.dt = options.dt.value_or(options.courant * p.surface.edges.mean / p.speed);
  p.waves = waves_of(options.wave, p);
  p.observers = options.observers;
  p.rules = options.rules;
  p.precision = options.precision;
  p.limits.tolerance = options.tolerance.value_or(p.precision == Precision::single_precision ? 1e-6 : 1e-12);
  p.solver = options.solver;
  check(p, method);
  check_observers(p.surface, p.speed, p.dt, p.observers);
  p.first_step = first_step_of(p);
  problem_case.steps = options.steps                                 ? *options.steps
                       : options.until_observed && !options.duration ? steps_until_observed(p)
                                                                     : steps_until_silence(p, options.duration);
  const BodyOptions& body = options.body;
  const bool named = body.file.empty() && body.mesh.triangles.empty();
  problem_case.is_sphere = named && body.name == "sphere";
  problem_case.description = fmt::format("{} {}, {} unknowns", name_of(p.boundary),
                                         named               ? body.name
                                         : body.file.empty() ? "body"
                                                             : body.file,
                                         p.surface.unknowns());
  return problem_case;
}

}  // namespace asterism::tdbem
