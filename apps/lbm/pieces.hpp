// SPDX-License-Identifier: Apache-2.0
// The domain in pieces, on units: what the options leave open is chosen for the machine.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/lbm/arguments.hpp"
#include "runtime/machine/unit_choice.hpp"
#include "runtime/session.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::apps::lbm {

enum class PlacedBy { program, scheduler };

struct Pieces {
  std::vector<asterism::lbm::BrickPlace> bricks;
  asterism::lbm::Placement placement;
  std::array<int, 3> subdomains{1, 1, 1};
  double gpu_share = 0;
};

/// Cuts the domain so that GPUs get `gpu_share` of each sub-domain. All ranks call it.
Pieces cut(const Arguments& args, const asterism::lbm::Problem& problem, const Session& session, double gpu_share,
           PlacedBy placed_by);

/// Names of the rates of such flows, in known_rates.hpp: "lbm/double/trt".
std::string kind_of(const asterism::lbm::Problem& problem);
/// What the choice of units depends on; nothing where the options say how the domain is cut or placed.
std::optional<StepWork> step_work_of(const Arguments& args, const asterism::lbm::Problem& problem);

/// A simulation in the pieces `to`, with the state of `from`.
std::unique_ptr<asterism::lbm::Simulation> moved(std::unique_ptr<asterism::lbm::Simulation> from,
                                                 const asterism::lbm::Problem& problem, const Pieces& to);

}  // namespace asterism::apps::lbm
