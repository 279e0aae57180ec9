// SPDX-License-Identifier: Apache-2.0
// Multigrid: its V-cycle against dense matrices, a symmetric positive definite preconditioner, iterations that do not
// grow with the grid, the same bits for every division; the same of symmetric Gauss-Seidel by colours; block-jacobi on
// any number of rows.
#include <Eigen/Dense>

#include "codelets/cg/kernels/kernels.hpp"
#include "taskflows/cg/acquired.hpp"
#include "taskflows/cg/flow.hpp"
#include "taskflows/cg/preconditioner/aggregation.hpp"
#include "taskflows/cg/preconditioner/choice.hpp"
#include "taskflows/cg/preconditioner/gauss_seidel.hpp"
#include "taskflows/cg/preconditioner/multigrid.hpp"
#include "taskflows/cg/preconditioner/row_parts.hpp"
#include "taskflows/cg/preconditioner/sparse_blocks.hpp"
#include "taskflows/cg/verify.hpp"
#include "tests/taskflows/cg/flow.hpp"

namespace asterism::cg {
namespace {

using Dense = Eigen::MatrixXd;

Dense dense(const CsrMatrix& a) {
  Dense d = Dense::Zero(a.rows(), a.n);
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k) d(i, a.column[as_size(k)]) += a.value[as_size(k)];
  return d;
}

struct Body {
  CsrMatrix a;
  ElasticityNodes nodes;
};
/// A beam of bricks, each of six tetrahedra, with three different edges; P1 elasticity.
Body beam(int nx, int ny, int nz) {
  TetMesh mesh;
  mesh.name = "beam";
  const auto at = [&](int i, int j, int k) { return static_cast<std::int32_t>((k * (ny + 1) + j) * (nx + 1) + i); };
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) mesh.node.push_back({1.0 * i, 0.8 * j, 1.3 * k});
  constexpr int paths[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        for (int p = 0; p < 6; ++p) {
          int c[3] = {i, j, k};
          std::array<std::int32_t, 4> tet{at(c[0], c[1], c[2])};
          ++c[paths[p][0]];
          tet[1] = at(c[0], c[1], c[2]);
          ++c[paths[p][1]];
          tet[2] = at(c[0], c[1], c[2]);
          tet[3] = at(i + 1, j + 1, k + 1);
          if (p >= 3) std::swap(tet[1], tet[2]);
          mesh.tet.push_back(tet);
        }
  const ElasticityOptions options{.element = Element::p1};
  const ElasticBody beam = scaled_body(mesh, options);
  return {assemble_elasticity(beam), beam.nodes};
}

const Body& body() {
  static const Body b = beam(4, 3, 14);
  return b;
}
const Hierarchy& body_hierarchy() {
  static const Hierarchy h = smoothed_aggregation(body().a, 3, rigid_motions(body().nodes.position));
  return h;
}

/// The V-cycle as a dense matrix: Chebyshev by its formula in the error, coarse levels by inverses.
Dense cycle(const Hierarchy& h, std::size_t l, const CsrMatrix& matrix) {
  const Level& level = h.level[l];
  const Dense a = dense(matrix);
  const Eigen::Index n = a.rows();
  if (l + 1 == h.level.size() && h.inverse.rows() > 0) return a.inverse();
  Dense d = Dense::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (int k = 0; k < level.size; ++k)
      d(i, i / level.size * level.size + k) = level.inverse[as_size(i * level.size + k)];
  // degree 2: the error is multiplied by T_2((theta - x) / delta) / T_2(theta / delta), x = D^-1 A
  const double theta = level.largest * (1 + level.smoothed_share) / 2;
  const double delta = level.largest * (1 - level.smoothed_share) / 2;
  const Dense one = Dense::Identity(n, n);
  const Dense x = (theta * one - d * a) / delta;
  const double sigma = theta / delta;
  static_assert(smoother_steps == 2);
  const Dense error = (2 * x * x - one) / (2 * sigma * sigma - 1);
  Dense total = error;
  if (l + 1 < h.level.size()) {
    const Dense p = dense(level.p);
    total = (one - p * cycle(h, l + 1, h.level[l + 1].a) * p.transpose() * a) * error;
  }
  return (one - error * total) * a.inverse();
}

/// z = M^-1 r by the task flow.
Vector apply(const CsrMatrix& a, const Hierarchy& h, const Vector& r, int blocks, int node_rows) {
  Options o = with(Flow::fused, blocks, Decomposition::one_d, Transfer::packed);
  o.preconditioner_block = 0;
  o.preconditioner_flow = h.colour.empty() ? PreconditionerFlow::amg : PreconditionerFlow::ssor;
  o.node_rows = node_rows;
  const Vector shares(as_size(blocks), 1.0);
  System system(*session, a, r, {}, o, partition_rows(a, shares, o.balance, node_rows), &h);
  for (int i = 0; i < blocks; ++i) submit_copy(system.b[i], system.r[i]);
  system.preconditioner_tasks->submit(system);
  Vector z;
  for (int i = 0; i < blocks; ++i) {
    Handle copy = Handle::vector(nullptr, as_size(system.partition.rows(i)), sizeof(double), "copy");
    submit(codelets::copy, codelets::NoArgs{}, {{system.preconditioner_tasks->z(i), STARPU_R}, {copy, STARPU_W}});
    const cg::Acquired<double> values(copy, STARPU_R);
    z.insert(z.end(), values.get(), values.get() + system.partition.rows(i));
  }
  return z;
}

Vector numbers(std::int64_t n, double phase) {
  Vector values(as_size(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37 * static_cast<double>(i) + phase);
  return values;
}

Solved solve_by_flow(const CsrMatrix& a, const Hierarchy& h, const Vector& b, Options o, int node_rows) {
  o.preconditioner_block = 0;
  o.preconditioner_flow = h.colour.empty() ? PreconditionerFlow::amg : PreconditionerFlow::ssor;
  o.node_rows = node_rows;
  const Vector shares(as_size(o.blocks), 1.0);
  System system(*session, a, b, {}, o, partition_rows(a, shares, o.balance, node_rows), &h);
  Solved s;
  s.result = solve(system, b, a.name);
  s.x.assign(system.x.memory.data(), system.x.memory.data() + a.n);
  return s;
}

TEST(SparseBlocks, ProductsAreThoseOfDenseMatrices) {
  const CsrMatrix a = assemble_stencil(parse_stencil("11pts-5x4x3"));
  // nodes of 3 rows of a body, of 1 to 5 rows of a matrix that has no nodes: blocks with entries that are not there
  for (const auto& [matrix, size] : {std::pair{&a, 1}, {&a, 2}, {&a, 3}, {&a, 4}, {&a, 5}, {&body().a, 3}}) {
    SCOPED_TRACE(size);
    const Dense expected = dense(*matrix);
    EXPECT_EQ(dense(scatter_blocks(gather_blocks(*matrix, size))), expected);
    const SparseBlocks blocks = gather_blocks(*matrix, size);
    // the product of three with a matrix that is not symmetric
    SparseBlocks p = RowParts(blocks.rows(), blocks.columns, size, size, [&](std::int64_t i, BlockRow& sum) {
                       for (std::int64_t k = blocks.begin[as_size(i)]; k < blocks.begin[as_size(i) + 1]; ++k)
                         std::copy_n(blocks.block(k), blocks.size(), sum.at(blocks.column[as_size(k)]));
                     }).joined();
    for (std::size_t k = 0; k < p.value.size(); ++k) p.value[k] *= 1 + 0.01 * static_cast<double>(k % 7);
    const BlocksOfColumns columns = by_columns(p);
    const CsrMatrix turned = scatter_transposed(p, columns);
    SparseBlocks product = triple_product(blocks, p, columns);
    const Dense of_p = dense(scatter_blocks(std::move(p)));
    EXPECT_EQ(dense(turned), of_p.transpose());
    const Dense of_three = of_p.transpose() * expected * of_p;
    EXPECT_LT((dense(scatter_blocks(std::move(product))) - of_three).norm(), 1e-14 * of_three.norm());
    const Vector values = numbers(matrix->n, 0.6);
    Vector y(values.size());
    multiply_rows(blocks, 0, blocks.rows(), values.data(), y.data());
    const Eigen::VectorXd of_values = expected * Eigen::Map<const Eigen::VectorXd>(values.data(), matrix->n);
    EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(y.data(), matrix->n) - of_values).norm(), 1e-14 * expected.norm());
  }
  const Hierarchy& h = body_hierarchy();
  const CsrMatrix& p = h.level.front().p;
  EXPECT_EQ(dense(h.level.front().r), dense(p).transpose());
  const Dense coarse = dense(p).transpose() * dense(body().a) * dense(p);
  Dense difference = dense(h.level[1].a) - coarse;
  for (Eigen::Index i = 0; i < difference.rows(); ++i)
    if (coarse(i, i) == 0) difference(i, i) = 0;  // an unknown that stands for nothing
  EXPECT_LT(difference.norm(), 1e-12 * coarse.norm());
}

TEST(Aggregation, TakesEveryConnectedNodeOnce) {
  const CsrMatrix a = assemble_stencil(parse_stencil("7pts-9x8x7"));
  const Aggregates aggregates = aggregate(gather_blocks(a, 1), 0.08);
  EXPECT_GT(aggregates.count(), a.n / 27);
  EXPECT_LT(aggregates.count(), a.n / 4);
  std::vector<std::int32_t> first(as_size(aggregates.count()), -1);
  for (std::size_t i = 0; i < aggregates.of_node.size(); ++i) {
    ASSERT_GE(aggregates.of_node[i], 0);
    std::int32_t& f = first[as_size(aggregates.of_node[i])];
    if (f < 0) f = static_cast<std::int32_t>(i);
  }
  EXPECT_EQ(first, aggregates.first);
  EXPECT_TRUE(std::ranges::is_sorted(first));
}

TEST(Hierarchy, RigidMotionsAreInTheRangeOfTheProlongation) {
  // (I - omega D^-1 A) maps a motion of free nodes away from the clamp to itself
  const NearNullspace modes = rigid_motions(body().nodes.position);
  const Dense a = dense(body().a);
  const Dense p = dense(body_hierarchy().level.front().p);
  for (const Vector& mode : modes) {
    const Eigen::VectorXd m = Eigen::Map<const Eigen::VectorXd>(mode.data(), a.rows());
    const Eigen::VectorXd residual = m - p * p.colPivHouseholderQr().solve(m);
    const Eigen::VectorXd force = a * m;
    int inside = 0;
    for (std::int64_t node = 0; node < a.rows() / 3; ++node) {
      bool away = body().nodes.position[as_size(node)][2] > 0.5;
      for (int c = 0; c < 3; ++c) away = away && std::abs(force(3 * node + c)) < 1e-9;
      if (!away) continue;
      ++inside;
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(residual(3 * node + c), 0, 0.3 * m.lpNorm<Eigen::Infinity>());
    }
    EXPECT_GT(inside, 20);
  }
}

TEST_F(CgFlow, VCycleIsThatOfDenseMatrices) {
  const CsrMatrix grid = assemble_stencil(parse_stencil("7pts-11x10x9"));
  const Hierarchy of_grid = smoothed_aggregation(grid, 1, component_constants(grid.n, 1));
  struct Case {
    const CsrMatrix* a;
    const Hierarchy* h;
    int node_rows;
  };
  for (const Case& c : {Case{&grid, &of_grid, 1}, Case{&body().a, &body_hierarchy(), 3}}) {
    ASSERT_GE(c.h->level.size(), 2U);
    const Dense m = cycle(*c.h, 0, *c.a);
    EXPECT_LT((m - m.transpose()).norm(), 1e-9 * m.norm());
    EXPECT_EQ(Eigen::LLT<Dense>((m + m.transpose()) / 2).info(), Eigen::Success);  // positive definite
    const Vector r = numbers(c.a->n, 0.2);
    const Vector z = apply(*c.a, *c.h, r, 2, c.node_rows);
    const Eigen::VectorXd expected = m * Eigen::Map<const Eigen::VectorXd>(r.data(), c.a->n);
    EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(z.data(), c.a->n) - expected).norm(), 1e-9 * expected.norm());
    // y'Mx = x'My, x'Mx > 0
    const Vector s = numbers(c.a->n, 1.1);
    const Vector ms = apply(*c.a, *c.h, s, 3, c.node_rows);
    const double one = cpu::residual_dots(c.a->n, s.data(), z.data()).rz.hi;
    const double other = cpu::residual_dots(c.a->n, r.data(), ms.data()).rz.hi;
    EXPECT_NEAR(one, other, 1e-11 * std::abs(cpu::residual_dots(c.a->n, r.data(), z.data()).rz.hi));
    EXPECT_GT(cpu::residual_dots(c.a->n, r.data(), z.data()).rz.hi, 0);
  }
}

TEST_F(CgFlow, MultigridGivesTheSameBitsInEveryDivision) {
  const Vector b = numbers(body().a.n, 0.4);
  const Solved one = solve_by_flow(body().a, body_hierarchy(), b, with(Flow::fused), 3);
  EXPECT_EQ(one.result.outcome, Outcome::converged);
  EXPECT_TRUE(verify(body().a, b, one.x, 1.1e-8).right());
  for (const int blocks : {2, 3, 9})  // beyond 8 a task adds the contributions
    expect_same(one, solve_by_flow(body().a, body_hierarchy(), b,
                                   with(Flow::fused, blocks, Decomposition::one_d, Transfer::packed), 3));
  expect_same(one, solve_by_flow(body().a, body_hierarchy(), b, with(Flow::fused, 2), 3));
  for (const Flow flow : {Flow::naive, Flow::refined}) {
    const Solved other = solve_by_flow(body().a, body_hierarchy(), b, with(flow, 2), 3);
    EXPECT_TRUE(same_bits(one.x, other.x));
  }
}

TEST_F(CgFlow, MultigridIterationsDoNotGrowWithTheGrid) {
  std::vector<std::int64_t> iterations;
  for (const char* name : {"7pts-12", "7pts-24", "7pts-40"}) {
    const CsrMatrix a = assemble_stencil(parse_stencil(name));
    const Hierarchy h = smoothed_aggregation(a, 1, component_constants(a.n, 1));
    const Solved s = solve_by_flow(a, h, Vector(as_size(a.n), 1.0), with(Flow::fused, 2), 1);
    EXPECT_EQ(s.result.outcome, Outcome::converged);
    iterations.push_back(s.result.iterations);
  }
  EXPECT_LE(iterations[2], 15);
  EXPECT_LE(static_cast<double>(iterations[2]), 1.5 * static_cast<double>(iterations[1]));
}

TEST_F(CgFlow, MultigridOnABodyNeedsFewIterations) {
  const Vector b(as_size(body().a.n), 1.0);
  const Solved amg = solve_by_flow(body().a, body_hierarchy(), b, with(Flow::fused), 3);
  const Solved jacobi = solve_with(body().a, b, with(Flow::fused));
  EXPECT_LT(4 * amg.result.iterations, jacobi.result.iterations);
}

TEST(Colours, AreNoNeighbours) {
  const CsrMatrix grid = assemble_stencil(parse_stencil("7pts-7x6x5"));
  const std::vector<std::int32_t> red_black = colours_of(grid, 1);
  EXPECT_EQ(std::ranges::max(red_black), 1);
  for (const auto& [a, size] : {std::pair{&grid, 1}, std::pair{&body().a, 3}}) {
    const std::vector<std::int32_t> colour = colours_of(*a, size);
    ASSERT_EQ(colour.size(), as_size(a->n / size));
    EXPECT_LE(std::ranges::max(colour), 14);  // at most one more than a node has neighbours
    EXPECT_EQ(std::ranges::min(colour), 0);
    for (std::int64_t i = 0; i < a->n; ++i)
      for (std::int64_t k = a->begin_of(i); k < a->begin_of(i + 1); ++k) {
        const std::int64_t other = a->column[as_size(k)] / size;
        ASSERT_TRUE(other == i / size || colour[as_size(other)] != colour[as_size(i / size)]);
      }
  }
}

/// M = (D + L) D^-1 (D + L'), L the entries from later colours to earlier ones, D by nodes.
TEST_F(CgFlow, GaussSeidelIsThatOfDenseMatrices) {
  const CsrMatrix grid = assemble_stencil(parse_stencil("7pts-7x6x5"));
  for (const auto& [matrix, size] : {std::pair{&grid, 1}, std::pair{&body().a, 3}}) {
    const CsrMatrix& a = *matrix;
    const Hierarchy h = coloured(a, size);
    const Dense all = dense(a);
    Dense d = Dense::Zero(a.n, a.n);
    Dense lower = d;
    for (std::int64_t i = 0; i < a.n; ++i)
      for (std::int64_t j = 0; j < a.n; ++j) {
        if (i / size == j / size)
          d(i, j) = all(i, j);
        else if (h.colour[as_size(i / size)] > h.colour[as_size(j / size)])
          lower(i, j) = all(i, j);
      }
    const Dense m = (d + lower) * d.inverse() * (d + lower).transpose();
    const Vector r = numbers(a.n, 0.7);
    const Eigen::VectorXd expected = m.ldlt().solve(Eigen::Map<const Eigen::VectorXd>(r.data(), a.n));
    for (const int blocks : {1, 3}) {
      const Vector z = apply(a, h, r, blocks, size);
      EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(z.data(), a.n) - expected).norm(), 1e-12 * expected.norm());
    }
  }
}

TEST_F(CgFlow, GaussSeidelGivesTheSameBitsInEveryDivisionAndHalvesTheIterations) {
  const Vector b = numbers(body().a.n, 0.4);
  const Hierarchy h = coloured(body().a, 3);
  const Solved one = solve_by_flow(body().a, h, b, with(Flow::fused), 3);
  EXPECT_EQ(one.result.outcome, Outcome::converged);
  EXPECT_TRUE(verify(body().a, b, one.x, 1.1e-8).right());
  for (const int blocks : {2, 3, 9})
    expect_same(one,
                solve_by_flow(body().a, h, b, with(Flow::fused, blocks, Decomposition::one_d, Transfer::packed), 3));
  EXPECT_TRUE(same_bits(one.x, solve_by_flow(body().a, h, b, with(Flow::refined, 2), 3).x));
  const CsrMatrix grid = assemble_stencil(parse_stencil("7pts-24"));
  const Vector ones(as_size(grid.n), 1.0);
  const Solved relaxed = solve_by_flow(grid, coloured(grid, 1), ones, with(Flow::fused, 2), 1);
  EXPECT_LT(relaxed.result.iterations,
            0.6 * static_cast<double>(solve_with(grid, ones, with(Flow::fused)).result.iterations));
}

TEST(Choice, FollowsTheCondition) {
  EXPECT_EQ(choose_preconditioner(assemble_stencil(parse_stencil("7pts-8")), 1, 1e-8).name, "none");
  EXPECT_EQ(choose_preconditioner(assemble_stencil(parse_stencil("5pts-300")), 1, 1e-8).name, "amg");
  // 159 iterations, though the condition is 1712
  const PreconditionerChoice grid = choose_preconditioner(assemble_stencil(parse_stencil("7pts-64")), 1, 1e-8);
  EXPECT_EQ(grid.name, "none");
  EXPECT_NE(grid.reason.find("189 entries across"), std::string::npos) << grid.reason;
  const PreconditionerChoice large = choose_preconditioner(assemble_stencil(parse_stencil("7pts-104")), 1, 1e-8);
  EXPECT_EQ(large.name, "amg");
  EXPECT_NE(large.reason.find("309 entries across"), std::string::npos) << large.reason;
  // 2000 entries across, but few iterations
  EXPECT_EQ(choose_preconditioner(assemble_stencil(parse_stencil("7pts-2000x4x4")), 1, 1e-8).name, "none");
  EXPECT_EQ(choose_preconditioner(beam(2, 2, 2).a, 3, 1e-8).name, "jacobi");
  EXPECT_EQ(choose_preconditioner(assemble_stencil(parse_stencil("5pts-300")), 1, 1e-8, true).name, "none");
  EXPECT_EQ(choose_preconditioner(beam(2, 2, 2).a, 3, 1e-8, true).name, "jacobi");
  // one small eigenvalue: a large condition, and few iterations
  CsrMatrix pair = assemble_stencil(parse_stencil("7pts-8"));
  for (std::int64_t row = 0; row < pair.n; ++row)
    for (std::int64_t k = pair.begin_of(row); k < pair.begin_of(row + 1); ++k)
      if (const std::int64_t column = pair.column[as_size(k)]; column != row)
        pair.value[as_size(k)] = row + column == 1 ? -6 * (1 - 1e-6) : 0;
  const PreconditionerChoice counted = choose_preconditioner(pair, 1, 1e-8);
  EXPECT_EQ(counted.name, "none");
  EXPECT_NE(counted.reason.find("counted"), std::string::npos) << counted.reason;
}

TEST_F(CgFlow, BlockJacobiTakesAnyNumberOfRows) {
  // 504 rows in blocks of 5 and of 11: the last has 4 and 9
  for (const int size : {5, 11}) {
    Options o = with(Flow::fused, 1);
    o.preconditioner_block = size;
    const Solved s = solve_with(stencil(), stencil_b(), o);
    EXPECT_TRUE(verify(stencil(), stencil_b(), s.x, 1.1e-8).right());
    for (const Flow flow : {Flow::fused, Flow::refined, Flow::pipelined}) {
      Options other = with(flow, 3);
      other.preconditioner_block = size;
      if (flow == Flow::pipelined)
        EXPECT_TRUE(verify(stencil(), stencil_b(), solve_with(stencil(), stencil_b(), other).x, 1.1e-8).right());
      else
        EXPECT_TRUE(same_bits(s.x, solve_with(stencil(), stencil_b(), other).x));
    }
  }
}

}  // namespace
}  // namespace asterism::cg
