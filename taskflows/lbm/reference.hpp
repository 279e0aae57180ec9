// SPDX-License-Identifier: Apache-2.0
// A lattice Boltzmann solver as simple as it can be, for --verify and tests: two copies of whole populations, double
// precision, one loop over the domain, walls looked up at each cell. It shares the velocities and weights of
// the lattice with the kernels, and no code.
#pragma once

#include <vector>

#include "taskflows/lbm/problem.hpp"

namespace asterism::lbm {

class Reference {
 public:
  explicit Reference(const Problem& problem);
  void advance();  ///< one time step: collide, propagate
  /// Density and velocity of all cells: rho, u, v, w, each with x fastest; solid cells 1, 0, 0, 0
  [[nodiscard]] std::vector<double> fields() const;

 private:
  [[nodiscard]] std::size_t cell(int x, int y, int z) const;
  void collide(double* f) const;
  void rub(double* f, int x, int y, int z) const;
  [[nodiscard]] double arriving(int i, int x, int y, int z) const;
  [[nodiscard]] double returned(int i, int x, int y, int z) const;

  const Problem& problem_;
  std::size_t cells_;
  std::vector<double> f_;     ///< arrived, before collision, cell by cell
  std::vector<double> post_;  ///< after collision
};

}  // namespace asterism::lbm
