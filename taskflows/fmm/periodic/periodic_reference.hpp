// SPDX-License-Identifier: Apache-2.0
// Potential and field of particles and all their periodic images at a point, an answer that shares no code with tree,
// expansions and lattice operators, converged to about 1e-13:
//   3 directions: Ewald's sum with structure factors, in a conductor ("tin-foil")
//   2: lines of images summed by Euler's and Maclaurin's formula, sheets of lines in closed form (Lekner, Physica A
//   157,
//      1989; Arnold, Holm, Comput. Phys. Commun. 148, 2002)
//   1: lines
// The potential of 1 and 2 directions is up to a constant times the total charge, which has to be 0.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/periodic/periodic_box.hpp"
#include "taskflows/fmm/reference.hpp"

namespace asterism::fmm {

class PeriodicReference {
 public:
  /// The potential of particles with charges q_j and K = 1/r; x, xy or xyz have the period `width`.
  /// `particles` must outlive this.
  /// `targets`: how many points will be asked for, with which Ewald's sum is divided into its two parts. Over several
  /// ranks each sums over its particles; what they sum to is the potential when all have the same `all`, the number of
  /// particles altogether (0: those here).
  PeriodicReference(const Particles& particles, int directions, double width, double targets, std::size_t all = 0);
  /// Sums at a point, without the particles that are there, but with their images.
  [[nodiscard]] FieldSums at(double x, double y, double z) const;

 private:
  struct Wave {
    int x, y, z;
    double weight;                   ///< 2 x 4 pi / V exp(-k^2 / 4 alpha^2) / k^2, one of each pair k, -k
    std::complex<double> structure;  ///< sum of q_j exp(i k x_j)
  };
  void choose_waves(double particles, double targets);
  void add_structure();
  [[nodiscard]] FieldSums ewald(double x, double y, double z) const;

  const Particles& particles_;
  int directions_;
  double width_;
  double alpha_ = 0;
  std::vector<Wave> waves_;
  int most_ = 0;  ///< largest wave number
};

/// Targets for errors_against() among n particles: as many as a few seconds allow.
std::int64_t affordable_periodic_targets(const PeriodicBox& box, std::int64_t particles);

}  // namespace asterism::fmm
