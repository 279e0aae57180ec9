// SPDX-License-Identifier: Apache-2.0
// Who gets what of the domain: strips along x for GPUs and cores by their speed, or equal boxes. Over several ranks all
// make the same division: consecutive strips or boxes are a rank's, as many as its units are fast.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "runtime/session.hpp"
#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// What is said about the division; what is left open is chosen.
struct DivisionOptions {
  std::optional<std::array<int, 3>> boxes;  ///< equal parts; none: strips by speed
  std::optional<double> gpu_share;          ///< none: from measured rates
  std::vector<double> gpu_weights;          ///< of the GPUs of a process; empty: alike, or measured
  std::optional<int> overlap;               ///< none: best_overlap()
  int bricks_per_gpu = 0;                   ///< 0: two where there are neighbours
  Exchange exchange = Exchange::hidden;
  bool scheduler_places = false;  ///< bricks have no fixed unit
};

/// The domain in pieces, on units.
struct Division {
  std::vector<BrickPlace> bricks;
  Placement placement;
  double gpu_share = 0;
  int overlap = 0;  ///< planes (simulation.hpp)
  Exchange exchange = Exchange::hidden;
};

/// Units of a rank, and what they get of the domain together, 0 to 1: the sum over ranks is 1.
struct RankShare {
  int gpus = 0;
  int cores = 0;
  double of_gpus = 0;
  double of_cores = 0;
  std::vector<double> gpu_weights{};  ///< what each GPU gets of `of_gpus`, in proportion; empty: all the same
};

/// Strips along x: first those of GPUs, a GPU's own side by side, then one per core. Cores for which no plane is left
/// get none. Throws Error (bad input) when there is a part for a kind of unit that the session does not have, and for
/// weights that are not one for each GPU.
Division strips(const Problem& problem, const Session& session, double gpu_share, int strips_per_gpu,
                const std::vector<double>& gpu_weights = {});
/// Strips along x of each rank in turn, with two strips per core; `session` is this rank's. Throws Error (bad input)
/// for a rank that gets nothing, too.
Division strips(const Problem& problem, const Session& session, const std::vector<RankShare>& ranks,
                int strips_per_gpu);

/// Equal boxes, side by side on the GPUs where there are any, else on the cores. Throws as decompose().
Division boxes(const Problem& problem, const Session& session, const std::array<int, 3>& parts);
/// Equal boxes over several ranks, as many on a rank as it has shares. Throws Error (bad input) when there are fewer
/// boxes than ranks.
Division boxes(const Problem& problem, const Session& session, const std::vector<RankShare>& ranks,
               const std::array<int, 3>& parts);

/// An overlap that saves more than the planes cost that it makes units advance for each other; 0 where there is none.
int best_overlap(const Problem& problem, const Division& division);

/// The division that the options ask for, with this share of GPUs, in one process. Throws as strips() and boxes().
Division divide(const DivisionOptions& options, const Problem& problem, const Session& session, double gpu_share,
                const std::vector<double>& gpu_weights);
/// The division over several ranks, with the shares of each.
Division divide(const DivisionOptions& options, const Problem& problem, const Session& session,
                const std::vector<RankShare>& ranks);
/// Streams of each GPU, unless STARPU_NWORKER_PER_CUDA says how many: packing for neighbours on the same GPU goes on
/// beside the update of another brick. None: one.
std::optional<int> suited_streams(const DivisionOptions& options);

}  // namespace asterism::fdtd
