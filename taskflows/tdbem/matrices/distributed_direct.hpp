// M^0 factorised by all ranks together: the paper's choice, MUMPS over MPI (Bramas, Coulaud, Sylvand, Parallel
// Computing 49 (2015), section 6.1). Its library names what that of one process names, so that a program with both
// calls the wrong one half of the time: it is part of a library of ours, libasterism-mumps.so, that sees its own things
// first and is loaded over several ranks only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "codelets/tdbem/kernels/march/solve.hpp"
#include "runtime/ranks/communicator.hpp"

namespace asterism::tdbem {

/// What a rank has of the factors.
template <class T>
class FactorsOfRanks {
 public:
  virtual ~FactorsOfRanks() = default;
  /// The right-hand side of rank 0 becomes the solution there; on others it is not looked at. Throws Error (failed).
  virtual void solve(T* right_hand_side) = 0;
};

/// Of libasterism-mumps.so: names asterism_mumps_double and asterism_mumps_float. Rows [begin, end) of the matrix are
/// this rank's. Throws Error (failed).
template <class T>
using FactoriseOverRanks = FactorsOfRanks<T>*(const CsrView<T>& matrix, std::int32_t begin, std::int32_t end,
                                              int communicator);

template <class T>
class DirectSolverOfRanks {
 public:
  /// Analyses and factorises; the matrix, which all ranks have, may go afterwards. Ranks make it, use it and destroy it
  /// together. Throws Error: bad_input when there is no such library, failed with what MUMPS says.
  explicit DirectSolverOfRanks(const CsrView<T>& matrix);

  /// The right-hand side, the same on all ranks, becomes the solution on all of them.
  void solve(std::span<T> right_hand_side);

 private:
  Communicator communicator_;
  std::unique_ptr<FactorsOfRanks<T>> factors_;
};

extern template class DirectSolverOfRanks<double>;
extern template class DirectSolverOfRanks<float>;

}  // namespace asterism::tdbem
