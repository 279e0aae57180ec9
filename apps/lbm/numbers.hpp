// SPDX-License-Identifier: Apache-2.0
// The numbers that decide whether a flow can be computed well: said before the run, with a warning where one is out of
// its range.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/geometry/body_size.hpp"

namespace asterism::apps::lbm {

struct FlowNumbers {
  double mach = 0;  ///< of the characteristic velocity
  double tau = 0;
  double reynolds = 0;
  std::optional<asterism::lbm::BodySize> body;
  int across = 0;       ///< cells of the smallest side of the body
  double blockage = 0;  ///< frontal area over that of the domain
  /// Distance of the first cells from the body in wall units, by the friction of a turbulent plate: with a turbulence
  /// model, and for Reynolds numbers above 2000
  std::optional<double> y_plus;
};

FlowNumbers flow_numbers(const asterism::lbm::Case& flow);
/// A line each, without an end. `facts`: what the numbers are, of a flow past a body.
std::vector<std::string> facts(const FlowNumbers& numbers, const asterism::lbm::Case& flow);
std::vector<std::string> warnings(const FlowNumbers& numbers, const asterism::lbm::Case& flow);
/// What may keep a flow from diverging that did, most promising first.
std::string remedies(const asterism::lbm::Case& flow);

}  // namespace asterism::apps::lbm
