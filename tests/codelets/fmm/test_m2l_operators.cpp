// SPDX-License-Identifier: Apache-2.0
// M2L operators against the kernel at the interpolation nodes (equations 2 and 3 of RR-8513) for all 316 directions,
// and the error of the whole far field by order.
#include "base/as_size.hpp"
#include "codelets/fmm/kernels/far/m2l_operators.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "codelets/fmm/kernels/far/far_field.hpp"
#include "tests/codelets/fmm/cases.hpp"
#include "tests/codelets/fmm/polynomials.hpp"

namespace asterism::fmm {
namespace {

using cases::Degree;
using cases::degrees_of;
using cases::Generator;
using cases::grid;
using cases::polynomial;
using Vector = std::vector<double>;
using Matrix = Eigen::MatrixXd;

double inverse_distance(double r2) {
  return 1 / std::sqrt(r2);
}
/// A kernel that is not homogeneous, to see which distances are used.
double screened(double r2) {
  return std::exp(-0.3 * std::sqrt(r2)) / std::sqrt(r2);
}

/// Equations 2 and 3 restricted to a basis, both sides scaled to be orthonormal at the nodes: what to multiply by
/// sqrt(c_a c_b c_c), c_0 = 1/n and c_a = 2/n, on both sides for the operator from moments to coefficients.
Matrix naive_operator(const std::vector<Degree>& degrees, int nodes, const std::array<int, 3>& t,
                      const RadialKernel& kernel, double half) {
  const auto k = static_cast<Eigen::Index>(degrees.size());
  std::vector<double> x(as_size(nodes));
  for (int m = 0; m < nodes; ++m) x[as_size(m)] = std::cos((2 * m + 1) * std::numbers::pi / (2 * nodes));
  const auto n3 = Eigen::Index{nodes} * nodes * nodes;
  Matrix at_nodes(n3, n3);
  Matrix transform(n3, k);
  for (Eigen::Index i = 0; i < n3; ++i) {
    const std::array<double, 3> p{x[as_size(i / nodes / nodes)], x[as_size(i / nodes % nodes)], x[as_size(i % nodes)]};
    for (Eigen::Index j = 0; j < n3; ++j) {
      const std::array<double, 3> s{x[as_size(j / nodes / nodes)], x[as_size(j / nodes % nodes)],
                                    x[as_size(j % nodes)]};
      double r2 = 0;
      for (std::size_t d = 0; d < 3; ++d) r2 += std::pow(half * (p[d] + 2 * t[d] - s[d]), 2);
      at_nodes(i, j) = kernel(r2);
    }
    for (Eigen::Index j = 0; j < k; ++j) {
      const auto [a, b, c] = degrees[as_size(j)];
      const auto weight = [&](int degree) { return std::sqrt((degree == 0 ? 1.0 : 2.0) / nodes); };
      transform(i, j) = static_cast<double>(polynomial(a, p[0]) * polynomial(b, p[1]) * polynomial(c, p[2])) *
                        weight(a) * weight(b) * weight(c);
    }
  }
  return transform.transpose() * at_nodes * transform;
}

/// The matrix of cpu::m2l in one direction, from unit vectors, in the scaling of naive_operator.
Matrix applied(const Basis& basis, const std::vector<Degree>& degrees, int nodes, const M2LOperators& operators,
               int direction) {
  const int k = basis.size();
  const auto stride = as_size(basis.stride());
  std::vector<M2LPair> pairs;
  Vector unit(as_size(k) * stride, 0.0);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(k); ++i) {
    pairs.push_back({i, i});
    unit[i * stride + i] = 1;
  }
  std::vector<std::int32_t> begin(as_size(directions) * 2, 0);
  for (std::size_t i = 0; i < begin.size(); ++i) begin[i] = static_cast<int>(i) > 2 * direction ? k : 0;
  const double* sources = unit.data();
  Vector locals(unit.size(), 0.0);
  cpu::m2l(operators.view(), 1, {1, begin.data(), pairs.data()}, &sources, locals.data());
  Matrix m(k, k);
  const auto weight = [&](const Degree& d) {
    return std::sqrt((d.a == 0 ? 1.0 : 2.0) * (d.b == 0 ? 1.0 : 2.0) * (d.c == 0 ? 1.0 : 2.0) / std::pow(nodes, 3));
  };
  for (int column = 0; column < k; ++column)
    for (int row = 0; row < k; ++row)
      m(row, column) = locals[as_size(column) * stride + as_size(row)] / weight(degrees[as_size(row)]) /
                       weight(degrees[as_size(column)]);
  return m;
}

/// The Gram matrix G of the orthonormal products as values at the nodes, with the weights pi / n sqrt(1 - x^2) of a
/// quadrature: an operator A between coefficients has the weighted norm sqrt(tr(A^T G A G)) there.
Matrix gram(const std::vector<Degree>& degrees, int nodes) {
  const auto n3 = Eigen::Index{nodes} * nodes * nodes;
  Matrix values(n3, static_cast<Eigen::Index>(degrees.size()));
  for (Eigen::Index i = 0; i < n3; ++i)
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      const auto [a, b, c] = degrees[as_size(j)];
      double value = 1;
      for (const auto& [degree, m] : {std::pair(a, i / nodes / nodes), {b, i / nodes % nodes}, {c, i % nodes}}) {
        const double angle = (2 * static_cast<double>(m) + 1) * std::numbers::pi / (2 * nodes);
        value *= std::cos(degree * angle) * std::sqrt((degree == 0 ? 1.0 : 2.0) / nodes) *
                 std::sqrt(std::numbers::pi / nodes * std::sin(angle));
      }
      values(i, j) = value;
    }
  return values.transpose() * values;
}

struct OperatorCase {
  const char* name;
  BasisChoice choice;
  RadialKernel kernel;
  double half;
  double epsilon;
};

class M2LOperatorsTest : public ::testing::TestWithParam<OperatorCase> {};

/// Every direction: a wrong permutation, sign or axis is an error of the size of the operator.
TEST_P(M2LOperatorsTest, AllDirections) {
  const OperatorCase& c = GetParam();
  const Basis basis(c.choice);
  const auto degrees = degrees_of(c.choice);
  const int nodes = interpolation_nodes(c.choice);
  const M2LOperators operators(basis, nodes, c.kernel, c.half, c.epsilon);
  const Matrix g = gram(degrees, nodes);
  int count = 0;
  for (int dx = -3; dx <= 3; ++dx)
    for (int dy = -3; dy <= 3; ++dy)
      for (int dz = -3; dz <= 3; ++dz) {
        const int d = direction_of(dx, dy, dz);
        const bool near = std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 2;
        ASSERT_EQ(operators.table()[as_size(d)].rank == 0, near);
        if (near) continue;
        ++count;
        const Matrix expected = naive_operator(degrees, nodes, {dx, dy, dz}, c.kernel, c.half);
        const Matrix actual = applied(basis, degrees, nodes, operators, d);
        const auto norm = [&](const Matrix& m) {
          return c.choice.radius_squared < 0 ? std::sqrt((g * m * g).cwiseProduct(m).sum()) : m.norm();
        };
        ASSERT_LE(norm(expected - actual), (c.epsilon + 1e-13) * norm(expected)) << dx << " " << dy << " " << dz;
      }
  EXPECT_EQ(count, 316);
}

/// With (l, epsilon) = (Acc, 10^-Acc).
TEST(M2LOperators, RanksAreThoseOfThePapersTable2) {
  const std::vector<std::pair<int, std::vector<int>>> table{
      {3, {9, 8, 7, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}},
      {5, {23, 18, 16, 15, 13, 9, 12, 11, 9, 9, 9, 9, 9, 9, 9, 9}},
      {7, {45, 36, 33, 25, 25, 22, 25, 24, 23, 19, 17, 16, 16, 16, 16, 16}}};
  for (const auto& [order, ranks] : table) {
    const BasisChoice choice{order, -1};
    EXPECT_EQ(
        M2LOperators(Basis(choice), interpolation_nodes(choice), inverse_distance, 1, std::pow(10, -order)).ranks(),
        ranks)
        << order;
  }
}

/// How many of the 189 cells in the interaction list of a cell inside the tree have an operator that is a permutation
/// of each primitive operator: the paper's Table 1.
TEST(M2LOperators, ColumnsAreThoseOfThePapersTable1) {
  std::vector<int> columns(16, 0);
  for (int x = -2; x <= 3; ++x)
    for (int y = -2; y <= 3; ++y)
      for (int z = -2; z <= 3; ++z)
        if (std::max({std::abs(x), std::abs(y), std::abs(z)}) > 1) ++columns[primitive_of({x, y, z})];
  EXPECT_EQ(columns, (std::vector<int>{6, 24, 24, 12, 24, 8, 3, 12, 12, 12, 24, 12, 3, 6, 6, 1}));
}

/// Singular vectors of nearly equal singular values are arbitrary: all of them are kept, or none.
TEST_P(M2LOperatorsTest, NoGroupOfACutBasisIsCut) {
  const OperatorCase& c = GetParam();
  if (c.choice.radius_squared < 0) return;
  const Basis basis(c.choice);
  const int nodes = interpolation_nodes(c.choice);
  const M2LOperators operators(basis, nodes, c.kernel, c.half, c.epsilon);
  std::size_t p = 0;
  for (int i = 2; i <= 3; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k <= j; ++k, ++p) {
        const Matrix m = naive_operator(degrees_of(c.choice), nodes, {i, j, k}, c.kernel, c.half);
        const Eigen::VectorXd s = m.jacobiSvd().singularValues();
        const Eigen::Index rank = operators.ranks()[p];
        ASSERT_EQ(operators.table()[as_size(direction_of(i, j, k))].rank, rank);
        ASSERT_EQ(operators.table()[as_size(direction_of(-k, i, -j))].rank, rank);
        if (rank < s.size() && s(rank) > 1e-14 * s(0)) {
          EXPECT_LE(s(rank), 0.85 * s(rank - 1)) << i << j << k;
        }
        // and not much more than needed: without the last group the error would be too large
        Eigen::Index first = rank - 1;
        while (first > 0 && s(first) > 0.75 * s(first - 1)) --first;
        EXPECT_GT(s.tail(s.size() - first).norm(), 0.99 * c.epsilon * s.norm()) << i << j << k;
      }
  EXPECT_EQ(p, operators.ranks().size());
}

INSTANTIATE_TEST_SUITE_P(Cases, M2LOperatorsTest,
                         ::testing::Values(OperatorCase{"order3", {3, -1}, inverse_distance, 1, 1e-9},
                                           OperatorCase{"order3screened", {3, 6}, screened, 0.6, 1e-3},
                                           OperatorCase{"order4ball", {4, 12.25}, inverse_distance, 1, 1e-4},
                                           OperatorCase{"order5", {5, -1}, inverse_distance, 1, 1e-5}),
                         [](const ::testing::TestParamInfo<OperatorCase>& info) { return info.param.name; });

/// The error of P2M, M2L and L2P together falls with the order.
TEST(FarFieldLadder, ErrorFallsWithTheOrder) {
  Generator generator(6);
  const CellIndex source{4, -3, 7};
  const CellIndex target{6, -2, 4};
  const auto p = cases::particles_in({source, target}, grid, {20, 20}, generator);
  double before = 1;
  for (const int order : {2, 4, 6, 8}) {
    const BasisChoice choice{order, -1};
    const Basis basis(choice);
    const M2LOperators operators(basis, interpolation_nodes(choice), inverse_distance, 1, std::pow(10.0, -order));
    Vector m(as_size(basis.stride()));
    Vector l(as_size(basis.stride()), 0.0);
    const SourceView view{p.x.data(), p.y.data(), p.z.data(), p.q.data()};
    const std::vector<std::int32_t> begin{0, 20, 40};
    cpu::p2m(basis.view(), grid, {1, &source, begin.data()}, view, m.data());
    const auto list = cases::interactions({target}, {{source}});
    ASSERT_EQ(list.pairs.size(), 1U);
    const double* sources = m.data();
    cpu::m2l(operators.view(), 2 / grid.width, list.view(), &sources, l.data());
    Vector out(160, 0.0);
    cpu::l2p(basis.view(), grid, {1, &target, begin.data() + 1}, view, l.data(),
             {out.data(), out.data() + 40, out.data() + 80, out.data() + 120}, false);
    std::array<double, 4> error{};
    std::array<double, 4> norm{};
    for (std::size_t i = 20; i < 40; ++i) {
      std::array<double, 4> exact{};
      for (std::size_t j = 0; j < 20; ++j) {
        const std::array<double, 3> d{p.x[i] - p.x[j], p.y[i] - p.y[j], p.z[i] - p.z[j]};
        const double r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        exact[0] += p.q[j] / r;
        for (std::size_t axis = 0; axis < 3; ++axis) exact[axis + 1] += p.q[j] * d[axis] / (r * r * r);
      }
      for (std::size_t c = 0; c < 4; ++c) {
        error[c] += std::pow(out[c * 40 + i] - exact[c], 2);
        norm[c] += std::pow(exact[c], 2);
      }
    }
    const double potential = std::sqrt(error[0] / norm[0]);
    EXPECT_LT(potential, before / 10) << "order " << order;
    EXPECT_LT(std::sqrt((error[1] + error[2] + error[3]) / (norm[1] + norm[2] + norm[3])), 30 * before);
    before = potential;
  }
  EXPECT_LT(before, 1e-7);
}

}  // namespace
}  // namespace asterism::fmm
