// SPDX-License-Identifier: Apache-2.0
// Flows with a name: set up from a few numbers, some with an exact answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/lbm/problem.hpp"

namespace asterism::lbm {

/// What a user says about a flow; what is left out follows from the rest.
struct CaseOptions {
  std::string name = "cavity";
  std::array<int, 3> cells{64, 64, 64};
  std::optional<double> velocity;  ///< characteristic, cells per step; default: what belongs to the case
  std::optional<double> reynolds;  ///< velocity x length / viscosity; the length is Case::length
  std::optional<double> tau;       ///< relaxation time; default 0.6152, the paper's
  std::optional<double> length;    ///< in cells; default: what belongs to the case
  Collision collision;             ///< model, magic, smagorinsky; force is added to the case's own
  Precision precision = Precision::double_precision;
  int sponge = 0;                   ///< Problem::sponge
  std::vector<std::uint8_t> solid;  ///< Problem::solid, a body in the stream
  /// Faces that differ from those of the case: -x, +x, -y, +y, -z, +z
  std::array<std::optional<Face>, faces> face;
};

struct Case {
  Problem problem;
  double velocity = 0;   ///< characteristic
  double length = 0;     ///< characteristic, in cells
  std::string describe;  ///< one line
  /// Exact density and velocity at the centre of a cell after so many steps, and how far a run may be from it, as a
  /// relative L2 error of the velocity.
  std::function<Flow(int x, int y, int z, long time)> exact;
  double tolerance = 0;
  /// `exact` is the steady state, reached to the tolerance after so many steps
  long steady_after = 0;
};

/// Names and one line about each.
std::vector<std::pair<std::string, std::string>> case_names();

/// What is beyond a face, from text: "periodic", "wall" (at rest), "wall:u,v,w" (moves, or lets fluid in when it moves
/// inward), "parabola:u,v,w" (lets fluid in with this mean), "pressure" or "pressure:rho". Throws Error (bad input).
Face read_face(const std::string& text);

/// Throws Error (bad input): an unknown name, Reynolds number and relaxation time both, values out of range.
Case make_case(const CaseOptions& options);

}  // namespace asterism::lbm
