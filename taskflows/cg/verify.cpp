#include "taskflows/cg/verify.hpp"

#include <cholmod.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/error.hpp"

namespace asterism::cg {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

long double row_times(const CsrMatrix& a, std::int64_t i, std::span<const double> x) {
  long double sum = 0;
  for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k)
    sum += static_cast<long double>(a.value[at(k)]) * x[at(a.column[at(k)])];
  return sum;
}

long double norm_of(std::span<const double> v) {
  long double sum = 0;
  for (const double e : v) sum += static_cast<long double>(e) * e;
  return std::sqrt(sum);
}

/// Sizes of the factor, likewise.
constexpr double largest_flops = 4e11;
constexpr double largest_factor = 2e8;  // entries

/// A sparse Cholesky factorisation by CHOLMOD (Chen, Davis, Hager, Rajamanickam, ACM TOMS 35 (2008)).
class Cholesky {
 public:
  explicit Cholesky(const CsrMatrix& a) : n_(a.n) {
    cholmod_start(&common_);
    common_.print = 0;
    common_.final_ll = 1;  // L L^T, which fails where L D L^T would take a negative pivot
    begin_.resize(at(a.n + 1));
    for (std::int64_t i = 0; i <= a.n; ++i) begin_[at(i)] = static_cast<int>(a.row_begin[at(i)]);
    matrix_.nrow = matrix_.ncol = at(a.n);
    matrix_.nzmax = at(a.nnz());
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
    right.nrow = right.nzmax = right.d = at(n_);
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
  const auto norm = static_cast<double>(norm_of(v));
  for (double& e : v) e /= norm;
}

/// A vector with components along every eigenvector.
std::vector<double> start_vector(std::int64_t n) {
  std::vector<double> v(at(n));
  for (std::int64_t i = 0; i < n; ++i) v[at(i)] = 1 + 0.3 * std::sin(static_cast<double>(i) * 1.7 + 0.3);
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
    eigenvalue = static_cast<double>(norm_of(v));
    normalise(v);
  }
  return eigenvalue;
}

double smallest_eigenvalue(const CsrMatrix& a, Cholesky& cholesky) {
  std::vector<double> v = start_vector(a.n);
  double inverse = 0;
  for (int k = 0; k < power_iterations; ++k) {
    v = cholesky.solve(v);
    inverse = static_cast<double>(norm_of(v));
    normalise(v);
  }
  return 1 / inverse;
}

}  // namespace

Array<double> multiply(const CsrMatrix& a, std::span<const double> x) {
  Array<double> y(at(a.n));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.n; ++i) y[at(i)] = static_cast<double>(row_times(a, i, x));
  return y;
}

Array<double> row_sums(const CsrMatrix& a) {
  Array<double> sums(at(a.rows()));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    long double sum = 0;
    for (std::int64_t k = a.row_begin[at(i)]; k < a.row_begin[at(i) + 1]; ++k) sum += a.value[at(k)];
    sums[at(i)] = static_cast<double>(sum);
  }
  return sums;
}

double extended_residual(const CsrMatrix& a, std::span<const double> b, std::span<const double> x) {
  long double residual = 0;
  long double right = 0;
#pragma omp parallel for schedule(static) reduction(+ : residual, right)
  for (std::int64_t i = 0; i < a.n; ++i) {
    const long double r = static_cast<long double>(b[at(i)]) - row_times(a, i, x);
    residual += r * r;
    right += static_cast<long double>(b[at(i)]) * b[at(i)];
  }
  return static_cast<double>(right > 0 ? std::sqrt(residual / right) : std::sqrt(residual));
}

Verification verify(const CsrMatrix& a, std::span<const double> b, std::span<const double> x, double tolerance) {
  Verification v;
  v.residual = extended_residual(a, b, x);
  v.passed = v.residual <= tolerance;  // false for NaN
  if (!v.passed)
    v.complaint = fmt::format("||b - Ax|| / ||b|| = {:.3e}, expected at most {:.3e}", v.residual, tolerance);

  if (a.n > largest_factorised || a.nnz() > std::numeric_limits<std::int32_t>::max()) {
    v.why_not = fmt::format("{} rows, more than {}", a.n, largest_factorised);
    return v;
  }
  Cholesky cholesky(a);
  if (!cholesky.affordable()) {
    v.why_not = "its Cholesky factor would be too large";
    return v;
  }
  if (!cholesky.factorise()) {
    v.passed = false;
    v.complaint = "CHOLMOD finds the matrix not positive definite";
    return v;
  }
  const std::vector<double> reference = cholesky.solve(b);
  std::vector<double> difference(at(a.n));
  for (std::int64_t i = 0; i < a.n; ++i) difference[at(i)] = x[at(i)] - reference[at(i)];
  const double norm = static_cast<double>(norm_of(reference));
  v.compared = true;
  v.difference = static_cast<double>(norm_of(difference)) / (norm > 0 ? norm : 1);
  // ||x - x*|| <= ||b - A x|| / lambda_min; the factorisation's own error is of the order of condition x epsilon.
  // Both eigenvalues are estimated from inside, hence the factor 10.
  const double smallest = smallest_eigenvalue(a, cholesky);
  v.condition = largest_eigenvalue(a) / smallest;
  const double b_norm = static_cast<double>(norm_of(b));
  v.allowed = 10 * (v.residual * (b_norm > 0 ? b_norm : 1) / (smallest * (norm > 0 ? norm : 1)) +
                    v.condition * std::numeric_limits<double>::epsilon());
  if (!(v.difference <= v.allowed)) {
    v.passed = false;
    v.complaint =
        fmt::format("x differs from the solution by Cholesky factorisation by {:.3e} relative, expected at most {:.3e}",
                    v.difference, v.allowed);
  }
  return v;
}

}  // namespace asterism::cg
