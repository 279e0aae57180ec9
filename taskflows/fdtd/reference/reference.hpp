// SPDX-License-Identifier: Apache-2.0
// A solver to compare with: loops over entries, in double precision, after Maxwell's equations. Shares nothing with the
// kernels but the description of the problem:
//   eps dE/dt + sigma E + sum of dP/dt = curl H - J,    mu dH/dt + sigma_m H = -curl E - M
// by centred differences, P of dispersive media by the trapezoidal rule. In absorbing layers derivatives are those of
// stretched coordinates, and those across the box of a plane wave have both sides with the wave or both without.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "taskflows/fdtd/problem.hpp"
#include "taskflows/fdtd/reference/reference_media.hpp"
#include "taskflows/fdtd/reference/reference_wave.hpp"

namespace asterism::fdtd {

class Reference {
 public:
  /// At time 0, with the problem's initial fields. `problem` is kept by reference.
  explicit Reference(const Problem& problem);
  /// A time step.
  void advance();
  /// Value of an entry of the domain, as Yee's lattice has it (codelets/fdtd/kernels/grid.hpp).
  [[nodiscard]] double at(Field field, int component, int i, int j, int k) const;
  /// Absolute value of any entry of a field at the end of any step so far, or at time 0.
  [[nodiscard]] double largest(Field field) const;

 private:
  using Place = std::array<int, 3>;
  /// What takes part in the change of an entry.
  struct Coefficients {
    double keep, add;
  };
  /// Where an axis is stretched, and what a layer remembers there: d/dx becomes 1/kappa d/dx + psi, with psi of a step
  /// ago times `decay` plus `gain` times d/dx.
  struct Stretched {
    double kappa, decay, gain;
  };
  /// An electric entry in a medium with poles; `state` is E, then what its poles have.
  struct DispersiveEntry {
    std::size_t index;
    std::size_t law;
    std::vector<double> state;
  };

  void set_lengths();
  void set_stretches();
  void set_medium(Field field, int component, const Place& at);
  [[nodiscard]] std::size_t index(int component, const Place& at) const;
  [[nodiscard]] bool updated(Field field, int component, const Place& at) const;
  [[nodiscard]] double value(Field field, int component, int axis, Place at) const;
  [[nodiscard]] double difference(Field field, int component, int along, const Place& at) const;
  [[nodiscard]] double derivative(Field field, int component, int along, const Place& at);
  void take_curl(Field field);
  void subtract(Field field, const std::vector<CurrentSource>& sources, double time);
  void change(Field field);
  void look_for_largest(Field field);

  const Problem& problem_;
  long time_ = 0;
  std::array<std::vector<double>, 3> between_planes_, between_centres_;  ///< m, along each axis
  std::array<std::vector<double>, 2> field_;
  std::array<double, 2> largest_{};
  std::vector<double> right_side_;                         ///< of the equation of the field that changes
  std::array<std::vector<Coefficients>, 2> coefficients_;  ///< of all entries; empty: no materials
  std::map<CellsAround, std::size_t> law_of_;
  std::vector<DispersiveLaw> laws_;
  std::array<std::map<std::size_t, EntryMedium>, 2> own_medium_;  ///< of entries of a field, near surfaces
  std::map<std::size_t, double> lumped_;                          ///< S/m of edges with resistors
  std::vector<DispersiveEntry> dispersive_;
  std::array<std::array<std::vector<Stretched>, 3>, 2> stretched_;  ///< of a field along an axis; empty: no layers
  std::array<std::array<std::vector<double>, 2>, 2> psi_;           ///< of a field, of both terms of its curl
  std::vector<ReferenceWave> waves_;
};

/// Steps of a problem that cost as much as so many updates of a cell. The lines of plane waves grow with the steps.
long steps_worth(const Problem& problem, double updates);

}  // namespace asterism::fdtd
