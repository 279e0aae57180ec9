// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/to_problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/angles.hpp"
#include "base/error.hpp"
#include "taskflows/fdtd/scene/surfaces/conformal.hpp"
#include "taskflows/fdtd/scene/surfaces/coupled_edges.hpp"
#include "taskflows/fdtd/scene/surfaces/smoothing.hpp"
#include "taskflows/fdtd/scene/voxelise.hpp"

namespace asterism::fdtd {
namespace {

using scene::Boundary;
using scene::Scene;
using scene::Vector;

/// Directions of plane waves have to be those of the lattice (plane_wave.hpp): the nearest one within a degree.
constexpr double tolerance = degree;

void set_mesh(const Scene& scene, Problem& p) {
  const scene::Grid& grid = scene.grid;
  p.cells = grid.cells;
  p.spacing = grid.spacing;
  for (std::size_t a = 0; a < 3; ++a) {
    p.mesh.periodic[a] = scene.boundary[2 * a] == Boundary::periodic;
    for (const double x : grid.planes[a]) p.mesh.planes[a].push_back((x - grid.origin[a]) / grid.spacing[a]);
  }
}

void set_faces(const Scene& scene, Problem& p) {
  for (std::size_t f = 0; f < 6; ++f) {
    const Boundary b = scene.boundary[f];
    p.face[f] = b == Boundary::magnetic ? Face::magnetic : b == Boundary::periodic ? Face::neighbour : Face::electric;
    if (b == Boundary::cpml) p.cpml.cells[f] = scene.cpml.thickness;
  }
  Grading& g = p.cpml.grading;
  if (scene.cpml.order) g.order = *scene.cpml.order;
  if (scene.cpml.sigma_ratio) g.sigma = *scene.cpml.sigma_ratio;
  if (scene.cpml.kappa_max) g.kappa = *scene.cpml.kappa_max;
  double volume = 1;  // of a cell of the layers
  for (std::size_t a = 0; a < 3; ++a) {
    p.cpml.length[2 * a] = p.mesh.cell(a, 0);
    p.cpml.length[2 * a + 1] = p.mesh.cell(a, p.cells[a] - 1);
    volume *= p.spacing[a] * std::sqrt(p.cpml.length[2 * a] * p.cpml.length[2 * a + 1]);
  }
  // one number for all axes: of the mean spacing
  if (scene.cpml.alpha_max) g.alpha = *scene.cpml.alpha_max * std::sqrt(p.mu0 / p.eps0) * std::cbrt(volume);
}

struct AsPole {
  Pole operator()(const scene::Drude& p) const { return drude(p.omega_p, p.gamma); }
  Pole operator()(const scene::Lorentz& p) const { return lorentz(p.delta_eps, p.omega_0, p.delta); }
  Pole operator()(const scene::Debye& p) const { return debye(p.delta_eps, p.tau); }
};

void set_materials(const Scene& scene, Problem& p) {
  if (scene.geometry.empty() && scene.background == 0 && scene.ports.empty() && scene.conductors.empty()) return;
  p.materials = constants_of(scene);
  for (const scene::Material& material : scene.materials) {
    p.poles.emplace_back();
    for (const scene::Pole& pole : material.poles) p.poles.back().push_back(std::visit(AsPole(), pole));
  }
  p.material = scene::Geometry(scene).fill();
}

void add_sources(const Scene& scene, Problem& p) {
  for (const scene::Dipole& dipole : scene.dipoles) {
    const CurrentSource source{dipole.component.axis, dipole.place.entry,
                               [w = dipole.waveform](double t) { return value(w, t); }};
    (dipole.component.field == Field::electric ? p.sources : p.magnetic_sources).push_back(source);
  }
}

Waveform waveform_of(const scene::Waveform& w) {
  using Kind = scene::WaveformKind;
  constexpr double no_ramp = 1e-30;  // s, shorter than any time step
  switch (w.kind) {
    case Kind::gaussian:
      return {Pulse::gaussian, w.amplitude, w.width, w.delay, 0, 0};
    case Kind::differentiated_gaussian:
      return {Pulse::differentiated_gaussian, w.amplitude, w.width, w.delay, 0, 0};
    case Kind::ricker:
      return {Pulse::ricker, w.amplitude, 0, w.delay, w.frequency, 0};
    case Kind::modulated:
      return {Pulse::modulated_gaussian, w.amplitude, w.width, w.delay, w.frequency, w.phase};
    case Kind::sine:
      return {Pulse::ramped_sine, w.amplitude, std::max(w.ramp, no_ramp), 0, w.frequency, w.phase};
  }
  failed("a waveform of no kind");
}

double dot(const Vector& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

WaveInBox wave_of(const scene::PlaneWave& of) {
  PlaneWave wave{};
  const Vector& k = of.direction;
  wave.theta = std::acos(std::clamp(k[2], -1.0, 1.0));
  wave.phi = std::atan2(k[1], k[0]);
  const double ct = std::cos(wave.theta), st = std::sin(wave.theta), cp = std::cos(wave.phi), sp = std::sin(wave.phi);
  wave.polarisation = std::atan2(dot(of.polarisation, {-sp, cp, 0}), dot(of.polarisation, {ct * cp, ct * sp, -st}));
  wave.tolerance = tolerance;
  wave.waveform = waveform_of(of.waveform);
  return {wave, of.box};
}

/// The waveform is that of the corner which the wave meets first.
void begin_at_corner(WaveInBox& w, const Problem& p) {
  try {
    const Incident incident = make_incident(w.wave, w.planes, space_of(p));
    const std::int32_t(&m)[3] = incident.line.m;
    const Box& b = w.planes;
    const std::int32_t first =
        2 * (m[0] * (m[0] > 0 ? b.x0 : b.x1) + m[1] * (m[1] > 0 ? b.y0 : b.y1) + m[2] * (m[2] > 0 ? b.z0 : b.z1));
    w.wave.waveform.delay -= delay_of(incident, first);
  } catch (const std::invalid_argument& error) {
    bad_input("plane wave: {}", error.what());
  }
}

/// Edges in series share the resistance and the voltage of the generator, which drives V / R through each of them, by
/// their lengths.
void add_ports(const Scene& scene, SceneProblem& s) {
  Problem& p = s.problem;
  for (const scene::Port& port : scene.ports) {
    const auto axis = static_cast<std::size_t>(port.axis);
    std::array<int, 3> edge = port.place.entry;
    Box edges{edge[0], edge[0] + 1, edge[1], edge[1] + 1, edge[2], edge[2] + 1};
    (axis == 0 ? edges.x1 : axis == 1 ? edges.y1 : edges.z1) += port.cells - 1;
    double length = 0;
    for (int n = 0; n < port.cells; ++n) length += p.mesh.cell(axis, edge[axis] + n);
    for (int n = 0; n < port.cells; ++n, ++edge[axis]) {
      const double cell = p.mesh.cell(axis, edge[axis]);
      p.resistors.push_back({port.axis, edge, port.resistance / (length / cell)});
      if (!port.waveform) continue;
      const double moment = p.spacing[axis] * cell / port.resistance;
      p.sources.push_back({port.axis, edge, [w = *port.waveform, moment](double t) { return moment * value(w, t); }});
    }
    s.ports.push_back({p.monitors.size()});
    p.monitors.push_back({Field::electric, {{port.axis, edges}}, scene.port_frequencies, 1});
  }
}

/// Edges that are fixed, on conductors that end the domain, are left out.
void add_conductors(const Scene& scene, Problem& p) {
  const Grid grid = whole_grid(p);
  for (const scene::Conductor& c : scene.conductors)
    for (int axis = 0; axis < 3; ++axis) {
      std::array<int, 3> end = {c.high[0] + 1, c.high[1] + 1, c.high[2] + 1};
      --end[static_cast<std::size_t>(axis)];
      const Box b = grid.entries(Field::electric, axis, grid.cells());
      for (int i = c.low[0]; i < end[0]; ++i)
        for (int j = c.low[1]; j < end[1]; ++j)
          for (int k = c.low[2]; k < end[2]; ++k) {
            std::array<int, 3> edge{i, j, k};
            for (std::size_t a = 0; a < 3; ++a)
              if (p.face[2 * a] == Face::neighbour) edge[a] %= p.cells[a];
            const auto [x, y, z] = edge;
            if (x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1 && z >= b.z0 && z < b.z1)
              p.resistors.push_back({axis, edge, 0});
          }
    }
}

void smooth(const Scene& scene, Problem& p) {
  if (p.material.empty()) return;
  if (scene.smoothing == scene::Smoothing::diagonal) p.smoothed = scene::smoothed_edges(scene, p);
  if (scene.smoothing == scene::Smoothing::tensor) scene::smooth_by_matrices(scene, p);
  if (scene.conformal) p.cut = scene::cut_entries(scene, p);
}

void add_probes(const Scene& scene, SceneProblem& s) {
  for (const scene::Probe& probe : scene.probes)
    for (std::size_t c = 0; c < probe.components.size(); ++c) {
      const scene::Component& of = probe.components[c];
      s.problem.probes.push_back({of.field, of.axis, probe.places[c].entry});
      s.probe_names.push_back(probe.name + "." + (of.field == Field::electric ? "E" : "H") + "xyz"[of.axis]);
    }
}

void add_monitors(const Scene& scene, SceneProblem& s) {
  for (std::size_t n = 0; n < scene.monitors.size(); ++n)
    for (const Field field : {Field::electric, Field::magnetic}) {
      Monitor monitor{field, {}, scene.monitors[n].frequencies, 1};
      for (const scene::Component& of : scene.monitors[n].components)
        if (of.field == field) monitor.components.push_back({of.axis, scene.monitors[n].box});
      if (monitor.components.empty()) continue;
      s.monitors.push_back({n, s.problem.monitors.size()});
      s.problem.monitors.push_back(monitor);
    }
}

void add_surfaces(const Scene& scene, SceneProblem& s) {
  for (std::size_t n = 0; n < scene.far_fields.size(); ++n) {
    const ClosedSurface surface = closed_surface(scene.far_fields[n].box, scene.far_fields[n].frequencies, 1);
    s.surfaces.push_back({n, surface, s.problem.monitors.size()});
    for (const Plane& plane : surface.planes)
      for (const Monitor* monitor : {&plane.electric, &plane.magnetic}) s.problem.monitors.push_back(*monitor);
  }
}

void add_planes(const Scene& scene, SceneProblem& s) {
  for (std::size_t n = 0; n < scene.fluxes.size(); ++n) {
    const scene::Flux& flux = scene.fluxes[n];
    const std::int32_t axis = flux.axis();
    std::int32_t lower[2] = {}, upper[2] = {};
    Edge edge[2] = {};
    for (std::size_t t = 0; t < 2; ++t) {
      const std::size_t along = (static_cast<std::size_t>(axis) + 1 + t) % 3;
      lower[t] = flux.low[along];
      upper[t] = flux.high[along];
      edge[t] = scene.boundary[2 * along] == Boundary::periodic && upper[t] - lower[t] == scene.grid.cells[along]
                    ? Edge::periodic
                    : Edge::open;
    }
    const Plane plane =
        plane_between(axis, flux.low[static_cast<std::size_t>(axis)], lower, upper, edge, flux.frequencies, 1);
    s.planes.push_back({n, plane, s.problem.monitors.size()});
    for (const Monitor* monitor : {&plane.electric, &plane.magnetic}) s.problem.monitors.push_back(*monitor);
  }
}

}  // namespace

double value(const scene::Waveform& w, double time) {
  return value(waveform_of(w), time);
}

SceneProblem make_problem(const Scene& scene) {
  SceneProblem s;
  Problem& p = s.problem;
  p.eps0 = 1 / (p.mu0 * scene::speed_of_light * scene::speed_of_light);
  set_mesh(scene, p);
  p.dt = scene.time_step;
  p.precision = scene.precision;
  set_faces(scene, p);
  set_materials(scene, p);
  add_sources(scene, p);
  for (const scene::PlaneWave& wave : scene.plane_waves) {
    p.waves.push_back(wave_of(wave));
    begin_at_corner(p.waves.back(), p);
  }
  add_ports(scene, s);
  add_conductors(scene, p);
  smooth(scene, p);
  add_probes(scene, s);
  add_monitors(scene, s);
  add_surfaces(scene, s);
  add_planes(scene, s);
  check(p);
  return s;
}

}  // namespace asterism::fdtd
