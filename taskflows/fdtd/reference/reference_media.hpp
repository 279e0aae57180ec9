// SPDX-License-Identifier: Apache-2.0
// What the entries of the simple solver are made of: means over the cells around them, and the law of those in
// dispersive media.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

/// Cells of each material around an entry: four around an edge of E, two beside a face of H, fewer at the faces of the
/// domain. On a graded mesh they count by their areas across the edge, or lengths, in spacings.
using CellsAround = std::map<std::uint16_t, double>;
CellsAround cells_around(const Problem& problem, Field field, int component, const std::array<int, 3>& at);

/// Permittivity and conductivity, or permeability and magnetic loss. Around an edge of E the currents of all cells add
/// up: the arithmetic mean. Across a face of H the field adds up: the harmonic mean.
struct EntryMedium {
  double constant;  ///< F/m or H/m
  double loss;      ///< S/m or ohm/m
};
EntryMedium mean_over(const Problem& problem, Field field, const CellsAround& around);

/// Ampere's law of an entry and the equations of all poles of the cells around it,
///   M dx/dt + K x = f,  x = (E, P and dP/dt of each pole but no dP/dt of Debye's)
/// by the trapezoidal rule: (M/dt + K/2) x(n + 1) = (M/dt - K/2) x(n) + f(n + 1/2). The system is solved once for all
/// right-hand sides, so that a step is a product with a matrix.
class DispersiveLaw {
 public:
  /// Where any cell around has a pole.
  DispersiveLaw(const Problem& problem, const CellsAround& around);
  [[nodiscard]] std::size_t unknowns() const { return unknowns_; }
  /// `state` a step later; `current`: curl H - J in the middle of it, A/m^2.
  void advance(std::vector<double>& state, double current) const;

 private:
  std::size_t unknowns_;
  std::vector<double> step_;      ///< x(n + 1) of x(n), row by row
  std::vector<double> response_;  ///< x(n + 1) of a current
};

/// Has any of the cells a pole, and none a perfect conductor?
bool is_dispersive(const Problem& problem, const CellsAround& around);

}  // namespace asterism::fdtd
