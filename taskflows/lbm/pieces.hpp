// SPDX-License-Identifier: Apache-2.0
// The domain in pieces, on units: what the options leave open is chosen for the machine.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/unit_choice.hpp"
#include "runtime/machine/unit_rates.hpp"
#include "runtime/session.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {

struct PieceOptions {
  std::array<int, 3> subdomains{1, 1, 1};
  std::optional<double> gpu_share;  ///< none: from measured rates
  int cores = 0;                    ///< bricks of each sub-domain for CPUs; 0: as many as the session has
  int gpu_bricks = 0;               ///< of each sub-domain for its GPU; 0: see pieces.cpp
  bool scheduler_places = false;    ///< the scheduler decides where bricks are updated
};

enum class PlacedBy { program, scheduler };

struct Pieces {
  std::vector<BrickPlace> bricks;
  Placement placement;
  std::array<int, 3> subdomains{1, 1, 1};
  double gpu_share = 0;
};

/// Cuts the domain so that GPUs get `gpu_share` of each sub-domain. All ranks call it.
Pieces cut(const PieceOptions& options, const Problem& problem, const Session& session, double gpu_share,
           PlacedBy placed_by);

/// With several bricks, a GPU packs for the neighbours of one while it updates another, on a stream of its own.
bool several_bricks_per_gpu(const PieceOptions& options, const SessionOptions& session);
/// Streams of each GPU, unless STARPU_NWORKER_PER_CUDA says how many; none: one.
std::optional<int> suited_streams(const PieceOptions& options, const SessionOptions& session);

/// Names of the rates of such flows, in known_rates.hpp: "lbm/double/trt".
std::string kind_of(const Problem& problem);
/// Name, among the known rates, of the share of the cores once it has settled.
std::string cores_share_name(const Problem& problem, const Session& session);
/// What the choice of units depends on; nothing where the options say how the domain is cut or placed. Both are kept by
/// reference.
std::optional<StepWork> step_work_of(const PieceOptions& options, const Problem& problem);

/// The part of GPUs in the domain, and the rates that it follows from where these had to be measured.
struct GpuShare {
  double share = 0;
  std::optional<Rates> rates;
};
/// As the options say, as it has settled in an earlier run, as it was chosen with the units, or by rates. `measuring`
/// is told before rates are measured.
GpuShare gpu_share_of(const PieceOptions& options, const Problem& problem, const Session& session,
                      const std::optional<double>& chosen, const std::function<void()>& measuring);

/// A simulation in the pieces `to`, with the state of `from`.
std::unique_ptr<Simulation> moved(std::unique_ptr<Simulation> from, const Problem& problem, const Pieces& to);

}  // namespace asterism::lbm
