// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/as_size.hpp"
#include "base/isa.hpp"

namespace asterism::cg {
namespace {

/// Rows in pieces of fixed length, which are summed in order: the same for any number of threads.
class Pieces {
 public:
  Pieces(std::int64_t nodes, int size)
      : nodes_(nodes),
        length_(std::max<std::int64_t>(1, 1024 / size)),
        sums_(as_size((nodes + length_ - 1) / length_)) {}
  /// Calls sum_piece(first node, last node), and adds what it returns.
  template <class SumPiece>
  double sum(SumPiece sum_piece) {
    const auto pieces = static_cast<std::int64_t>(sums_.size());
#pragma omp parallel for schedule(static) if (pieces > 4)
    for (std::int64_t k = 0; k < pieces; ++k)
      sums_[as_size(k)] = sum_piece(k * length_, std::min((k + 1) * length_, nodes_));
    return std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

 private:
  std::int64_t nodes_, length_;
  std::vector<double> sums_;
};

/// z = D^-1 r in a node, and its part of r.z.
ASTERISM_INLINE double apply_diagonal(int size, const double* inverse, const double* r, double* z) {
  double dot = 0;
  for (int i = 0; i < size; ++i) {
    double sum = 0;
    for (int k = 0; k < size; ++k) sum = sum + inverse[i * size + k] * r[k];
    z[i] = sum;
    dot = dot + r[i] * sum;
  }
  return dot;
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
  Pieces pieces(a.rows(), size);
  const auto for_nodes = [size, &inverse](std::int64_t first, std::int64_t last, auto of_node) {
    double sum = 0;
    for (std::int64_t node = first; node < last; ++node)
      sum = sum + of_node(as_size(node * size), inverse.data() + node * size * size);
    return sum;
  };
  double rho = pieces.sum([&](std::int64_t first, std::int64_t last) {
    return for_nodes(first, last, [&](std::size_t row, const double* of_node) {
      return apply_diagonal(size, of_node, r.data() + row, z.data() + row);
    });
  });
  std::vector<double> p = z;
  const double end = reduction * reduction * rho;
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(most);
  Eigen::VectorXd beside = Eigen::VectorXd::Zero(most);  // between a step and the one before
  int steps = 0;
  double beta = 0;
  double alpha = 1;
  for (; steps < most && rho > end; ++steps) {
    const double curvature = pieces.sum([&](std::int64_t first, std::int64_t last) {
      multiply_rows(a, first, last, p.data(), q.data());
      return std::inner_product(p.begin() + first * size, p.begin() + last * size, q.begin() + first * size, 0.0);
    });
    if (!(curvature > 0)) break;
    const double previous = alpha;
    alpha = rho / curvature;
    diagonal(steps) = 1 / alpha + (steps > 0 ? beta / previous : 0);
    if (steps > 0) beside(steps) = std::sqrt(beta) / previous;
    const double next = pieces.sum([&](std::int64_t first, std::int64_t last) {
      return for_nodes(first, last, [&](std::size_t row, const double* of_node) {
        for (std::size_t i = row; i < row + as_size(size); ++i) r[i] = r[i] + -alpha * q[i];
        return apply_diagonal(size, of_node, r.data() + row, z.data() + row);
      });
    });
    beta = next / rho;
    rho = next;
    pieces.sum([&](std::int64_t first, std::int64_t last) {
      for (std::size_t i = as_size(first * size); i < as_size(last * size); ++i) p[i] = z[i] + beta * p[i];
      return 0;
    });
  }
  if (steps == 0) return {};
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal.head(steps), beside.segment(1, steps - 1), Eigen::EigenvaluesOnly);
  return {solver.eigenvalues()(0), solver.eigenvalues()(steps - 1), steps};
}

}  // namespace asterism::cg
