// SPDX-License-Identifier: Apache-2.0
// M^0 factorised once, solved in every time step: MUMPS, Cholesky's factorisation on one process. That is the library
// without MPI, which starts as any other: Open MPI in a process that no launcher started starts a daemon first, and
// ends the process if it cannot.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "codelets/tdbem/kernels/march/solve.hpp"

namespace asterism::tdbem {

/// T: double or float, of the factors and of right-hand sides.
template <class T>
class DirectSolver {
 public:
  /// Analyses and factorises. Reads the lower triangle; the matrix may go afterwards. Throws Error: bad_input for an
  /// empty matrix, failed with what MUMPS says, as when the matrix is not positive definite.
  explicit DirectSolver(const CsrView<T>& matrix);
  ~DirectSolver();
  DirectSolver(DirectSolver&&) noexcept;
  DirectSolver& operator=(DirectSolver&&) noexcept;

  /// Right-hand sides one after the other, a multiple of the rows, become solutions. Throws Error (failed) for other
  /// sizes and with what MUMPS says.
  void solve(std::span<T> right_hand_sides);

  [[nodiscard]] std::int32_t rows() const noexcept;
  [[nodiscard]] std::int64_t factor_entries() const noexcept;

 private:
  struct Instance;
  std::unique_ptr<Instance> instance_;
};

extern template class DirectSolver<double>;
extern template class DirectSolver<float>;

}  // namespace asterism::tdbem
