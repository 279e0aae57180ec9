// SPDX-License-Identifier: Apache-2.0
#include "bounds/linear_program.hpp"

#include <lpsolve/lp_lib.h>

#include <algorithm>
#include <cctype>
#include <new>

#include "base/error.hpp"
#include "io/output_file.hpp"

/// Each new program of lp_solve looks through the file system for a library of its user's, libmyBLAS.so, which takes
/// longer than solving a small one. Called instead of lp_solve's own function (cmake/FindLpSolve.cmake): there is none.
extern "C" unsigned char __wrap_load_BLAS(char* /*name*/) {  // NOLINT(bugprone-reserved-identifier): the linker's
  return TRUE;
}

namespace asterism::bounds {
namespace {

const char* explain(int status) {
  switch (status) {
    case NOMEMORY:
      return "out of memory";
    case SUBOPTIMAL:
    case TIMEOUT:
      return "no optimum was proven within the time limit";
    case INFEASIBLE:
      return "its constraints contradict each other";
    case UNBOUNDED:
      return "it is unbounded";
    case DEGENERATE:
      return "it is degenerate";
    case NUMFAILURE:
      return "numerical failure";
    default:
      return "lp_solve gave up";
  }
}

double finite(double value) {
  return value == LinearProgram::infinity ? 1e30 : value;
}  // lp_solve's infinity

}  // namespace

void LinearProgram::Delete::operator()(_lprec* lp) const {
  delete_lp(lp);
}

LinearProgram::LinearProgram(const std::string& name) : lp_(make_lp(0, 0)), name_(name) {
  if (!lp_) throw std::bad_alloc();
  set_verbose(lp_.get(), NEUTRAL);
  set_lp_name(lp_.get(), const_cast<char*>(name.c_str()));
  set_minim(lp_.get());
  set_epsd(lp_.get(), 1e-11);  // reduced costs: with lp_solve's 1e-9 optima are missed by as much
}

int LinearProgram::rows() const {
  return get_Nrows(lp_.get());
}
int LinearProgram::columns() const {
  return get_Ncolumns(lp_.get());
}

int LinearProgram::add_row(const std::string& name, Relation relation, double right_hand_side) {
  const int type = relation == Relation::at_most ? LE : relation == Relation::equal ? EQ : GE;
  REAL no_value = 0;  // lp_solve reads the arrays of an empty row too
  int no_column = 0;
  if (add_constraintex(lp_.get(), 0, &no_value, &no_column, type, right_hand_side) == FALSE ||
      set_row_name(lp_.get(), rows(), const_cast<char*>(name.c_str())) == FALSE)
    throw std::bad_alloc();
  return rows() - 1;
}

int LinearProgram::add_column(const std::string& name, double cost, std::span<const Coefficient> coefficients,
                              double lower, double upper, bool integer) {
  std::vector<Coefficient> sorted(coefficients.begin(), coefficients.end());  // lp_solve wants rows to ascend
  std::sort(sorted.begin(), sorted.end(), [](const Coefficient& a, const Coefficient& b) { return a.row < b.row; });
  std::vector<int> row{0};  // row 0 is the objective
  std::vector<double> value{cost};
  for (const Coefficient& c : sorted) {
    row.push_back(c.row + 1);
    value.push_back(c.value);
  }
  if (add_columnex(lp_.get(), static_cast<int>(row.size()), value.data(), row.data()) == FALSE ||
      set_bounds(lp_.get(), columns(), finite(lower), finite(upper)) == FALSE ||
      set_int(lp_.get(), columns(), integer ? TRUE : FALSE) == FALSE ||
      set_col_name(lp_.get(), columns(), const_cast<char*>(name.c_str())) == FALSE)
    throw std::bad_alloc();
  integer_ = integer_ || integer;
  return columns() - 1;
}

Solution LinearProgram::minimise(long time_limit) {
  lprec* const lp = lp_.get();
  set_timeout(lp, time_limit);
  set_presolve(lp, integer_ ? PRESOLVE_NONE : PRESOLVE_SENSDUALS, 0);
  // Where one scaling leads to an inaccurate basis (lp_solve checks it) another one does not.
  int status = NUMFAILURE;
  for (const int scaling : {SCALE_GEOMETRIC + SCALE_EQUILIBRATE + SCALE_INTEGERS, 0,
                            SCALE_CURTISREID + SCALE_EQUILIBRATE + SCALE_INTEGERS}) {
    set_scaling(lp, scaling);
    default_basis(lp);
    status = ::solve(lp);
    if (status != NUMFAILURE && status != ACCURACYERROR) break;
  }
  if (status != OPTIMAL) failed("linear program {}: {} (lp_solve's status {})", name_, explain(status), status);
  Solution solution;
  solution.objective = get_objective(lp);
  solution.value.resize(static_cast<std::size_t>(columns()));
  if (!solution.value.empty()) get_variables(lp, solution.value.data());
  if (!integer_) {
    REAL* dual = nullptr;
    if (get_ptr_dual_solution(lp, &dual) == FALSE) failed("linear program {}: lp_solve gives no dual values", name_);
    solution.dual.assign(dual + 1, dual + 1 + rows());
  }
  return solution;
}

void LinearProgram::write(const std::filesystem::path& path) {
  PendingFile pending(path);
  std::string file = pending.temporary().string();
  const bool written =
      (path.extension() == ".mps" ? write_freemps(lp_.get(), file.data()) : write_lp(lp_.get(), file.data())) == TRUE;
  if (!written) failed("{}: cannot be written", path.string());
  pending.commit();
}

std::string program_name(const std::string& text) {
  std::string name = text;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace asterism::bounds
