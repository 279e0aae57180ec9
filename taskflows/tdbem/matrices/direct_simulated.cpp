// SPDX-License-Identifier: Apache-2.0
// For programs of simulated clusters, where nothing is factorised: MUMPS without MPI has stand-ins for MPI, which would
// take the place of SimGrid's. The constructor says so and ends the program (--solver mumps is refused before it comes
// to that): there is no instance that the other functions could be called of.
#include "base/error.hpp"
#include "taskflows/tdbem/matrices/direct.hpp"

namespace asterism::tdbem {

template <class T>
struct DirectSolver<T>::Instance {};

template <class T>
DirectSolver<T>::DirectSolver(const CsrView<T>& /*matrix*/) {
  failed("M^0 is not factorised on simulated machines");
}

template <class T>
DirectSolver<T>::~DirectSolver() = default;
template <class T>
DirectSolver<T>::DirectSolver(DirectSolver&&) noexcept = default;
template <class T>
DirectSolver<T>& DirectSolver<T>::operator=(DirectSolver&&) noexcept = default;

template <class T>
void DirectSolver<T>::solve(std::span<T> /*right_hand_sides*/) {}

template <class T>
std::int32_t DirectSolver<T>::rows() const noexcept {
  return 0;
}

template <class T>
std::int64_t DirectSolver<T>::factor_entries() const noexcept {
  return 0;
}

template class DirectSolver<double>;
template class DirectSolver<float>;

}  // namespace asterism::tdbem
