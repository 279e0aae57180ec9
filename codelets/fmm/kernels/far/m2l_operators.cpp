// SPDX-License-Identifier: Apache-2.0
#include "codelets/fmm/kernels/far/m2l_operators.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "base/error.hpp"

namespace asterism::fmm {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Singular values closer than this factor belong together.
constexpr double same_group = 0.8;
/// Share of epsilon that the subspace of the randomised decomposition may lose.
constexpr double subspace_share = 0.01;

/// Orthonormal columns: T_a at the nodes, times sqrt(c_a).
MatrixXd cosine_transform(int nodes, int order) {
  MatrixXd t(nodes, order);
  for (int m = 0; m < nodes; ++m)
    for (int a = 0; a < order; ++a)
      t(m, a) = std::cos(a * (2 * m + 1) * std::numbers::pi / (2 * nodes)) * std::sqrt((a == 0 ? 1.0 : 2.0) / nodes);
  return t;
}

/// value(x1, x2, y1, y2, z1, z2) between the nodes of a target (1) and a source (2), as a matrix nodes x nodes^5 whose
/// column index runs over (y1, z1, x2, y2, z2), x1 being the row.
template <class Value>
MatrixXd at_pairs_of_nodes(Index n, const Value& value) {
  MatrixXd k(n, n * n * n * n * n);
  Index column = 0;
  for (Index z2 = 0; z2 < n; ++z2)
    for (Index y2 = 0; y2 < n; ++y2)
      for (Index x2 = 0; x2 < n; ++x2)
        for (Index z1 = 0; z1 < n; ++z1)
          for (Index y1 = 0; y1 < n; ++y1, ++column)
            for (Index x1 = 0; x1 < n; ++x1) k(x1, column) = value(x1, x2, y1, y2, z1, z2);
  return k;
}

/// K between the nodes of two cells of half width h whose centres are 2 h t apart (at_pairs_of_nodes).
MatrixXd kernel_at_nodes(int nodes, const std::array<int, 3>& t, const RadialKernel& kernel, double h) {
  VectorXd x(nodes);
  for (int m = 0; m < nodes; ++m) x(m) = chebyshev_node(m, nodes);
  std::array<MatrixXd, 3> squares;
  for (std::size_t d = 0; d < 3; ++d) {
    squares[d].resize(nodes, nodes);
    for (int m = 0; m < nodes; ++m)
      for (int n = 0; n < nodes; ++n) squares[d](m, n) = std::pow(h * (x(m) - x(n) + 2 * t[d]), 2);
  }
  return at_pairs_of_nodes(nodes, [&](Index x1, Index x2, Index y1, Index y2, Index z1, Index z2) {
    const double value = kernel(squares[0](x1, x2) + squares[1](y1, y2) + squares[2](z1, z2));
    if (!std::isfinite(value)) bad_input("the kernel is not finite between separate cells");
    return value;
  });
}

/// The operator from moments to coefficients of a kernel at nodes, in orthonormal scaling, restricted to the basis.
MatrixXd operator_of(const Basis& basis, int nodes, MatrixXd k) {
  const int order = basis.order();
  const MatrixXd transform = cosine_transform(nodes, order);
  // one direction after the other: transform the leading index, then make it the last
  for (int d = 0; d < 6; ++d) {
    const MatrixXd turned = k.transpose() * transform;
    const Index next = d < 5 ? nodes : order;
    const Index total = turned.size();
    k = Eigen::Map<const MatrixXd>(turned.data(), next, total / next);
  }
  const auto n = static_cast<Index>(order);
  const auto at = [&](Index a1, Index b1, Index c1, Index a2, Index b2, Index c2) {
    return k.data()[a1 + n * (b1 + n * (c1 + n * (a2 + n * (b2 + n * c2))))];
  };
  MatrixXd op(basis.size(), basis.size());
  for (int a1 = 0; a1 < order; ++a1)
    for (int b1 = 0; b1 < order; ++b1)
      for (int c1 = 0; c1 < order; ++c1) {
        const int i = basis.index(a1, b1, c1);
        if (i < 0) continue;
        for (int a2 = 0; a2 < order; ++a2)
          for (int b2 = 0; b2 < order; ++b2)
            for (int c2 = 0; c2 < order; ++c2) {
              const int j = basis.index(a2, b2, c2);
              if (j >= 0) op(i, j) = at(a1, b1, c1, a2, b2, c2);
            }
      }
  return op;
}

struct Factors {
  MatrixXd u, v;  // op ~ u v^T
};

/// The square root of the quadrature weights pi / l sqrt(1 - x^2) of the nodes, to the power -1 or 1, as a matrix
/// between orthonormal coefficients of one direction.
MatrixXd root_of_weights(int nodes, double power) {
  const MatrixXd transform = cosine_transform(nodes, nodes);
  VectorXd root(nodes);
  for (int m = 0; m < nodes; ++m) {
    const double angle = (2 * m + 1) * std::numbers::pi / (2 * nodes);
    root(m) = std::pow(std::numbers::pi / nodes * std::sin(angle), power / 2);
  }
  return transform.transpose() * root.asDiagonal() * transform;
}

/// The same in all three directions, applied to the columns of a matrix whose rows are the products of a basis.
MatrixXd in_each_direction(const Basis& basis, const MatrixXd& one, const MatrixXd& columns) {
  const int order = basis.order();
  MatrixXd result = columns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const MatrixXd before = result;
    result.setZero();
    std::array<int, 3> a{};
    for (a[0] = 0; a[0] < order; ++a[0])
      for (a[1] = 0; a[1] < order; ++a[1])
        for (a[2] = 0; a[2] < order; ++a[2])
          for (int b = 0; b < order; ++b) {
            std::array<int, 3> from = a;
            from[axis] = b;
            result.row(basis.index(a[0], a[1], a[2])) +=
                one(a[axis], b) * before.row(basis.index(from[0], from[1], from[2]));
          }
  }
  return result;
}

/// From moments and to coefficients: the weights c_a of both interpolations, of which the orthonormal scaling holds the
/// square roots.
VectorXd weights(const Basis& basis, int nodes) {
  VectorXd weight(basis.size());
  for (int a = 0; a < basis.order(); ++a)
    for (int b = 0; b < basis.order(); ++b)
      for (int c = 0; c < basis.order(); ++c)
        if (const int i = basis.index(a, b, c); i >= 0)
          weight(i) = std::sqrt((a == 0 ? 1.0 : 2.0) * (b == 0 ? 1.0 : 2.0) * (c == 0 ? 1.0 : 2.0) /
                                std::pow(static_cast<double>(nodes), 3));
  return weight;
}

PrimitiveOperator weighted(const VectorXd& weight, const Factors& f) {
  const MatrixXd u = weight.asDiagonal() * f.u;
  const MatrixXd v = weight.asDiagonal() * f.v;
  return {static_cast<int>(u.cols()), {u.data(), u.data() + u.size()}, {v.data(), v.data() + v.size()}};
}

enum class Groups { whole, split };

/// Truncated singular value decomposition by randomised subspace iteration (Halko, Martinsson, Tropp, SIAM Review 53,
/// 2011), in a subspace large enough for what is kept.
Factors compress(const MatrixXd& op, double epsilon, Groups groups) {
  const Index k = op.rows();
  const double norm = op.norm();
  std::mt19937_64 generator(1);
  // ranks grow by about nine per digit
  const auto guess = static_cast<Index>(16 - 9 * std::log10(epsilon));
  for (Index width = std::min(k, guess);; width = std::min(k, width + guess / 2)) {
    MatrixXd q;
    if (width == k) {
      q = MatrixXd::Identity(k, k);
    } else {
      MatrixXd sample(k, width);
      for (Index i = 0; i < sample.size(); ++i)
        sample.data()[i] = static_cast<double>(static_cast<std::int64_t>(generator())) * 0x1p-63;
      const auto orthonormal = [&](const MatrixXd& m) {
        const Eigen::HouseholderQR<MatrixXd> qr(m);
        return MatrixXd(qr.householderQ() * MatrixXd::Identity(k, width));
      };
      q = orthonormal(op * sample);
      q = orthonormal(op * (op.transpose() * q));
    }
    const MatrixXd projected = op.transpose() * q;  // k x width
    const double lost = width == k ? 0.0 : (op - q * projected.transpose()).norm();
    if (width < k && lost > subspace_share * epsilon * norm) continue;
    // Jacobi's method: Eigen 3.4's divide and conquer loses singular vectors of some of these matrices
    const Eigen::JacobiSVD<MatrixXd> svd(projected, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const VectorXd& s = svd.singularValues();
    Index rank = s.size();
    double tail = 0;
    while (rank > 1 && tail + s(rank - 1) * s(rank - 1) <= epsilon * epsilon * norm * norm) {
      tail += s(rank - 1) * s(rank - 1);
      --rank;
    }
    if (groups == Groups::whole)
      while (rank < s.size() && s(rank) > same_group * s(rank - 1) && s(rank) > 1e-15 * s(0)) ++rank;
    if (width < k && rank == s.size()) continue;  // the group may go on outside the subspace
    Factors f{q * svd.matrixV().leftCols(rank) * s.head(rank).asDiagonal(), svd.matrixU().leftCols(rank)};
    const double left = (op - f.u * f.v.transpose()).norm();
    constexpr double rounding = 1e-12;
    if (left > ((1 + 2 * subspace_share) * epsilon + rounding) * norm)
      failed("an M2L operator was compressed to {:.1e} of its norm instead of {:.1e}", left / norm, epsilon);
    return f;
  }
}

/// 2 <= t_x <= 3 and t_x >= t_y >= t_z >= 0.
std::vector<std::array<int, 3>> primitive_directions() {
  std::vector<std::array<int, 3>> primitive;
  for (int i = 2; i <= 3; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k <= j; ++k) primitive.push_back({i, j, k});
  return primitive;
}

}  // namespace

std::size_t primitive_of(const std::array<int, 3>& t) {
  std::array<int, 3> reference{std::abs(t[0]), std::abs(t[1]), std::abs(t[2])};
  std::sort(reference.begin(), reference.end(), std::greater<>());
  const std::vector<std::array<int, 3>> primitive = primitive_directions();
  return static_cast<std::size_t>(std::find(primitive.begin(), primitive.end(), reference) - primitive.begin());
}

int interpolation_nodes(const BasisChoice& choice) {
  return choice.radius_squared < 0 ? choice.order : choice.order + 1;
}

std::vector<PrimitiveOperator> primitive_operators(const Basis& basis, int nodes, const RadialKernel& kernel,
                                                   double half_width, double epsilon) {
  const VectorXd weight = weights(basis, nodes);
  const bool all_products = basis.size() == nodes * nodes * nodes;
  const MatrixXd root = root_of_weights(nodes, 1);
  const MatrixXd inverse_root = root_of_weights(nodes, -1);
  const auto compressed = [&](const MatrixXd& op) {
    if (!all_products) return compress(op, epsilon, Groups::whole);
    const MatrixXd half = in_each_direction(basis, root, op);
    const Factors f = compress(in_each_direction(basis, root, half.transpose()).transpose(), epsilon, Groups::split);
    return Factors{in_each_direction(basis, inverse_root, f.u), in_each_direction(basis, inverse_root, f.v)};
  };

  const std::vector<std::array<int, 3>> directions = primitive_directions();
  std::vector<PrimitiveOperator> operators(directions.size());
  std::exception_ptr error;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t p = 0; p < directions.size(); ++p) {
    try {
      const Factors f =
          compressed(operator_of(basis, nodes, kernel_at_nodes(nodes, directions[p], kernel, half_width)));
      operators[p] = weighted(weight, f);
    } catch (...) {
#pragma omp critical
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
  return operators;
}

double chebyshev_node(int m, int nodes) {
  return std::cos((2 * m + 1) * std::numbers::pi / (2 * nodes));
}

PrimitiveOperator smooth_operator(const Basis& basis, int nodes, std::span<const double> values, double epsilon) {
  const Index n = nodes;
  MatrixXd k = at_pairs_of_nodes(n, [&](Index x1, Index x2, Index y1, Index y2, Index z1, Index z2) {
    return values[static_cast<std::size_t>(((x1 * n + x2) * n * n + y1 * n + y2) * n * n + z1 * n + z2)];
  });
  return weighted(weights(basis, nodes), compress(operator_of(basis, nodes, std::move(k)), epsilon, Groups::whole));
}

M2LOperators::M2LOperators(const Basis& basis, const std::vector<PrimitiveOperator>& primitives)
    : size_(basis.size()), stride_(basis.stride()) {
  for (const PrimitiveOperator& p : primitives) ranks_.push_back(p.rank);

  for (int dx = -3; dx <= 3; ++dx)
    for (int dy = -3; dy <= 3; ++dy)
      for (int dz = -3; dz <= 3; ++dz) {
        const std::array<int, 3> t{dx, dy, dz};
        if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 2) continue;
        // the axes in order of decreasing |t|, which takes t to its primitive direction
        std::array<std::size_t, 3> axis{0, 1, 2};
        std::sort(axis.begin(), axis.end(),
                  [&](std::size_t a, std::size_t b) { return std::abs(t[a]) > std::abs(t[b]); });
        const std::size_t p = primitive_of(t);
        const PrimitiveOperator& f = primitives[p];
        M2LDirection& d = directions_[static_cast<std::size_t>(direction_of(dx, dy, dz))];
        d.rank = ranks_[p];
        d.padded = (d.rank + 7) / 8 * 8;
        d.v = static_cast<std::int64_t>(data_.size());
        d.u = d.v + std::int64_t{size_} * d.padded;
        data_.resize(static_cast<std::size_t>(d.u + std::int64_t{d.rank} * stride_), 0.0);
        double* v = data_.data() + d.v;
        double* u = data_.data() + d.u;
        for (int a = 0; a < basis.order(); ++a)
          for (int b = 0; b < basis.order(); ++b)
            for (int c = 0; c < basis.order(); ++c) {
              const int from = basis.index(a, b, c);
              if (from < 0) continue;
              const std::array<int, 3> degree{a, b, c};
              std::array<int, 3> to{};
              double sign = 1;
              for (std::size_t i = 0; i < 3; ++i) {
                to[axis[i]] = degree[i];
                if (t[axis[i]] < 0 && degree[i] % 2 == 1) sign = -sign;
              }
              const int row = basis.index(to[0], to[1], to[2]);
              for (int r = 0; r < d.rank; ++r) {
                const auto at = static_cast<std::size_t>(from + std::int64_t{r} * size_);
                v[std::int64_t{row} * d.padded + r] = sign * f.v[at];
                u[std::int64_t{r} * stride_ + row] = sign * f.u[at];
              }
            }
      }
}

double M2LOperators::mean_rank() const noexcept {
  double sum = 0;
  int count = 0;
  for (const M2LDirection& d : directions_) {
    sum += d.rank;
    count += d.rank > 0 ? 1 : 0;
  }
  return sum / count;
}

}  // namespace asterism::fmm
