// SPDX-License-Identifier: Apache-2.0
// Elasticity matrices: hand-made elements, exact energies, convergence, misuse.
#include "base/as_size.hpp"
#include "taskflows/cg/matrix/elasticity.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "tests/taskflows/cg/complaints.hpp"
#include "tests/taskflows/cg/symmetric_matrix.hpp"
#include "tests/taskflows/cg/tetrahedral_meshes.hpp"

namespace asterism::cg {
namespace {

TetMesh awkward_box() {
  return box({3, 2, 4}, {1.0, 0.7, 1.9});
}
constexpr double awkward_scale = 1 / 1.9;

class EveryElement : public ::testing::TestWithParam<Element> {};
INSTANTIATE_TEST_SUITE_P(Elasticity, EveryElement, ::testing::Values(Element::p1, Element::p2),
                         [](const auto& tested) { return tested.param == Element::p1 ? "P1" : "P2"; });

TEST(Elasticity, UnitTetrahedronByHand) {
  TetMesh mesh{.node = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .tet = {{0, 1, 2, 3}}, .name = "unit"};
  const Eigen::MatrixXd k = sparse(assemble_elasticity(
      mesh, {.element = Element::p1, .young = 1, .poisson = 0.25, .clamp = false, .numbering = Numbering::mesh}));
  // lambda = mu = 2/5, volume 1/6, gradients (-1,-1,-1), (1,0,0), (0,1,0), (0,0,1).
  EXPECT_NEAR(k(0, 0), 0.4 * 5 / 6, 1e-15);
  EXPECT_NEAR(k(3, 3), 0.4 * 3 / 6, 1e-15);
  EXPECT_NEAR(k(4, 4), 0.4 / 6, 1e-15);
  EXPECT_NEAR(k(3, 7), 0.4 / 6, 1e-15);  // lambda: x at node 1, y at node 2
  EXPECT_NEAR(k(4, 6), 0.4 / 6, 1e-15);  // mu: y at node 1, x at node 2
  EXPECT_NEAR(k(0, 3), -0.4 * 3 / 6, 1e-15);
  EXPECT_EQ(k(3, 6), 0);
}

TEST(Elasticity, AwkwardTetrahedronAgainstStrainMatrix) {
  TetMesh mesh{.node = {{0.1, 0.2, -0.3}, {1.7, 0.4, 0.2}, {0.3, 1.1, 0.5}, {-0.2, 0.6, 2.3}},
               .tet = {{0, 1, 2, 3}},
               .name = "awkward"};
  const double young = 7;
  const double poisson = 0.2;
  Eigen::Matrix4d corners;
  for (Eigen::Index i = 0; i < 4; ++i) {
    corners.row(i) << 1, mesh.node[as_size(i)][0], mesh.node[as_size(i)][1], mesh.node[as_size(i)][2];
  }
  corners.rightCols(3) /= 2.6;  // the longest side of the bounding box, along z
  const Eigen::Matrix4d shape = corners.inverse();
  Eigen::MatrixXd strain = Eigen::MatrixXd::Zero(6, 12);  // Voigt: xx yy zz yz xz xy, shears doubled
  for (Eigen::Index a = 0; a < 4; ++a) {
    const double x = shape(1, a), y = shape(2, a), z = shape(3, a);
    strain.block<6, 3>(0, 3 * a) << x, 0, 0, 0, y, 0, 0, 0, z, 0, z, y, z, 0, x, y, x, 0;
  }
  Eigen::MatrixXd compliance = Eigen::MatrixXd::Zero(6, 6);
  compliance.topLeftCorner<3, 3>().setConstant(-poisson / young);
  compliance.diagonal() << 1, 1, 1, 2 * (1 + poisson), 2 * (1 + poisson), 2 * (1 + poisson);
  compliance.diagonal() /= young;
  const Eigen::MatrixXd expected =
      std::abs(corners.determinant()) / 6 * strain.transpose() * compliance.inverse() * strain;
  const Eigen::MatrixXd found = sparse(assemble_elasticity(
      mesh,
      {.element = Element::p1, .young = young, .poisson = poisson, .clamp = false, .numbering = Numbering::mesh}));
  EXPECT_LT((found - expected).norm(), 1e-14 * expected.norm());
}

TEST_P(EveryElement, RigidMotionsCostNothing) {
  const ElasticityOptions options{.element = GetParam(), .clamp = false};
  const TetMesh mesh = awkward_box();
  const ElasticityNodes nodes = scaled_body(mesh, options).nodes;
  const Sparse k = sparse(assemble_elasticity(mesh, options));
  const std::vector<std::function<Vector(const Vector&)>> motions{
      [](const Vector&) { return Vector{1, 0, 0}; },          [](const Vector&) { return Vector{0, 1, 0}; },
      [](const Vector&) { return Vector{0, 0, 1}; },          [](const Vector& x) { return Vector{0, -x[2], x[1]}; },
      [](const Vector& x) { return Vector{x[2], 0, -x[0]}; }, [](const Vector& x) { return Vector{-x[1], x[0], 0}; }};
  Eigen::MatrixXd penalised = k;
  for (const auto& motion : motions) {
    const Eigen::VectorXd u = nodal(nodes, motion);
    EXPECT_LT((k * u).norm(), 1e-12 * (k.cwiseAbs() * u.cwiseAbs()).norm());
    penalised += u * u.transpose() / u.squaredNorm();
  }
  // Only the six are free: penalising them makes the matrix definite, well away from rounding.
  const Eigen::LLT<Eigen::MatrixXd> cholesky{penalised};
  ASSERT_EQ(cholesky.info(), Eigen::Success);
  EXPECT_GT(cholesky.matrixLLT().diagonal().minCoeff(), 1e-3 * cholesky.matrixLLT().diagonal().maxCoeff());
}

TEST_P(EveryElement, LinearFieldHasExactEnergy) {
  const ElasticityOptions options{.element = GetParam(), .young = 3, .poisson = 0.35, .clamp = false};
  const TetMesh mesh = awkward_box();
  Eigen::Matrix3d g;
  g << 0.3, -0.8, 0.5, 1.1, -0.2, 0.7, 0.4, 0.9, -0.6;
  const Eigen::VectorXd u = nodal(scaled_body(mesh, options).nodes, [&](const Vector& x) {
    const Eigen::Vector3d v = g * Eigen::Vector3d(x[0], x[1], x[2]);
    return Vector{v[0], v[1], v[2]};
  });
  const double mu = options.young / (2 * (1 + options.poisson));
  const double lambda = options.young * options.poisson / ((1 + options.poisson) * (1 - 2 * options.poisson));
  const Eigen::Matrix3d strain = (g + g.transpose()) / 2;
  const double density = lambda / 2 * strain.trace() * strain.trace() + mu * strain.squaredNorm();
  const double expected = density * 1.0 * 0.7 * 1.9 * std::pow(awkward_scale, 3);
  EXPECT_NEAR(0.5 * u.dot(sparse(assemble_elasticity(mesh, options)) * u), expected, 1e-13 * expected);
}

TEST(Elasticity, QuadraticFieldHasExactEnergyInP2Only) {
  // u = (x^2, y z, x z) has strains xx 2x, yy z, zz x, yz y/2, xz z/2, xy 0, hence the energy density
  // lambda/2 (3x + z)^2 + mu (5 x^2 + 3/2 z^2 + 1/2 y^2), integrated over [0,a] x [0,b] x [0,c].
  const double a = 1.0 * awkward_scale, b = 0.7 * awkward_scale, c = 1.9 * awkward_scale;
  const ElasticityOptions p2{.element = Element::p2, .young = 1, .poisson = 0.25, .clamp = false};  // lambda = mu = 0.4
  const double xx = a * a / 3, yy = b * b / 3, zz = c * c / 3, xz = a * c / 4;
  const double expected = a * b * c * (0.2 * (9 * xx + 6 * xz + zz) + 0.4 * (5 * xx + 1.5 * zz + 0.5 * yy));
  const auto energy = [](const ElasticityOptions& options) {
    const TetMesh mesh = awkward_box();
    const Eigen::VectorXd u = nodal(scaled_body(mesh, options).nodes, [](const Vector& x) {
      return Vector{x[0] * x[0], x[1] * x[2], x[0] * x[2]};
    });
    return 0.5 * u.dot(sparse(assemble_elasticity(mesh, options)) * u);
  };
  EXPECT_NEAR(energy(p2), expected, 1e-13 * expected);
  ElasticityOptions p1 = p2;
  p1.element = Element::p1;
  EXPECT_GT(std::abs(energy(p1) - expected), 1e-3 * expected);
}

TEST_P(EveryElement, ClampedIsPositiveDefiniteAndEliminated) {
  const ElasticityOptions options{.element = GetParam()};
  const TetMesh mesh = awkward_box();
  const ElasticBody body = scaled_body(mesh, options);
  const CsrMatrix a = assemble_elasticity(body);
  expect_symmetric(a);
  EXPECT_EQ(a.n, GetParam() == Element::p1 ? 3 * 4 * 3 * 5 : 3 * 7 * 5 * 9);
  const Eigen::LLT<Eigen::MatrixXd> cholesky{Eigen::MatrixXd(sparse(a))};
  EXPECT_EQ(cholesky.info(), Eigen::Success);

  // The lowest 5 % of the longest axis, z, is the bottom layer only.
  EXPECT_EQ(std::count(body.fixed.begin(), body.fixed.end(), 1), 3 * (GetParam() == Element::p1 ? 12 : 35));
  double free_sum = 0;
  double clamped_value = 0;
  std::int64_t free_rows = 0;
  for (std::int64_t i = 0; i < a.n; ++i) {
    const std::size_t begin = as_size(a.row_begin[as_size(i)]);
    const std::size_t end = as_size(a.row_begin[as_size(i) + 1]);
    if (body.fixed[as_size(i)]) {
      EXPECT_EQ(body.nodes.position[as_size(i / 3)][2], 0);
      ASSERT_EQ(end - begin, 1U);
      EXPECT_EQ(a.column[begin], i);
      clamped_value = a.value[begin];
    } else {
      for (std::size_t k = begin; k < end; ++k) free_sum += a.column[k] == i ? a.value[k] : 0;
      ++free_rows;
    }
  }
  EXPECT_NEAR(clamped_value, free_sum / static_cast<double>(free_rows), 1e-14);
}

TEST_P(EveryElement, ReorderingPermutesAndNarrows) {
  TetMesh mesh = box({2, 3, 9}, {0.5, 0.7, 3});
  std::vector<std::int32_t> shuffled(mesh.node.size());
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
  const TetMesh straight = mesh;
  for (std::size_t i = 0; i < shuffled.size(); ++i) mesh.node[as_size(shuffled[i])] = straight.node[i];
  for (auto& tet : mesh.tet) {
    for (std::int32_t& corner : tet) corner = shuffled[as_size(corner)];
  }
  const auto bandwidth = [](const CsrMatrix& a) {
    std::int64_t width = 0;
    for (std::int64_t i = 0; i < a.n; ++i) width = std::max(width, i - a.column[as_size(a.row_begin[as_size(i)])]);
    return width;
  };
  const CsrMatrix plain = assemble_elasticity(mesh, {.element = GetParam(), .numbering = Numbering::mesh});
  const CsrMatrix reordered = assemble_elasticity(mesh, {.element = GetParam(), .numbering = Numbering::rcm});
  EXPECT_EQ(plain.nnz(), reordered.nnz());
  EXPECT_LT(3 * bandwidth(reordered), bandwidth(plain));
  EXPECT_NEAR(sparse(plain).norm(), sparse(reordered).norm(), 1e-12 * sparse(plain).norm());
}

/// Mean deflection along z of the free end of a cantilever of length 1 along x, width 0.15 and height 0.2, under a
/// unit force along z spread evenly over that end. Young's modulus 1, Poisson's ratio 0.
double tip_deflection(Element element, std::int32_t cells) {
  const TetMesh mesh = box({4 * cells, cells, cells}, {1, 0.15, 0.2});
  const ElasticityOptions options{.element = element, .young = 1, .poisson = 0};
  const ElasticityNodes nodes = scaled_body(mesh, options).nodes;
  const Sparse k = sparse(assemble_elasticity(mesh, options));
  Eigen::VectorXd load = Eigen::VectorXd::Zero(k.rows());
  const auto at_end = [&](std::int32_t node) { return nodes.position[as_size(node)][0] > 1 - 1e-9; };
  // Consistent loads of a triangle: a third each on the corners (P1) or on the midpoints (P2, corners none).
  const double share = 1.0 / (3 * 2 * cells * cells);
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) {
    const std::int32_t* const node = nodes.element.data() + e * as_size(nodes.per_element);
    if (std::count_if(node, node + 4, at_end) != 3) continue;
    const int first = element == Element::p1 ? 0 : 4;
    for (int i = first; i < nodes.per_element; ++i) {
      if (at_end(node[i])) load[3 * node[i] + 2] += share;
    }
  }
  EXPECT_NEAR(load.sum(), 1, 1e-12);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors{Eigen::SparseMatrix<double>(k)};
  return load.dot(factors.solve(load));
}

TEST(Elasticity, TipDeflectionConverges) {
  // Timoshenko's cantilever: F L^3 / (3 E I) + 6/5 F L / (G A).
  const double exact = 1 / (3 * 0.15 * std::pow(0.2, 3) / 12) + 1.2 / (0.5 * 0.15 * 0.2);
  std::vector<double> p1, p2;
  for (const std::int32_t cells : {1, 2, 4}) p1.push_back(std::abs(tip_deflection(Element::p1, cells) / exact - 1));
  for (const std::int32_t cells : {1, 2}) p2.push_back(std::abs(tip_deflection(Element::p2, cells) / exact - 1));
  RecordProperty("p1_error", std::to_string(p1[0]) + ' ' + std::to_string(p1[1]) + ' ' + std::to_string(p1[2]));
  RecordProperty("p2_error", std::to_string(p2[0]) + ' ' + std::to_string(p2[1]));
  EXPECT_LT(p1[1], p1[0]);
  EXPECT_LT(p1[2], p1[1] / 1.8);
  EXPECT_LT(p2[1], p2[0] / 3);
  EXPECT_LT(p2[1], 0.01);
  EXPECT_LT(20 * p2[1], p1[1]) << "same mesh";
}

TEST_P(EveryElement, SameBitsForAnyNumberOfThreads) {
  const TetMesh mesh = awkward_box();
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const CsrMatrix one = assemble_elasticity(mesh, {.element = GetParam()});
  omp_set_num_threads(3);
  const CsrMatrix three = assemble_elasticity(mesh, {.element = GetParam()});
  omp_set_num_threads(before);
  ASSERT_EQ(one.nnz(), three.nnz());
  EXPECT_EQ(std::memcmp(one.row_begin.data(), three.row_begin.data(), one.row_begin.size() * sizeof(std::int64_t)), 0);
  EXPECT_EQ(std::memcmp(one.column.data(), three.column.data(), one.column.size() * sizeof(std::int32_t)), 0);
  EXPECT_EQ(std::memcmp(one.value.data(), three.value.data(), one.value.size() * sizeof(double)), 0);
}

TEST(Elasticity, RefusesWhatGivesNoDefiniteMatrix) {
  const auto expect = [](const std::string& part, const TetMesh& mesh, const ElasticityOptions& options) {
    EXPECT_NE(message_of([&] { (void)assemble_elasticity(mesh, options); }).find(part), std::string::npos)
        << message_of([&] { (void)assemble_elasticity(mesh, options); });
  };
  const TetMesh good = awkward_box();
  expect("Poisson's ratio 0.5", good, {.poisson = 0.5});
  expect("Young's modulus -1", good, {.young = -1});
  TetMesh inverted = good;
  std::swap(inverted.tet[5][0], inverted.tet[5][1]);
  expect("box: tetrahedron 6 has volume -", inverted, {});
  TetMesh apart = good;  // a second body, above the clamp
  for (Vector x : good.node) apart.node.push_back({x[0], x[1], x[2] + 5});
  for (auto tet : good.tet) {
    for (std::int32_t& corner : tet) corner += static_cast<std::int32_t>(good.node.size());
    apart.tet.push_back(tet);
  }
  expect("has 0 supported nodes", apart, {});
  const TetMesh tip{
      .node = {{0, 0, 0}, {1, 0, 3}, {0, 1, 3}, {-1, -1, 3}}, .tet = {{0, 1, 2, 3}}, .name = "on its tip"};
  expect("on its tip: a connected piece of the mesh has 1 supported nodes", tip, {.element = Element::p1});
}

}  // namespace
}  // namespace asterism::cg
