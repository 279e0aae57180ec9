#include "taskflows/tdbem/direct.hpp"

#include <dmumps_c.h>
#include <smumps_c.h>

#include <type_traits>
#include <vector>

#include "taskflows/runtime/error.hpp"

namespace asterism::tdbem {
namespace {

void call(DMUMPS_STRUC_C& id) {
  dmumps_c(&id);
}
void call(SMUMPS_STRUC_C& id) {
  smumps_c(&id);
}

// values of `job`
constexpr MUMPS_INT start = -1, end = -2, analyse_and_factorise = 4, solve_system = 3;
constexpr MUMPS_INT positive_definite = 1;
constexpr MUMPS_INT world = -987654;  // MPI_COMM_WORLD, whatever its number

}  // namespace

template <class T>
struct DirectSolver<T>::Instance {
  using Id = std::conditional_t<std::is_same_v<T, double>, DMUMPS_STRUC_C, SMUMPS_STRUC_C>;

  Instance() {
    id.job = start;
    id.par = 1;  // the host takes part
    id.sym = positive_definite;
    id.comm_fortran = world;
    call(id);
    for (int channel = 0; channel < 3; ++channel) id.icntl[channel] = -1;  // says nothing
    id.icntl[3] = 0;
  }
  ~Instance() {
    id.job = end;
    call(id);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void run(MUMPS_INT job, const char* what) {
    id.job = job;
    call(id);
    const MUMPS_INT code = id.infog[0];
    if (code >= 0) return;
    if (code == -10 || code == -40) failed("MUMPS, {}: the matrix is not positive definite (error {})", what, code);
    if (code == -13) failed("MUMPS, {}: not enough memory (error {}, {})", what, code, id.infog[1]);
    failed("MUMPS, {}: error {} ({})", what, code, id.infog[1]);
  }

  Id id{};
};

template <class T>
DirectSolver<T>::DirectSolver(const CsrView<T>& matrix) : instance_(std::make_unique<Instance>()) {
  if (matrix.rows < 1) bad_input("matrix that is to be factorised: no rows");
  std::vector<MUMPS_INT> row, column;
  std::vector<T> value;
  for (std::int32_t i = 0; i < matrix.rows; ++i)
    for (std::int32_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
      if (matrix.column[k] > i) continue;
      row.push_back(i + 1);
      column.push_back(matrix.column[k] + 1);
      value.push_back(matrix.value[k]);
    }
  auto& id = instance_->id;
  id.n = matrix.rows;
  id.nnz = static_cast<MUMPS_INT8>(value.size());
  id.irn = row.data();
  id.jcn = column.data();
  id.a = value.data();
  instance_->run(analyse_and_factorise, "factorisation");
  id.irn = id.jcn = nullptr;
  id.a = nullptr;
  // a negative pivot stops no factorisation
  if (const MUMPS_INT negative = id.infog[11]; negative != 0)
    failed("MUMPS, factorisation: the matrix is not positive definite ({} negative pivots)", negative);
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
  instance_->run(solve_system, "solution");
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
