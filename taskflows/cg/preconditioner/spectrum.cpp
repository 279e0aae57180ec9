// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/as_size.hpp"

namespace asterism::cg {
namespace {

/// z = D^-1 r
void apply_diagonal(int size, const std::vector<double>& inverse, const std::vector<double>& r,
                    std::vector<double>& z) {
  const auto n = static_cast<std::int64_t>(r.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < size; ++k) sum = sum + inverse[as_size(i * size + k)] * r[as_size(i / size * size + k)];
    z[as_size(i)] = sum;
  }
}

/// The sum of x[i] y[i], in pieces of fixed length: the same for any number of threads.
double ordered_dot(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr std::size_t piece = 4096;
  const auto pieces = static_cast<std::int64_t>((x.size() + piece - 1) / piece);
  std::vector<double> sums(as_size(pieces));
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < pieces; ++k) {
    double sum = 0;
    for (std::size_t i = as_size(k) * piece; i < std::min(x.size(), (as_size(k) + 1) * piece); ++i)
      sum = sum + x[i] * y[i];
    sums[as_size(k)] = sum;
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

double row_sum_bound(const SparseBlocks& a, const std::vector<double>& inverse) {
  double bound = 0;
#pragma omp parallel for schedule(static) reduction(max : bound)
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
      sum = sum + std::abs(a.value[as_size(k)]);
    bound = std::max(bound, sum * inverse[as_size(i)]);
  }
  return bound;
}

Spectrum estimate_spectrum(const SparseBlocks& a, const std::vector<double>& inverse, int most, double reduction) {
  const int size = a.height;
  const std::size_t n = as_size(a.rows() * size);
  std::vector<double> r(n);
  std::vector<double> z(n);
  std::vector<double> q(n);
  std::uint64_t seed = 1;
  for (double& value : r) {  // Knuth's linear congruential generator
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    value = static_cast<double>(seed >> 11) * 0x1p-53 - 0.5;
  }
  apply_diagonal(size, inverse, r, z);
  std::vector<double> p = z;
  double rho = ordered_dot(r, z);
  const double end = reduction * reduction * rho;
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(most);
  Eigen::VectorXd beside = Eigen::VectorXd::Zero(most);  // between a step and the one before
  int steps = 0;
  double beta = 0;
  double alpha = 1;
  for (; steps < most && rho > end; ++steps) {
    multiply(a, p, q);
    const double curvature = ordered_dot(p, q);
    if (!(curvature > 0)) break;
    const double previous = alpha;
    alpha = rho / curvature;
    diagonal(steps) = 1 / alpha + (steps > 0 ? beta / previous : 0);
    if (steps > 0) beside(steps) = std::sqrt(beta) / previous;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(n); ++i)
      r[as_size(i)] = r[as_size(i)] + -alpha * q[as_size(i)];
    apply_diagonal(size, inverse, r, z);
    const double next = ordered_dot(r, z);
    beta = next / rho;
    rho = next;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(n); ++i)
      p[as_size(i)] = z[as_size(i)] + beta * p[as_size(i)];
  }
  if (steps == 0) return {};
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal.head(steps), beside.segment(1, steps - 1), Eigen::EigenvaluesOnly);
  return {solver.eigenvalues()(0), solver.eigenvalues()(steps - 1), steps};
}

}  // namespace asterism::cg
