// SPDX-License-Identifier: Apache-2.0
// Bytes and floating-point operations of the lattice Boltzmann kernels, per cell, as the kernels do them: the one place
// that program, bounds and documentation read.
#pragma once

#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {

/// An update of a cell in one half-step; divisions and square roots count one each. `one_by_one`: each pair's
/// equilibrium, then its relaxation and source, as the model is written; else as the kernels do it.
constexpr double flops_of_update(const Collision& c, bool one_by_one) {
  const bool turbulent = c.smagorinsky != 0;
  const bool force = c.force[0] != 0 || c.force[1] != 0 || c.force[2] != 0;
  const double moments = 18 + 9 + 12;  // sums and differences of pairs, density, momentum
  const double flow = 5 + (force ? 3 : 0);
  const double stress = 1 + 3 * 7 + 3 * 3;
  const double norm = 13;
  if (c.model == Collision::Model::central_moments) {
    const double second_order = 1 + 1 + 3 + 3 + 3 * 9 + (force ? 12 : 0);
    const double planes = 3 * (37.0 + (force ? 12 : 0));  // third and fourth order, populations of diagonals
    const double others = 6 + 3 * 8;                      // populations at rest and along axes
    const double third =
        c.third_magic == 0 ? 0 : 3 + 3 * (2 + 2 * (8.0 + (force ? 7 : 0)) + 2 + 5) + (turbulent ? 5 : 0);
    return moments + flow + stress + (turbulent ? norm + 7 + 1 : 0) + second_order + planes + others + third;
  }
  const double rates = turbulent ? stress + norm + 7 + (c.model == Collision::Model::trt ? 4 : 0) : 0;
  // equilibrium, rest, what pairs relax to, pairs along axes and diagonals
  const double relaxation = one_by_one ? 10 + 4 + 3 * 16 + 6 * 17 : 10 + 4 + (turbulent ? 12 : 6) + 3 * 10 + 6 * 11;
  const double source = !force       ? 0
                        : one_by_one ? (turbulent ? 4 + 6 + 3 + 9 * 8 : 6 + 2 + 9 * 5)
                        : turbulent  ? 4 + 6 + 3 + 3 + 4 + 9 * 4
                                     : 6 + 2 + 2 + 9 * 2;
  return moments + flow + rates + relaxation + source;
}
constexpr double update_flops(const Collision& c) {
  return flops_of_update(c, false);
}
/// The measure of a task's work, in which platforms, rates and recorded graphs are: the same whatever kernels save.
constexpr double task_flops(const Collision& c) {
  return flops_of_update(c, true);
}

/// An update of a cell: nineteen populations are read and written; `population`: bytes of one.
constexpr double update_bytes(int population) {
  return 2.0 * q * population;
}

/// Density and velocity of a cell: nineteen populations are read, four numbers written.
constexpr double observe_bytes(int population) {
  return (q + 4.0) * population;
}

/// Sums over cells: nineteen populations are read.
constexpr double total_bytes(int population) {
  return static_cast<double>(q) * population;
}

/// A border cell packed for a neighbour, or unpacked: five populations are read and written.
constexpr double transfer_bytes(int population) {
  return 2.0 * crossing * population;
}

/// A cell stored to an array or loaded from one: nineteen populations are read and written.
constexpr double copy_bytes(int population) {
  return 2.0 * q * population;
}

/// A link between a fluid and a solid cell: two offsets and a population are read, a population is written.
constexpr double link_bytes(int population) {
  return 2.0 * (population + 8.0);
}

}  // namespace asterism::lbm
