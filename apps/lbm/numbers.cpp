// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

constexpr double speed_of_sound = 0.57735026918962576;
constexpr double laminar = 2000;  ///< Reynolds number
// limits of the warnings
constexpr double fast = 0.3;  ///< Mach number
constexpr double stiff = 0.51, thick = 2;
constexpr int coarse = 10;
constexpr double narrow = 0.05;
constexpr double unresolved = 5;  ///< y+

/// Skin friction of a turbulent plate, 0.027 Re^(-1/7) (White, Viscous Fluid Flow); u_tau = U sqrt(c_f / 2). The first
/// cell is half a cell from the wall.
double wall_units(double velocity, double reynolds, double viscosity) {
  const double friction = 0.027 / std::pow(reynolds, 1.0 / 7);
  return 0.5 * velocity * std::sqrt(friction / 2) / viscosity;
}

}  // namespace

FlowNumbers flow_numbers(const Case& flow) {
  const Problem& p = flow.problem;
  const double nu = viscosity(p.collision.tau);
  const double velocity = std::abs(flow.velocity);
  FlowNumbers n;
  n.mach = velocity / speed_of_sound;
  n.tau = p.collision.tau;
  n.reynolds = velocity * flow.length / nu;
  if (p.solid.empty()) return n;
  n.body = body_size(p.solid, p.cells);
  const auto& extent = n.body->extent;
  for (std::size_t axis = 0; axis < 3; ++axis)  // a body from one periodic face to the other has no end there
    if (!(n.body->at_both_ends[axis] && p.face[2 * axis].periodic))
      n.across = n.across == 0 ? extent[axis] : std::min(n.across, extent[axis]);
  n.blockage = static_cast<double>(n.body->frontal) / (static_cast<double>(p.cells[1]) * p.cells[2]);
  if ((p.collision.smagorinsky > 0 || n.reynolds > laminar) && velocity > 0)
    n.y_plus = wall_units(velocity, n.reynolds, nu);
  return n;
}

std::vector<std::string> facts(const FlowNumbers& n, const Case& flow) {
  if (!n.body) return {};
  const auto& cells = flow.problem.cells;
  std::vector<std::string> lines{
      fmt::format("body of {} cells, {} across, frontal area {} cells, blockage {:.2g} % of {} x {}",
                  fmt::join(n.body->extent, " x "), n.across, n.body->frontal, 100 * n.blockage, cells[1], cells[2]),
      fmt::format("Mach number {:.2g}, tau {:.4g}, Reynolds number {:.4g}", n.mach, n.tau, n.reynolds)};
  if (n.y_plus)
    lines.push_back(fmt::format("y+ of the cells beside the body about {:.2g} (turbulent plate)", *n.y_plus));
  return lines;
}

std::vector<std::string> warnings(const FlowNumbers& n, const Case& flow) {
  std::vector<std::string> lines;
  if (n.mach > fast)
    lines.push_back(
        fmt::format("Mach number {:.2g} is above {}: the fluid is compressed; expected a --velocity of {:.2g} or less",
                    n.mach, fast, fast * speed_of_sound));
  const Collision& collision = flow.problem.collision;
  const bool damped = collision.model == Collision::Model::central_moments && collision.smagorinsky > 0;
  if (n.tau < stiff && !damped)
    lines.push_back(fmt::format("tau {:.5g} is close to 0.5: the flow may diverge; try {}", n.tau, remedies(flow)));
  if (n.tau > thick)
    lines.push_back(
        fmt::format("tau {:.4g} is above {}: the flow is inaccurate; try a smaller --velocity", n.tau, thick));
  if (!n.body) return lines;
  if (n.across < coarse)
    lines.push_back(
        fmt::format("the body is {} cells across at its thinnest: forces are rough below {}; try a greater "
                    "--length and --size",
                    n.across, coarse));
  if (n.blockage > narrow)
    lines.push_back(
        fmt::format("the body blocks {:.2g} % of the stream: forces are too large above {:.0f} %; try a wider "
                    "--size",
                    100 * n.blockage, 100 * narrow));
  if (n.y_plus && *n.y_plus > unresolved)
    lines.push_back(
        fmt::format("y+ of about {:.2g} is above {:.0f}: friction at the body is not resolved, and there is no wall "
                    "model",
                    *n.y_plus, unresolved));
  return lines;
}

std::string remedies(const Case& flow) {
  const Collision& c = flow.problem.collision;
  std::vector<std::string> list;
  if (std::abs(flow.velocity) > 0.1) list.push_back(fmt::format("a smaller --velocity (now {:.4g})", flow.velocity));
  if (c.model != Collision::Model::central_moments) list.emplace_back("--collision central-moments");
  if (c.smagorinsky == 0) list.emplace_back("--smagorinsky 0.1");
  const Problem& p = flow.problem;
  if (p.sponge == 0 && !p.face[1].periodic && p.face[1].wall.kind == Wall::Kind::pressure)
    list.push_back(fmt::format("--sponge {:.0f} before the outlet", std::max(8.0, 2 * flow.length)));
  list.push_back(fmt::format("a larger tau (now {:.5g}) by a smaller --re or more cells", c.tau));
  return fmt::format("{}", fmt::join(list, ", "));
}

}  // namespace asterism::apps::lbm
