// SPDX-License-Identifier: Apache-2.0
// The plane wave of the simple solver, and the box that it is in: the line of
// codelets/fdtd/kernels/sources/plane_wave.hpp, which begins with the same given entries, but goes on as far as
// anything of it has come, so that nothing absorbs it.
#pragma once

#include <array>
#include <vector>

#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

class ReferenceWave {
 public:
  /// At time 0, before anything is given.
  ReferenceWave(const WaveInBox& wave, const Problem& problem);
  /// E to step `step` and H half a step on.
  void advance_electric(long step);
  void advance_magnetic();
  /// Is the wave part of the field at an entry of the domain?
  [[nodiscard]] bool inside(Field field, int component, const std::array<int, 3>& at) const;
  /// What it has there. Entries are where inside() says so, or beside them.
  [[nodiscard]] double value(Field field, int component, const std::array<int, 3>& at) const;

 private:
  [[nodiscard]] long place(Field field, int component, const std::array<int, 3>& at) const;
  void advance(Field field, long first);
  [[nodiscard]] double length_at(long place) const;
  [[nodiscard]] double entry(Field field, int component, long place) const;

  Waveform waveform_;
  Box planes_;
  std::array<bool, 3> through_;  ///< the box goes through a periodic domain
  std::array<long, 3> m_;        ///< along which it travels, in whole numbers by spacings
  std::array<double, 3> polarisation_;
  std::array<double, 3> spacing_;
  std::vector<double> lengths_;  ///< in spacings, of the cells along a graded axis that it travels along
  long first_cell_ = 0;          ///< of these, the one before the box; the last one is behind it
  long sign_ = 1;                ///< of travel along that axis
  double dt_, eps0_, mu0_;
  double delay_;    ///< s, of a place to the next
  long reach_ = 0;  ///< of places that need each other
  long origin_;     ///< the place at which the waveform is that of the time
  long first_;      ///< place of the first values
  long start_;      ///< place up to which E is given
  std::array<std::array<std::vector<double>, 3>, 2> line_;
};

}  // namespace asterism::fdtd
