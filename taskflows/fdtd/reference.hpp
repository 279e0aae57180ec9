// A solver to compare with: loops over entries, in double precision, after Maxwell's equations. Shares nothing with the
// kernels but the description of the problem.
#pragma once

#include <array>
#include <vector>

#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

class Reference {
 public:
  /// At time 0, with the problem's initial fields.
  explicit Reference(const Problem& problem);
  /// A time step.
  void advance();
  /// Of an entry of the domain, as Yee's lattice has it (codelets/fdtd/grid.hpp).
  [[nodiscard]] double at(Field field, int component, int i, int j, int k) const;

 private:
  using Place = std::array<int, 3>;
  /// What takes part in the change of an entry.
  struct Coefficients {
    double keep, add;
  };
  [[nodiscard]] std::size_t index(int component, const Place& at) const;
  [[nodiscard]] bool updated(Field field, int component, const Place& at) const;
  [[nodiscard]] double value(Field field, int component, Place at) const;
  [[nodiscard]] double derivative(Field field, int component, int along, const Place& at) const;
  [[nodiscard]] Coefficients coefficients(Field field, int component, const Place& at) const;
  void half_step(Field field);

  const Problem& problem_;
  long time_ = 0;
  std::array<std::vector<double>, 2> field_;
  std::array<std::vector<Coefficients>, 2> coefficients_;  ///< of all entries; empty: no materials
};

}  // namespace asterism::fdtd
