// Who gets what of the domain: strips along x for GPUs and cores by their speed, or equal boxes.
#pragma once

#include <array>

#include "taskflows/fdtd/simulation.hpp"
#include "taskflows/runtime/session.hpp"

namespace asterism::fdtd {

/// The domain in pieces, on units.
struct Division {
  std::vector<BrickPlace> bricks;
  Placement placement;
  double gpu_share = 0;
  int overlap = 0;  ///< planes (simulation.hpp)
};

/// Strips along x: first those of GPUs, a GPU's own side by side, then one per core. Cores for which no plane is left
/// get none. Throws Error (bad input) when there is a part for a kind of unit that the session does not have.
Division strips(const Problem& problem, const Session& session, double gpu_share, int strips_per_gpu);

/// Equal boxes, side by side on the GPUs where there are any, else on the cores. Throws as decompose().
Division boxes(const Problem& problem, const Session& session, const std::array<int, 3>& parts);

/// An overlap that saves more than the planes cost that it makes units advance for each other; 0 where there is none.
int best_overlap(const Problem& problem, const Division& division);

}  // namespace asterism::fdtd
