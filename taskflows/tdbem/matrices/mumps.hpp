// SPDX-License-Identifier: Apache-2.0
// MUMPS (P. R. Amestoy, I. S. Duff, J.-Y. L'Excellent, J. Koster, SIAM J. Matrix Anal. Appl. 23 (2001)) for symmetric
// positive definite matrices: an instance that ends itself and says in words what went wrong. Whether it is the library
// of one process or of several is decided by what this is linked with.
#pragma once

#include <dmumps_c.h>
#include <smumps_c.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "codelets/tdbem/kernels/march/solve.hpp"

namespace asterism::tdbem {

template <class T>
class Mumps {
 public:
  using Id = std::conditional_t<std::is_same_v<T, double>, DMUMPS_STRUC_C, SMUMPS_STRUC_C>;
  /// Values of `job`.
  static constexpr MUMPS_INT analyse_and_factorise = 4, solve_system = 3;

  /// `communicator`: of the processes that factorise together, as Fortran numbers it.
  explicit Mumps(MUMPS_INT communicator) {
    id.job = start;
    id.par = 1;  // the host takes part
    id.sym = positive_definite;
    id.comm_fortran = communicator;
    call(id);
    for (int channel = 0; channel < 3; ++channel) id.icntl[channel] = -1;  // says nothing
    id.icntl[3] = 0;
  }
  ~Mumps() {
    id.job = end;
    call(id);
  }
  Mumps(const Mumps&) = delete;
  Mumps& operator=(const Mumps&) = delete;

  /// Throws Error (failed); over several processes on all of them.
  void run(MUMPS_INT job, const char* what) {
    id.job = job;
    call(id);
    const MUMPS_INT code = id.infog[0];
    if (code < 0) {
      if (code == -10 || code == -40) failed("MUMPS, {}: the matrix is not positive definite (error {})", what, code);
      if (code == -13) failed("MUMPS, {}: not enough memory (error {}, {})", what, code, id.infog[1]);
      failed("MUMPS, {}: error {} ({})", what, code, id.infog[1]);
    }
    // a negative pivot stops no factorisation
    if (const MUMPS_INT negative = id.infog[11]; job == analyse_and_factorise && negative != 0)
      failed("MUMPS, {}: the matrix is not positive definite ({} negative pivots)", what, negative);
  }

  Id id{};

 private:
  static constexpr MUMPS_INT start = -1, end = -2;
  static constexpr MUMPS_INT positive_definite = 1;

  static void call(DMUMPS_STRUC_C& id) { dmumps_c(&id); }
  static void call(SMUMPS_STRUC_C& id) { smumps_c(&id); }
};

/// The lower triangle of rows [begin, end) by entries, numbered from 1.
template <class T>
struct LowerEntries {
  std::vector<MUMPS_INT> row, column;
  std::vector<T> value;

  LowerEntries(const CsrView<T>& matrix, std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i)
      for (std::int32_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
        if (matrix.column[k] > i) continue;
        row.push_back(i + 1);
        column.push_back(matrix.column[k] + 1);
        value.push_back(matrix.value[k]);
      }
  }
};

}  // namespace asterism::tdbem
