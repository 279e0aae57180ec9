// From the command line to a problem.
#include <fmt/format.h>

#include <cmath>

#include "apps/tdbem/arguments.hpp"
#include "base/error.hpp"
#include "io/mesh/placement.hpp"
#include "runtime/clock.hpp"
#include "taskflows/tdbem/observers.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/refine.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::int32_t default_unknowns = 642;
/// Mean edges per wavelength at the highest frequency, where a default pulse has 1e-3 of its spectrum's peak.
constexpr double edges_per_wavelength = 6;
constexpr double spectrum_level = 1e-3;
/// Of its peak, at a frequency of which a time step must not miss a half period.
constexpr double level_to_resolve = 0.1;

mesh::TriangleMesh body_of(const BodyOptions& options) {
  if (options.file.empty()) return named_body(options.name, options.unknowns > 0 ? options.unknowns : default_unknowns);
  mesh::TriangleMesh mesh = mesh::read_mesh(options.file);
  if (options.length > 0) mesh::place(mesh, {options.length, {}, {}, {}});
  return mesh;
}

/// Both kinds of pulse scale with their frequency: the default one is a pulse of 1 rad/s, as fast as the mesh allows.
Pulse pulse_of(const WaveOptions& options, double speed, double mean_edge) {
  const auto make = [&](double omega, double centre) {
    return options.shape == "ricker" ? ricker(centre, omega)
                                     : modulated_gaussian(centre, options.width.value_or(2 / omega), omega);
  };
  double omega = 0;
  if (options.frequency) {
    if (!(*options.frequency > 0)) bad_input("--frequency {}: expected a positive one", *options.frequency);
    omega = 2 * pi * *options.frequency;
  } else {
    const double highest = 2 * pi * speed / (edges_per_wavelength * mean_edge);
    omega = highest / bandwidth(options.shape == "ricker" ? ricker(0, 1) : modulated_gaussian(0, 2, 1), spectrum_level);
  }
  return make(omega, options.delay.value_or(0));
}

void require_resolved(const Pulse& pulse, double dt) {
  const double longest = pi / bandwidth(pulse, level_to_resolve);
  if (dt > longest)
    bad_input(
        "time step {:g} s: too large for this pulse, expected at most {:g} s, half a period of its upper frequencies",
        dt, longest);
}

}  // namespace

Case make_case(const Arguments& args) {
  const auto begin = Clock::now();
  Case c;
  Problem& p = c.problem;
  mesh::TriangleMesh mesh = body_of(args.body);
  Surface surface = prepare_surface(mesh, args.body.inward);  // says what is wrong before it is refined
  if (!args.body.file.empty() && args.body.unknowns > surface.unknowns()) {
    bisect_longest_edges(mesh, args.body.unknowns);
    surface = prepare_surface(mesh, args.body.inward);
  }
  p.surface = renumbered(surface, order_of(surface.vertices, args.body.ordering));
  p.boundary = args.boundary;
  p.speed = args.speed;
  p.dt = args.dt.value_or(args.courant * p.surface.edges.mean / p.speed);
  const Pulse pulse = pulse_of(args.wave, p.speed, p.surface.edges.mean);
  require_resolved(pulse, p.dt);
  for (const Point& direction : args.wave.directions) p.waves.push_back(plane_wave(pulse, direction, p.speed));
  p.observers = args.observers;
  p.rules = args.rules;
  p.limits.tolerance = args.tolerance.value_or(args.single_precision ? 1e-6 : 1e-12);
  p.solver = args.solver;
  check(p, args.method);
  check_observers(p.surface, p.speed, p.dt, p.observers);
  p.first_step = first_step_of(p);
  if (args.steps) {
    c.steps = *args.steps;
  } else {
    const Passage pass = passage(p);
    const double duration = args.duration.value_or(pass.end - pass.begin + 2 * p.surface.diameter / p.speed);
    c.steps = static_cast<std::int64_t>(std::ceil(duration / p.dt));
  }
  c.is_sphere = args.body.file.empty() && args.body.name == "sphere";
  c.describe = fmt::format("{} {}, {} unknowns", args.boundary == Boundary::rigid ? "rigid" : "soft",
                           args.body.file.empty() ? args.body.name : args.body.file, p.surface.unknowns());
  c.seconds = seconds_since(begin);
  return c;
}

}  // namespace asterism::apps::tdbem
