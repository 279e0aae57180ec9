// SPDX-License-Identifier: Apache-2.0
// The far-field operators on CPUs against the formulas: polynomials as cos(a acos x), shifts by a discrete cosine
// transform, M2L by the factors of its operators.
#include "base/as_size.hpp"
#include "codelets/fmm/kernels/far/far_field.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "tests/codelets/fmm/cases.hpp"
#include "tests/codelets/fmm/polynomials.hpp"

namespace asterism::fmm {
namespace {

using cases::Degree;
using cases::degrees_of;
using cases::Generator;
using cases::grid;
using cases::polynomial;
using cases::Real;
using Vector = std::vector<double>;
using Matrix = Eigen::MatrixXd;

/// T'_a = a sin(a t) / sin t at x = cos t
Real slope(int a, Real x) {
  const Real t = std::acos(x);
  return a * std::sin(a * t) / std::sin(t);
}

struct Point {
  Real x, y, z;
};
/// Coordinates in a cell, scaled to [-1, 1].
Point scaled(const Grid& g, const CellIndex& cell, Real x, Real y, Real z) {
  const Real half = static_cast<Real>(g.width) / 2;
  return {(x - g.x) / half - 2 * cell.x - 1, (y - g.y) / half - 2 * cell.y - 1, (z - g.z) / half - 2 * cell.z - 1};
}

/// |actual - expected| <= tolerance max |expected|
void expect_close(const Vector& expected, const Vector& actual, double tolerance) {
  ASSERT_EQ(expected.size(), actual.size());
  double scale = 0;
  for (const double e : expected) scale = std::max(scale, std::abs(e));
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::abs(expected[i] - actual[i]), tolerance * scale)
        << "element " << i << ": " << actual[i] << " instead of " << expected[i];
}

class FarField : public ::testing::TestWithParam<BasisChoice> {
 protected:
  FarField() : basis(GetParam()), degrees(degrees_of(GetParam())), shift(shift_matrix(basis.order())) {}
  [[nodiscard]] std::size_t stride() const { return as_size(basis.stride()); }

  Basis basis;
  std::vector<Degree> degrees;
  Vector shift;
};

const std::vector<int> particle_counts = {1, 0, 7, 8, 9, 0, 15, 16, 17, 33, 172, 2};

struct Leaves {
  explicit Leaves(std::uint64_t seed) : generator(seed), cells(cases::box({3, -2, 5}, {2, 3, 2}, 1, generator)) {
    particles = cases::particles_in(cells, grid, particle_counts, generator);
  }
  [[nodiscard]] LeafView view() const {
    return {static_cast<std::int32_t>(cells.size()), cells.data(), particles.begin.data()};
  }
  [[nodiscard]] SourceView sources() const {
    return {particles.x.data(), particles.y.data(), particles.z.data(), particles.q.data()};
  }
  [[nodiscard]] Point at(std::size_t leaf, std::size_t j) const {
    return scaled(grid, cells[leaf], particles.x[j], particles.y[j], particles.z[j]);
  }
  Generator generator;
  std::vector<CellIndex> cells;
  cases::Particles particles;
};

TEST_P(FarField, BasisHoldsItsProducts) {
  ASSERT_EQ(as_size(basis.size()), degrees.size());
  for (std::size_t i = 0; i < degrees.size(); ++i)
    EXPECT_EQ(basis.index(degrees[i].a, degrees[i].b, degrees[i].c), static_cast<int>(i));
  EXPECT_EQ(basis.index(basis.order(), 0, 0), -1);
  EXPECT_EQ(basis.index(0, 0, basis.order()), -1);
  EXPECT_EQ(basis.stride() % 8, 0);
  EXPECT_LT(basis.stride() - basis.size(), 8);
}

TEST_P(FarField, P2M) {
  const Leaves leaves(1);
  Vector expected(leaves.cells.size() * stride(), 0.0);
  for (std::size_t leaf = 0; leaf < leaves.cells.size(); ++leaf)
    for (std::size_t i = 0; i < degrees.size(); ++i) {
      Real sum = 0;
      for (auto j = as_size(leaves.particles.begin[leaf]); j < as_size(leaves.particles.begin[leaf + 1]); ++j) {
        const Point p = leaves.at(leaf, j);
        sum += leaves.particles.q[j] * polynomial(degrees[i].a, p.x) * polynomial(degrees[i].b, p.y) *
               polynomial(degrees[i].c, p.z);
      }
      expected[leaf * stride() + i] = static_cast<double>(sum);
    }
  Vector actual(expected.size(), 7.0);
  cpu::p2m(basis.view(), grid, leaves.view(), leaves.sources(), actual.data());
  expect_close(expected, actual, 1e-13);
}

TEST_P(FarField, L2P) {
  Leaves leaves(2);
  const Vector local =
      cases::random_expansions(basis.view(), static_cast<std::int64_t>(leaves.cells.size()), leaves.generator);
  const std::size_t n = leaves.particles.x.size();
  const Vector before = cases::random_vector(static_cast<std::int64_t>(4 * n), leaves.generator);
  for (const bool add : {false, true}) {
    Vector expected = add ? before : Vector(4 * n, 0.0);
    for (std::size_t leaf = 0; leaf < leaves.cells.size(); ++leaf)
      for (auto j = as_size(leaves.particles.begin[leaf]); j < as_size(leaves.particles.begin[leaf + 1]); ++j) {
        const Point p = leaves.at(leaf, j);
        std::array<Real, 4> sum{};
        for (std::size_t i = 0; i < degrees.size(); ++i) {
          const auto [a, b, c] = degrees[i];
          const Real coefficient = local[leaf * stride() + i];
          const Real x = polynomial(a, p.x), y = polynomial(b, p.y), z = polynomial(c, p.z);
          sum[0] += coefficient * x * y * z;
          sum[1] += coefficient * slope(a, p.x) * y * z;
          sum[2] += coefficient * x * slope(b, p.y) * z;
          sum[3] += coefficient * x * y * slope(c, p.z);
        }
        expected[j] += static_cast<double>(sum[0]);
        for (std::size_t d = 1; d < 4; ++d) expected[d * n + j] -= static_cast<double>(sum[d] * 2 / grid.width);
      }
    Vector actual = before;
    cpu::l2p(basis.view(), grid, leaves.view(), leaves.sources(), local.data(),
             {actual.data(), actual.data() + n, actual.data() + 2 * n, actual.data() + 3 * n}, add);
    expect_close(expected, actual, 1e-12);
  }
}

/// T_a((x + side) / 2) = sum_b out[b] T_b(x), by interpolation at l nodes.
std::vector<Real> shifted(int order, int a, int side) {
  std::vector<Real> out(as_size(order), 0);
  for (int m = 0; m < order; ++m) {
    const Real x = std::cos((2 * m + 1) * std::numbers::pi_v<Real> / (2 * order));
    for (int b = 0; b < order; ++b)
      out[as_size(b)] += (b == 0 ? 1 : 2) * polynomial(a, (x + side) / 2) * polynomial(b, x) / order;
  }
  return out;
}

/// Cells with 1 to 8 children, and one parent without.
struct Tree {
  explicit Tree(std::uint64_t seed) : generator(seed), cells(cases::box({2, -4, 6}, {4, 6, 4}, 0.5, generator)) {
    const auto full = cases::box({8, 8, 8}, {2, 2, 2}, 1, generator);
    cells.insert(cells.end(), full.begin(), full.end());
    cells.push_back({11, 10, 13});
    families = cases::families_of(cells);
  }
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(families.families.size()); }
  Generator generator;
  std::vector<CellIndex> cells;
  cases::Families families;
};

/// The matrix of one child's shift, child x parent.
Matrix shift_of(const std::vector<Degree>& degrees, int order, const CellIndex& child) {
  std::array<std::vector<std::vector<Real>>, 3> s;
  const std::array<int, 3> index_of{child.x, child.y, child.z};
  for (std::size_t d = 0; d < 3; ++d)
    for (int a = 0; a < order; ++a) s[d].push_back(shifted(order, a, index_of[d] % 2 != 0 ? 1 : -1));
  const auto k = static_cast<Eigen::Index>(degrees.size());
  Matrix m(k, k);
  for (Eigen::Index i = 0; i < k; ++i)
    for (Eigen::Index j = 0; j < k; ++j) {
      const Degree& to = degrees[as_size(i)];
      const Degree& from = degrees[as_size(j)];
      m(i, j) = static_cast<double>(s[0][as_size(from.a)][as_size(to.a)] * s[1][as_size(from.b)][as_size(to.b)] *
                                    s[2][as_size(from.c)][as_size(to.c)]);
    }
  return m;
}

TEST_P(FarField, ShiftsByTheirFormula) {
  if (basis.size() > 200) GTEST_SKIP() << "dense matrices";
  Tree tree(3);
  const auto k = static_cast<Eigen::Index>(basis.size());
  const auto of = [&](Vector& v, std::int64_t cell) {
    return Eigen::Map<Eigen::VectorXd>(v.data() + cell * basis.stride(), k);
  };
  Vector children =
      cases::random_expansions(basis.view(), static_cast<std::int64_t>(tree.cells.size()), tree.generator);
  Vector parents = cases::random_expansions(basis.view(), tree.count() + 1, tree.generator);
  Vector up = parents;
  Vector down = children;
  for (const Family& f : tree.families.families)
    for (int i = f.first_child; i < f.first_child + f.children; ++i) {
      const Matrix s = shift_of(degrees, basis.order(), tree.cells[as_size(i)]);
      // moments of T_from(X) are sum_to S(to, from) moments of T_to(x), coefficients go the other way
      of(up, f.parent) += s.transpose() * of(children, i);
      of(down, i) += s * of(parents, f.parent);
    }
  Vector actual = parents;
  cpu::m2m(basis.view(), shift.data(), tree.families.families.data(), tree.count(), tree.cells.data(), children.data(),
           actual.data());
  expect_close(up, actual, 1e-13);
  actual = children;
  cpu::l2l(basis.view(), shift.data(), tree.families.families.data(), tree.count(), tree.cells.data(), parents.data(),
           actual.data());
  expect_close(down, actual, 1e-13);
}

TEST_P(FarField, ShiftsAreExact) {
  Tree tree(4);
  const Grid above{grid.x, grid.y, grid.z, 2 * grid.width};
  std::vector<int> counts(tree.cells.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<int>(i % 5);
  const auto p = cases::particles_in(tree.cells, grid, counts, tree.generator);
  const SourceView sources{p.x.data(), p.y.data(), p.z.data(), p.q.data()};
  const auto cells = static_cast<std::int32_t>(tree.cells.size());
  std::vector<std::int32_t> parent_begin;
  for (const Family& f : tree.families.families) parent_begin.push_back(p.begin[as_size(f.first_child)]);
  parent_begin.push_back(p.begin.back());
  const LeafView leaves{cells, tree.cells.data(), p.begin.data()};
  const LeafView parents{tree.count(), tree.families.parents.data(), parent_begin.data()};

  Vector moments(tree.cells.size() * stride());
  Vector direct(as_size(tree.count()) * stride());
  cpu::p2m(basis.view(), grid, leaves, sources, moments.data());
  cpu::p2m(basis.view(), above, parents, sources, direct.data());
  Vector shifted_up(direct.size(), 0.0);
  cpu::m2m(basis.view(), shift.data(), tree.families.families.data(), tree.count(), tree.cells.data(), moments.data(),
           shifted_up.data());
  expect_close(direct, shifted_up, 1e-13);

  const Vector local = cases::random_expansions(basis.view(), tree.count(), tree.generator);
  Vector of_children(moments.size(), 0.0);
  cpu::l2l(basis.view(), shift.data(), tree.families.families.data(), tree.count(), tree.cells.data(), local.data(),
           of_children.data());
  const std::size_t n = p.x.size();
  Vector expected(4 * n);
  Vector actual(4 * n);
  const auto view = [&](Vector& v) { return FieldView{v.data(), v.data() + n, v.data() + 2 * n, v.data() + 3 * n}; };
  cpu::l2p(basis.view(), above, parents, sources, local.data(), view(expected), false);
  cpu::l2p(basis.view(), grid, leaves, sources, of_children.data(), view(actual), false);
  expect_close(expected, actual, 1e-12);
}

TEST_P(FarField, M2LByItsFactors) {
  Generator generator(5);
  const auto targets = cases::box({2, 4, -6}, {5, 5, 5}, 0.7, generator);
  const auto around = cases::box({0, 2, -8}, {9, 9, 9}, 0.3, generator);
  std::vector<std::vector<CellIndex>> sources(3);
  for (std::size_t i = 0; i < around.size(); ++i) sources[i % 3].push_back(around[i]);
  const auto list = cases::interactions(targets, sources, &generator);
  const auto op = cases::random_operators(basis.view(), list, 70, generator);
  std::vector<Vector> multipoles;
  std::vector<const double*> at;
  for (const auto& group : sources)
    multipoles.push_back(cases::random_expansions(basis.view(), static_cast<std::int64_t>(group.size()), generator));
  for (const auto& m : multipoles) at.push_back(m.data());
  Vector actual = cases::random_expansions(basis.view(), static_cast<std::int64_t>(targets.size()), generator);
  Vector expected = actual;
  const double scale = 0.37;
  for (int d = 0; d < directions; ++d) {
    const std::size_t row = as_size(d) * as_size(list.tiles + 1);
    const M2LDirection& t = op.direction[as_size(d)];
    for (int i = list.begin[row]; i < list.begin[row + as_size(list.tiles)]; ++i) {
      const M2LPair& pair = list.pairs[as_size(i)];
      const double* w = at[pair.source >> source_bits] + (pair.source & 0xffffffU) * stride();
      for (int r = 0; r < t.rank; ++r) {
        double g = 0;
        for (int k = 0; k < op.size; ++k) g += op.data[as_size(t.v + std::int64_t{k} * t.padded + r)] * w[k];
        for (int k = 0; k < op.size; ++k)
          expected[pair.target * stride() + as_size(k)] +=
              scale * g * op.data[as_size(t.u + std::int64_t{r} * op.stride + k)];
      }
    }
  }
  cpu::m2l(op.view(), scale, list.view(), at.data(), actual.data());
  expect_close(expected, actual, 1e-12);
}

TEST_P(FarField, M2LOfSeveralVectorsHasTheBitsOfEach) {
  Generator generator(6);
  const auto targets = cases::box({2, 4, -6}, {5, 5, 5}, 0.7, generator);
  const auto around = cases::box({0, 2, -8}, {9, 9, 9}, 0.3, generator);
  const auto list = cases::interactions(targets, {around}, &generator);
  const auto op = cases::random_operators(basis.view(), list, 70, generator);
  for (const int vectors : {2, 3, most_vectors}) {
    SCOPED_TRACE(vectors);
    // the expansions of a cell one after the other
    const Vector multipoles = cases::random_expansions(basis.view(), std::ssize(around) * vectors, generator);
    const Vector locals = cases::random_expansions(basis.view(), std::ssize(targets) * vectors, generator);
    Vector together = locals;
    const double* at = multipoles.data();
    cpu::m2l(op.view(), 0.37, list.view(), &at, together.data(), vectors);
    const auto of = [&](const Vector& expansions, int vector) {
      Vector some;
      for (std::size_t begin = as_size(vector) * stride(); begin < expansions.size();
           begin += as_size(vectors) * stride())
        some.insert(some.end(), &expansions[begin], &expansions[begin] + stride());
      return some;
    };
    for (int v = 0; v < vectors; ++v) {
      Vector alone = of(locals, v);
      const Vector moments = of(multipoles, v);
      const double* const only = moments.data();
      cpu::m2l(op.view(), 0.37, list.view(), &only, alone.data());
      EXPECT_EQ(of(together, v), alone);
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<BasisChoice>& info) {
  return "order_" + std::to_string(info.param.order) +
         (info.param.radius_squared < 0 ? "" : "_ball_" + std::to_string(static_cast<int>(info.param.radius_squared)));
}
INSTANTIATE_TEST_SUITE_P(Bases, FarField,
                         ::testing::Values(BasisChoice{1, -1}, BasisChoice{2, -1}, BasisChoice{3, -1},
                                           BasisChoice{4, 12.25}, BasisChoice{5, -1}, BasisChoice{7, 38},
                                           BasisChoice{9, 76}),
                         name_of);

}  // namespace
}  // namespace asterism::fmm
