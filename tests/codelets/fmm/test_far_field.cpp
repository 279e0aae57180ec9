// The far-field operators on CPUs against the formulas: polynomials as cos(a acos x), shifts by a discrete cosine
// transform, M2L from the kernel at the interpolation nodes (equations 2 and 3) for all 316 directions.
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

namespace asterism::fmm {
namespace {

using cases::Generator;
using cases::index;
using Real = long double;
using Vector = std::vector<double>;
using Matrix = Eigen::MatrixXd;

constexpr Grid grid{-0.7, 3.1, 0.4, 0.375};

Real polynomial(int a, Real x) {
  return std::cos(a * std::acos(std::clamp<Real>(x, -1, 1)));
}
/// T'_a = a sin(a t) / sin t at x = cos t
Real slope(int a, Real x) {
  const Real t = std::acos(x);
  return a * std::sin(a * t) / std::sin(t);
}

struct Degree {
  int a, b, c;
};
/// The products that a basis is to have, in its order.
std::vector<Degree> degrees_of(const BasisChoice& choice) {
  std::vector<Degree> out;
  for (int a = 0; a < choice.order; ++a)
    for (int b = 0; b < choice.order; ++b)
      for (int c = 0; c < choice.order; ++c)
        if (choice.radius_squared < 0 || a * a + b * b + c * c <= choice.radius_squared) out.push_back({a, b, c});
  return out;
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
  [[nodiscard]] std::size_t stride() const { return index(basis.stride()); }

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
  ASSERT_EQ(index(basis.size()), degrees.size());
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
      for (auto j = index(leaves.particles.begin[leaf]); j < index(leaves.particles.begin[leaf + 1]); ++j) {
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
      for (auto j = index(leaves.particles.begin[leaf]); j < index(leaves.particles.begin[leaf + 1]); ++j) {
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
  std::vector<Real> out(index(order), 0);
  for (int m = 0; m < order; ++m) {
    const Real x = std::cos((2 * m + 1) * std::numbers::pi_v<Real> / (2 * order));
    for (int b = 0; b < order; ++b)
      out[index(b)] += (b == 0 ? 1 : 2) * polynomial(a, (x + side) / 2) * polynomial(b, x) / order;
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
      const Degree& to = degrees[index(i)];
      const Degree& from = degrees[index(j)];
      m(i, j) = static_cast<double>(s[0][index(from.a)][index(to.a)] * s[1][index(from.b)][index(to.b)] *
                                    s[2][index(from.c)][index(to.c)]);
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
      const Matrix s = shift_of(degrees, basis.order(), tree.cells[index(i)]);
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
  for (const Family& f : tree.families.families) parent_begin.push_back(p.begin[index(f.first_child)]);
  parent_begin.push_back(p.begin.back());
  const LeafView leaves{cells, tree.cells.data(), p.begin.data()};
  const LeafView parents{tree.count(), tree.families.parents.data(), parent_begin.data()};

  Vector moments(tree.cells.size() * stride());
  Vector direct(index(tree.count()) * stride());
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
    const std::size_t row = index(d) * index(list.tiles + 1);
    const M2LDirection& t = op.direction[index(d)];
    for (int i = list.begin[row]; i < list.begin[row + index(list.tiles)]; ++i) {
      const M2LPair& pair = list.pairs[index(i)];
      const double* w = at[pair.source >> source_bits] + (pair.source & 0xffffffU) * stride();
      for (int r = 0; r < t.rank; ++r) {
        double g = 0;
        for (int k = 0; k < op.size; ++k) g += op.data[index(t.v + std::int64_t{k} * t.padded + r)] * w[k];
        for (int k = 0; k < op.size; ++k)
          expected[pair.target * stride() + index(k)] +=
              scale * g * op.data[index(t.u + std::int64_t{r} * op.stride + k)];
      }
    }
  }
  cpu::m2l(op.view(), scale, list.view(), at.data(), actual.data());
  expect_close(expected, actual, 1e-12);
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

// ---- the operators themselves

double inverse_distance(double r2) {
  return 1 / std::sqrt(r2);
}
/// Not homogeneous, to see which distances are used.
double screened(double r2) {
  return std::exp(-0.3 * std::sqrt(r2)) / std::sqrt(r2);
}

/// Equations 2 and 3 restricted to a basis, both sides scaled to be orthonormal at the nodes: what to multiply by
/// sqrt(c_a c_b c_c), c_0 = 1/n and c_a = 2/n, on both sides for the operator from moments to coefficients.
Matrix naive_operator(const std::vector<Degree>& degrees, int nodes, const std::array<int, 3>& t,
                      const RadialKernel& kernel, double half) {
  const auto k = static_cast<Eigen::Index>(degrees.size());
  std::vector<double> x(index(nodes));
  for (int m = 0; m < nodes; ++m) x[index(m)] = std::cos((2 * m + 1) * std::numbers::pi / (2 * nodes));
  const auto n3 = Eigen::Index{nodes} * nodes * nodes;
  Matrix at_nodes(n3, n3);
  Matrix transform(n3, k);
  for (Eigen::Index i = 0; i < n3; ++i) {
    const std::array<double, 3> p{x[index(i / nodes / nodes)], x[index(i / nodes % nodes)], x[index(i % nodes)]};
    for (Eigen::Index j = 0; j < n3; ++j) {
      const std::array<double, 3> s{x[index(j / nodes / nodes)], x[index(j / nodes % nodes)], x[index(j % nodes)]};
      double r2 = 0;
      for (std::size_t d = 0; d < 3; ++d) r2 += std::pow(half * (p[d] + 2 * t[d] - s[d]), 2);
      at_nodes(i, j) = kernel(r2);
    }
    for (Eigen::Index j = 0; j < k; ++j) {
      const auto [a, b, c] = degrees[index(j)];
      const auto weight = [&](int degree) { return std::sqrt((degree == 0 ? 1.0 : 2.0) / nodes); };
      transform(i, j) = static_cast<double>(polynomial(a, p[0]) * polynomial(b, p[1]) * polynomial(c, p[2])) *
                        weight(a) * weight(b) * weight(c);
    }
  }
  return transform.transpose() * at_nodes * transform;
}

/// What cpu::m2l does to unit vectors in one direction, in the scaling of naive_operator.
Matrix applied(const Basis& basis, const std::vector<Degree>& degrees, int nodes, const M2LOperators& operators,
               int direction) {
  const int k = basis.size();
  const auto stride = index(basis.stride());
  std::vector<M2LPair> pairs;
  Vector unit(index(k) * stride, 0.0);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(k); ++i) {
    pairs.push_back({i, i});
    unit[i * stride + i] = 1;
  }
  std::vector<std::int32_t> begin(index(directions) * 2, 0);
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
      m(row, column) =
          locals[index(column) * stride + index(row)] / weight(degrees[index(row)]) / weight(degrees[index(column)]);
  return m;
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
  int count = 0;
  for (int dx = -3; dx <= 3; ++dx)
    for (int dy = -3; dy <= 3; ++dy)
      for (int dz = -3; dz <= 3; ++dz) {
        const int d = direction_of(dx, dy, dz);
        const bool near = std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 2;
        ASSERT_EQ(operators.table()[index(d)].rank == 0, near);
        if (near) continue;
        ++count;
        const Matrix expected = naive_operator(degrees, nodes, {dx, dy, dz}, c.kernel, c.half);
        const Matrix actual = applied(basis, degrees, nodes, operators, d);
        ASSERT_LE((expected - actual).norm(), (c.epsilon + 1e-13) * expected.norm()) << dx << " " << dy << " " << dz;
      }
  EXPECT_EQ(count, 316);
}

/// Singular vectors of nearly equal singular values are arbitrary: all of them are kept, or none.
TEST_P(M2LOperatorsTest, NoGroupIsCut) {
  const OperatorCase& c = GetParam();
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
        ASSERT_EQ(operators.table()[index(direction_of(i, j, k))].rank, rank);
        ASSERT_EQ(operators.table()[index(direction_of(-k, i, -j))].rank, rank);
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
                                           OperatorCase{"order3screened", {3, -1}, screened, 0.6, 1e-3},
                                           OperatorCase{"order4ball", {4, 12.25}, inverse_distance, 1, 1e-4},
                                           OperatorCase{"order5", {5, -1}, inverse_distance, 1, 1e-5}),
                         [](const ::testing::TestParamInfo<OperatorCase>& info) { return info.param.name; });

/// With P2M before and L2P after, the error falls with the order.
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
    Vector m(index(basis.stride()));
    Vector l(index(basis.stride()), 0.0);
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
