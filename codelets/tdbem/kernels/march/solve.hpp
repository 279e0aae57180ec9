// SPDX-License-Identifier: Apache-2.0
// M^0 a = s: the small sparse system of every time step, symmetric positive definite, of condition about 3 whatever the
// mesh. Conjugate gradients with the diagonal as preconditioner (M. R. Hestenes, E. Stiefel 1952): some 16 iterations
// to 1e-10, less from the values of the last time step.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace asterism::tdbem {

/// A square matrix by rows; both triangles of a symmetric one.
template <class T>
struct CsrView {
  std::int32_t rows = 0;
  const std::int32_t* start = nullptr;   ///< rows + 1
  const std::int32_t* column = nullptr;  ///< start[rows], 0-based, ascending in each row
  const T* value = nullptr;              ///< as many
};

enum class Ending : std::int32_t {
  converged,
  most_iterations,  ///< the residual is not small enough after as many as are allowed
  breakdown,        ///< the matrix is not positive definite along a direction, or something is not finite
};

struct Convergence {
  double residual = 0;  ///< ||s - M a|| / ||s|| as the recurrence has it
  std::int32_t iterations = 0;
  Ending ending = Ending::converged;
};

struct SolveLimits {
  double tolerance = 1e-10;  ///< of Convergence::residual
  std::int32_t most_iterations = 200;
};

/// The first guess: the cubic through the last four values, or the line through the last two.
template <class T>
struct Guess {
  const T* last = nullptr;
  const T* before = nullptr;
  const T* third = nullptr;  ///< and fourth: nullptr for a line
  const T* fourth = nullptr;

  ASTERISM_HOST_DEVICE T operator()(std::int32_t i) const {
    return third == nullptr ? 2 * last[i] - before[i] : 4 * (last[i] + third[i]) - 6 * before[i] - fourth[i];
  }
};

/// Elements of T that solve() works in: three vectors on CPUs, two of doubles on GPUs.
constexpr std::int64_t solve_workspace(std::int32_t rows) {
  return 4 * static_cast<std::int64_t>(rows);
}

namespace cpu {

/// inverse[i] = 1 / M_ii: the preconditioner. Returns the first row without a positive diagonal entry, or -1.
template <class T>
std::int32_t invert_diagonal(const CsrView<T>& m, T* inverse);

/// One right-hand side. `a` holds the initial guess and becomes the solution; for s = 0 that is 0, in no iteration.
/// Vectors and the products of rows are in T, scalar products in double.
template <class T>
Convergence solve(const CsrView<T>& m, const T* inverse_diagonal, const SolveLimits& limits, const T* s, T* a,
                  T* workspace);

}  // namespace cpu
}  // namespace asterism::tdbem
