// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/as_size.hpp"
#include "base/error.hpp"

namespace asterism::lbm {
namespace {

constexpr std::array<const char*, faces> face_names{"-x", "+x", "-y", "+y", "-z", "+z"};
/// Beyond it the equilibrium, a polynomial in u, is far from what it stands for: Mach 0.5.
constexpr double fastest = 0.2887;

double speed(const double* u) {
  return std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

void check_sponge(const Problem& problem) {
  constexpr int least = 8;
  const Face& inlet = problem.face[0];
  const Face& outlet = problem.face[1];
  if (inlet.periodic || inlet.wall.kind == Wall::Kind::pressure || outlet.wall.kind != Wall::Kind::pressure)
    bad_input("a sponge lies before an outlet: expected a face +x of given pressure, and a face -x of given velocity");
  if (problem.sponge < least || problem.sponge >= problem.cells[0])
    bad_input("a sponge of {} cells: expected {} to {}, fewer than the domain has along x", problem.sponge, least,
              problem.cells[0] - 1);
}

}  // namespace

const char* name_of(Collision::Model model) {
  switch (model) {
    case Collision::Model::bgk:
      return "bgk";
    case Collision::Model::trt:
      return "trt";
    case Collision::Model::central_moments:
      break;
  }
  return "central-moments";
}

void set_magic(Collision& collision, double magic) {
  if (!(magic > 0)) bad_input("magic parameter {}: expected a positive number", magic);
  (collision.model == Collision::Model::central_moments ? collision.third_magic : collision.magic) = magic;
}

bool is_parabola_along(const Problem& problem, int face, int axis) {
  return axis != face / 2 && !problem.face[as_size(2 * axis)].periodic;
}

std::array<double, 3> wall_velocity(const Problem& problem, int face, const std::array<double, 3>& point) {
  const Wall& wall = problem.face[as_size(face)].wall;
  double share = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (wall.kind != Wall::Kind::parabola || !is_parabola_along(problem, face, axis)) continue;
    const double s = point[as_size(axis)] / problem.cells[as_size(axis)];
    share *= 6 * s * (1 - s);
  }
  return {wall.u[0] * share, wall.u[1] * share, wall.u[2] * share};
}

double wall_distance(const Problem& problem, std::size_t cell, int j) {
  const auto link = q * static_cast<std::int64_t>(cell) + j;
  const auto found = std::lower_bound(problem.distances.begin(), problem.distances.end(), link,
                                      [](const WallDistance& d, std::int64_t l) { return d.link < l; });
  return found == problem.distances.end() || found->link != link ? 0.5 : found->distance;
}

void check(const Problem& problem) {
  for (const int n : problem.cells)
    if (n < 1)
      bad_input("a domain of {} x {} x {} cells: expected at least 1 each", problem.cells[0], problem.cells[1],
                problem.cells[2]);
  const Collision& c = problem.collision;
  if (!(c.tau > 0.5) || !std::isfinite(c.tau))
    bad_input("relaxation time {}: expected more than 0.5, else the viscosity is not positive", c.tau);
  if (!(c.magic > 0)) bad_input("magic parameter {}: expected a positive number", c.magic);
  if (!(c.third_magic >= 0) || !std::isfinite(c.third_magic))
    bad_input("magic parameter {} of central moments: expected a positive number", c.third_magic);
  if (!(c.smagorinsky >= 0) || !std::isfinite(c.smagorinsky))
    bad_input("Smagorinsky constant {}: expected 0 or a positive number", c.smagorinsky);
  if (!std::all_of(c.force, c.force + 3, [](double f) { return std::abs(f) < 0.1; }))
    bad_input("body force ({}, {}, {}): expected less than 0.1 each, per cell and step", c.force[0], c.force[1],
              c.force[2]);
  for (int axis = 0; axis < 3; ++axis) {
    const auto lower = static_cast<std::size_t>(2 * axis);
    if (problem.face[lower].periodic != problem.face[lower + 1].periodic)
      bad_input("face {} is periodic and {} is not", face_names[lower + (problem.face[lower].periodic ? 0U : 1U)],
                face_names[lower + (problem.face[lower].periodic ? 1U : 0U)]);
  }
  for (std::size_t f = 0; f < faces; ++f) {
    const Face& face = problem.face[f];
    if (face.periodic) continue;
    if (face.wall.kind == Wall::Kind::velocity && !(speed(face.wall.u) <= fastest))
      bad_input("face {} moves at ({}, {}, {}): expected at most {} cells per step (half the speed of sound)",
                face_names[f], face.wall.u[0], face.wall.u[1], face.wall.u[2], fastest);
    if (face.wall.kind == Wall::Kind::parabola) {
      double peak = speed(face.wall.u);
      for (int axis = 0; axis < 3; ++axis)
        if (is_parabola_along(problem, static_cast<int>(f), axis)) peak *= 1.5;
      if (!(peak <= fastest))
        bad_input("face {}: a parabola of mean ({}, {}, {}) is as fast as {:.4g}; expected at most {} cells per step",
                  face_names[f], face.wall.u[0], face.wall.u[1], face.wall.u[2], peak, fastest);
    }
    if (face.wall.kind == Wall::Kind::pressure && !(face.wall.rho > 0.5 && face.wall.rho < 2))
      bad_input("density {} at face {}: expected about 1", face.wall.rho, face_names[f]);
  }
  if (problem.sponge != 0) check_sponge(problem);
  const auto all = static_cast<std::size_t>(problem.cells[0]) * static_cast<std::size_t>(problem.cells[1]) *
                   static_cast<std::size_t>(problem.cells[2]);
  if (!problem.solid.empty() && problem.solid.size() != all)
    bad_input("{} voxels for a domain of {} cells", problem.solid.size(), all);
  if (!problem.solid.empty() &&
      std::all_of(problem.solid.begin(), problem.solid.end(), [](std::uint8_t s) { return s != 0; }))
    bad_input("every cell is solid");
}

}  // namespace asterism::lbm
