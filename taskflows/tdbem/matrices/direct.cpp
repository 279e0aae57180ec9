// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/direct.hpp"

#include "base/error.hpp"
#include "taskflows/tdbem/matrices/mumps.hpp"

namespace asterism::tdbem {
namespace {

constexpr MUMPS_INT world = -987654;  // MPI_COMM_WORLD, whatever its number

}  // namespace

template <class T>
struct DirectSolver<T>::Instance : Mumps<T> {
  Instance() : Mumps<T>(world) {}
};

template <class T>
DirectSolver<T>::DirectSolver(const CsrView<T>& matrix) : instance_(std::make_unique<Instance>()) {
  if (matrix.rows < 1) bad_input("matrix that is to be factorised: no rows");
  LowerEntries<T> lower(matrix, 0, matrix.rows);
  auto& id = instance_->id;
  id.n = matrix.rows;
  id.nnz = static_cast<MUMPS_INT8>(lower.value.size());
  id.irn = lower.row.data();
  id.jcn = lower.column.data();
  id.a = lower.value.data();
  instance_->run(Instance::analyse_and_factorise, "factorisation");
  id.irn = id.jcn = nullptr;
  id.a = nullptr;
}

template <class T>
DirectSolver<T>::~DirectSolver() = default;
template <class T>
DirectSolver<T>::DirectSolver(DirectSolver&&) noexcept = default;
template <class T>
DirectSolver<T>& DirectSolver<T>::operator=(DirectSolver&&) noexcept = default;

template <class T>
void DirectSolver<T>::solve(std::span<T> right_hand_sides) {
  auto& id = instance_->id;
  const auto count = right_hand_sides.size() / static_cast<std::size_t>(id.n);
  if (count == 0 || count * static_cast<std::size_t>(id.n) != right_hand_sides.size())
    failed("MUMPS, solution: {} values are no right-hand sides of {}", right_hand_sides.size(), id.n);
  id.rhs = right_hand_sides.data();
  id.nrhs = static_cast<MUMPS_INT>(count);
  id.lrhs = id.n;
  instance_->run(Instance::solve_system, "solution");
}

template <class T>
std::int32_t DirectSolver<T>::rows() const noexcept {
  return instance_->id.n;
}

template <class T>
std::int64_t DirectSolver<T>::factor_entries() const noexcept {
  const MUMPS_INT entries = instance_->id.infog[8];  // in millions and negative when there are too many for it
  return entries >= 0 ? entries : -1000000 * static_cast<std::int64_t>(entries);
}

template class DirectSolver<double>;
template class DirectSolver<float>;

}  // namespace asterism::tdbem
