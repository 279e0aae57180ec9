// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/reference.hpp"

#include <cholmod.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/cg/matrix/extended_products.hpp"

namespace asterism::cg {
namespace {

/// Sizes of a factor beyond which a factorisation would take longer than the solve is worth: on a core with plain BLAS,
/// at 2 GFlop/s, half a minute.
constexpr double largest_flops = 5e10;
constexpr double largest_factor = 2e8;  // entries

/// A sparse Cholesky factorisation by CHOLMOD (Chen, Davis, Hager, Rajamanickam, ACM TOMS 35 (2008)).
class Cholesky {
 public:
  explicit Cholesky(const CsrMatrix& a) : n_(a.n) {
    cholmod_start(&common_);
    common_.print = 0;
    common_.final_ll = 1;  // L L^T, which fails where L D L^T would take a negative pivot
    begin_.resize(as_size(a.n + 1));
    for (std::int64_t i = 0; i <= a.n; ++i) begin_[as_size(i)] = static_cast<int>(a.row_begin[as_size(i)]);
    matrix_.nrow = matrix_.ncol = as_size(a.n);
    matrix_.nzmax = as_size(a.nnz());
    matrix_.p = begin_.data();
    matrix_.i = const_cast<std::int32_t*>(a.column.data());
    matrix_.x = const_cast<double*>(a.value.data());
    matrix_.stype = 1;  // symmetric: rows of the upper triangle are its columns
    matrix_.itype = CHOLMOD_INT;
    matrix_.xtype = CHOLMOD_REAL;
    matrix_.dtype = CHOLMOD_DOUBLE;
    matrix_.sorted = 1;
    matrix_.packed = 1;
    factor_ = cholmod_analyze(&matrix_, &common_);
  }
  ~Cholesky() {
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  Cholesky(const Cholesky&) = delete;
  Cholesky& operator=(const Cholesky&) = delete;

  [[nodiscard]] bool affordable() const {
    return factor_ != nullptr && common_.fl < largest_flops && common_.lnz < largest_factor;
  }
  /// False when the matrix is not positive definite.
  bool factorise() { return cholmod_factorize(&matrix_, factor_, &common_) != 0 && common_.status == CHOLMOD_OK; }
  std::vector<double> solve(std::span<const double> b) {
    cholmod_dense right{};
    right.nrow = right.nzmax = right.d = as_size(n_);
    right.ncol = 1;
    right.x = const_cast<double*>(b.data());
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* solution = cholmod_solve(CHOLMOD_A, factor_, &right, &common_);
    if (solution == nullptr) failed("CHOLMOD could not solve (status {})", common_.status);
    const auto* values = static_cast<const double*>(solution->x);
    std::vector<double> x(values, values + n_);
    cholmod_free_dense(&solution, &common_);
    return x;
  }

 private:
  std::int64_t n_;
  cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
  std::vector<int> begin_;
};

void normalise(std::vector<double>& v) {
  const auto norm = static_cast<double>(extended_norm(v));
  for (double& e : v) e /= norm;
}

/// A vector with components along every eigenvector.
std::vector<double> start_vector(std::int64_t n) {
  std::vector<double> v(as_size(n));
  for (std::int64_t i = 0; i < n; ++i) v[as_size(i)] = 1 + 0.3 * std::sin(static_cast<double>(i) * 1.7 + 0.3);
  normalise(v);
  return v;
}

constexpr int power_iterations = 30;

double largest_eigenvalue(const CsrMatrix& a) {
  std::vector<double> v = start_vector(a.n);
  double eigenvalue = 0;
  for (int k = 0; k < power_iterations; ++k) {
    const Array<double> next = multiply(a, v);
    v.assign(next.begin(), next.end());
    eigenvalue = static_cast<double>(extended_norm(v));
    normalise(v);
  }
  return eigenvalue;
}

double smallest_eigenvalue(const CsrMatrix& a, Cholesky& cholesky) {
  std::vector<double> v = start_vector(a.n);
  double inverse = 0;
  for (int k = 0; k < power_iterations; ++k) {
    v = cholesky.solve(v);
    inverse = static_cast<double>(extended_norm(v));
    normalise(v);
  }
  return 1 / inverse;
}

}  // namespace

std::string too_large_to_factorise(std::int64_t n) {
  return n > largest_factorised ? fmt::format("{} rows, more than {}", n, largest_factorised) : "";
}

CholeskyAnswer solve_by_cholesky(const CsrMatrix& a, std::span<const double> b) {
  CholeskyAnswer answer;
  answer.why_not = too_large_to_factorise(a.n);
  if (answer.why_not.empty() && a.nnz() > std::numeric_limits<std::int32_t>::max())
    answer.why_not = fmt::format("{} non-zeros, more than CHOLMOD's 32-bit indices count", a.nnz());
  if (!answer.why_not.empty()) return answer;
  Cholesky cholesky(a);
  if (!cholesky.affordable()) {
    answer.why_not = "its Cholesky factor would be too large";
    return answer;
  }
  answer.positive_definite = cholesky.factorise();
  if (!answer.positive_definite) return answer;
  answer.x = cholesky.solve(b);
  answer.smallest = smallest_eigenvalue(a, cholesky);
  answer.largest = largest_eigenvalue(a);
  return answer;
}

}  // namespace asterism::cg
