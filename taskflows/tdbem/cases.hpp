// SPDX-License-Identifier: Apache-2.0
// Named cases, and how a problem is made from numbers: a body, an incident wave that its mesh resolves, steps until the
// scattered waves have left it. Named bodies: named_body().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/tdbem/problem.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"

namespace asterism::tdbem {

struct BodyOptions {
  std::string file;                    ///< a mesh; empty: `mesh`
  mesh::TriangleMesh mesh;             ///< without triangles: `name`
  std::string name = "sphere";         ///< of named_body()
  std::int32_t unknowns = 0;           ///< at least: finer meshes by bisection; 0: 642, or as in the file
  double length = 0;                   ///< of the longest side of its box before it is turned, m; 0: as in the file
  std::array<double, 3> degrees = {};  ///< turned about x, y and z, around the centre of its box
  Inward inward = Inward::refused;
  Ordering ordering = Ordering::hilbert;
};

struct WaveOptions {
  PulseShape shape = PulseShape::modulated_gaussian;
  std::optional<double> frequency;  ///< Hz, more than 0; none: what the mesh resolves
  std::optional<double> width;      ///< of a Gaussian, s; none: 2 / (2 pi frequency)
  double delay = 0;                 ///< time at which the pulse's centre passes the origin or leaves a monopole, s
  std::vector<Point> directions;    ///< where plane waves go to, each scattered by itself
  std::vector<Point> monopoles;     ///< sources, after the plane waves, each scattered by itself
};

struct CaseOptions {
  BodyOptions body;
  WaveOptions wave;
  Boundary boundary = Boundary::rigid;
  double speed = 343;              ///< of sound, m/s
  std::optional<double> dt;        ///< s; none: by `courant`
  double courant = 0.5;            ///< c dt over the mean edge
  std::optional<double> duration;  ///< from the wave's arrival, s; none: until what it scattered has left
  std::optional<long> steps;       ///< instead of a duration
  bool until_observed = false;     ///< without either: until what is scattered has also passed the observers
  std::vector<Point> observers;
  PairRuleOptions rules;
  Precision precision = Precision::double_precision;
  std::optional<double> tolerance;  ///< of conjugate gradients; none: 1e-12, or 1e-6 in single precision
  Solver solver = Solver::conjugate_gradients;
};

struct ProblemCase {
  Problem problem;
  std::int64_t steps = 0;
  std::string description;  ///< e.g. "rigid sphere, 642 unknowns"
  bool is_sphere = false;   ///< of radius 1 around the origin: there is an exact answer
};

/// The incident waves of a problem whose surface, speed and time step are known. Throws Error (bad_input): pulses that
/// cannot be, a time step too long for the pulse, and as check_monopole().
std::vector<IncidentWave> waves_of(const WaveOptions& options, const Problem& problem);
/// Steps from the wave's arrival until it has passed and what it scattered has left; or those of a duration (s). Throws
/// Error (bad_input) for a duration that cannot be.
std::int64_t steps_until_silence(const Problem& problem, const std::optional<double>& duration = {});

/// Steps until what it scattered has also passed the observers and echoes on the body have died away.
std::int64_t steps_until_observed(const Problem& problem);

/// Throws Error (bad_input), one line: files, bodies, steps too long for the pulse, and as check() and
/// check_observers().
ProblemCase problem_case(const CaseOptions& options, const Method& method);

}  // namespace asterism::tdbem
