// SPDX-License-Identifier: Apache-2.0
// M^0 factorised by all ranks together: the paper's choice, MUMPS over MPI (Bramas, Coulaud, Sylvand, Parallel
// Computing 49 (2015), section 6.1). Its library names what that of one process names, so that a program with both
// may call the wrong one: it is part of a library, libasterism-mumps.so, that resolves its own names first and is
// loaded over several ranks only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "codelets/tdbem/kernels/march/solve.hpp"
#include "runtime/ranks/communicator.hpp"

namespace asterism::tdbem {

/// What a rank has of the factors.
template <class T>
class DistributedFactors {
 public:
  virtual ~DistributedFactors() = default;
  /// The right-hand side of rank 0 becomes the solution there; other ranks ignore it. Throws Error (failed).
  virtual void solve(T* right_hand_side) = 0;
};

/// Functions of libasterism-mumps.so: names asterism_mumps_double and asterism_mumps_float. Rows [begin, end) of the
/// matrix are this rank's. Throws Error (failed).
template <class T>
using DistributedFactorise = DistributedFactors<T>*(const CsrView<T>& matrix, std::int32_t begin, std::int32_t end,
                                                    int communicator);

template <class T>
class DistributedDirectSolver {
 public:
  /// Analyses and factorises; the matrix, which all ranks have, may go afterwards. Ranks make it, use it and destroy it
  /// together. Throws Error: bad_input when there is no such library, failed with what MUMPS says.
  explicit DistributedDirectSolver(const CsrView<T>& matrix);

  /// The right-hand side, the same on all ranks, becomes the solution on all of them.
  void solve(std::span<T> right_hand_side);

 private:
  Communicator communicator_;
  std::unique_ptr<DistributedFactors<T>> factors_;
};

extern template class DistributedDirectSolver<double>;
extern template class DistributedDirectSolver<float>;

}  // namespace asterism::tdbem
