// Floating-point operations of the lattice Boltzmann kernels, as they do them.
#pragma once

#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {

/// Of one cell in one half-step; divisions and square roots count one each.
constexpr double update_flops(const Collision& c) {
  const bool turbulent = c.smagorinsky != 0;
  const bool force = c.force[0] != 0 || c.force[1] != 0 || c.force[2] != 0;
  const double moments = 18 + 9 + 12;  // sums and differences of pairs, density, momentum
  const double flow = 5 + (force ? 3 : 0);
  const double stress = 1 + 3 * 7 + 3 * 3 + 13;
  const double rates = turbulent ? stress + 7 + (c.model == Collision::Model::trt ? 4 : 0) : 0;
  const double relaxation = 10 + 4 + 3 * 16 + 6 * 17;  // equilibrium, rest, pairs along axes and diagonals
  const double source = !force ? 0 : turbulent ? 4 + 6 + 3 + 9 * 8 : 6 + 2 + 9 * 5;
  return moments + flow + rates + relaxation + source;
}

}  // namespace asterism::lbm
