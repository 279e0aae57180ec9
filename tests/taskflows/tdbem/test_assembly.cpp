// SPDX-License-Identifier: Apache-2.0
// The convolution matrices of whole bodies: measured sizes, identities of the space-time Galerkin method, and waves
// that march on in time with them.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <functional>
#include <random>
#include <string>

#include "taskflows/tdbem/matrices/assembly.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/surface.hpp"
#include "tests/codelets/tdbem/dense.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

const PairRules& rules() {
  static const PairRules stable;
  return stable;
}

template <class T>
DenseMatrices dense(const ConvolutionMatrices<T>& m) {
  DenseMatrices matrices(m.structure.blocks.back().end);
  const std::size_t n = m.structure.blocks.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) matrices.put_tile(m.tile(i, j));
  for (std::int32_t i = 0; i < matrices.n; ++i)
    for (std::int64_t e = m.initial.start[i]; e < m.initial.start[i + 1]; ++e)
      matrices.put(0, i, m.initial.column[e], m.initial.value[e]);
  return matrices;
}

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

std::vector<Dense> matrices_of(const Surface& surface, const Discretisation& d, std::int32_t block_size = 32) {
  const DenseMatrices m =
      dense(assemble_all<double>(surface.view(), rules(), d, blocks_of_unknowns(surface.unknowns(), block_size)));
  std::vector<Dense> list;
  for (const auto& values : m.of_lag) list.push_back(Eigen::Map<const Dense>(values.data(), m.n, m.n));
  return list;
}

struct Body3 {
  const char* name;
  mesh::TriangleMesh mesh;
};
std::vector<Body3> small_bodies() {
  return {{"sphere", icosphere(1, 1)},
          {"ellipsoid", ellipsoid(1, {1.2, 0.8, 0.6})},
          {"box", box({1.4, 1, 0.7}, {4, 3, 2})},
          {"pair", [] {
             mesh::TriangleMesh both = ellipsoid(1, {1, 0.7, 0.5});
             append(both, tetrahedron(0.7, 0.9, 0.8), 1.3);
             return both;
           }()}};
}

/// Five points per variable for triangles that touch, as the independent program had.
const PairRules& five_points() {
  static const PairRules rules({.touching_points = 5});
  return rules;
}

TEST(Assembly, SizesAsMeasuredElsewhere) {
  // spheres, c dt / h = 0.5: an independent program with the same rules
  struct Row {
    std::int32_t level, unknowns, largest_lag, longest;
    double mean;
    std::int64_t values;
    double initial;
  };
  for (const Row& row : {Row{1, 42, 8, 8, 6.64, 11718, 16.7}, Row{2, 162, 15, 10, 7.30, 191478, 18.4},
                         Row{3, 642, 28, 10, 7.41, 3054696, 18.9}, Row{4, 2562, 54, 11, 7.43, 48767136, 19.0}}) {
    const Surface surface = prepare_surface(icosphere(row.level, 1));
    ASSERT_EQ(surface.unknowns(), row.unknowns);
    const Discretisation d{Boundary::rigid, 1, 0.5 * surface.edges.mean};
    const LagCounts counts =
        tiled_structure(surface.view(), five_points(), d, blocks_of_unknowns(row.unknowns, 96)).counts;
    EXPECT_EQ(counts.largest_lag, row.largest_lag);
    EXPECT_EQ(counts.longest, row.longest);
    EXPECT_NEAR(counts.mean_length(), row.mean, 0.005);
    // the largest has pairs of triangles on the edge of near and far, which the other program took otherwise
    EXPECT_NEAR(static_cast<double>(counts.values), static_cast<double>(row.values), row.level < 4 ? 0 : 1000);
    EXPECT_NEAR(static_cast<double>(counts.initial) / row.unknowns, row.initial, 0.05);
    EXPECT_EQ(counts.row_vectors, static_cast<std::int64_t>(row.unknowns) * row.unknowns);
  }
}

TEST(Assembly, AnyCutGivesTheSameMatrices) {
  const Surface surface = prepare_surface(icosphere(2, 1));
  const Discretisation d{Boundary::rigid, 1, 0.5 * surface.edges.mean};
  const auto of = [&](std::int32_t block_size, Widths widths) {
    return assemble_all<double>(surface.view(), rules(), d, blocks_of_unknowns(surface.unknowns(), block_size), widths);
  };
  const ConvolutionMatrices<double> whole = of(192, Widths::of_panels), cut = of(32, Widths::uniform);
  const DenseMatrices a = dense(whole), b = dense(cut);
  EXPECT_EQ(a.of_lag, b.of_lag);
  EXPECT_EQ(a.present, b.present);
  EXPECT_EQ(whole.initial.start, cut.initial.start);
  EXPECT_EQ(whole.initial.column, cut.initial.column);
  EXPECT_EQ(whole.initial.value, cut.initial.value);
  EXPECT_EQ(whole.structure.counts.values, cut.structure.counts.values);
  // uniform panels: the longest row-vector times all rows, those that fill up the last panel among them
  const LagCounts& counts = cut.structure.counts;
  EXPECT_EQ(counts.padded_values, std::int64_t{counts.longest} * 192 * 162);
  EXPECT_LT(whole.structure.counts.padded_values, counts.padded_values);
  EXPECT_EQ(cut.structure.bytes<float>(), [&] {
    std::size_t bytes = 0;
    for (const TileStructure& tile : cut.structure.tiles) bytes += tile_layout<float>(tile).bytes;
    return bytes;
  }());
  // the work of a tile and its mirror image counts once; triangles of neighbouring tiles count in both
  ASSERT_EQ(cut.structure.point_pairs.size(), 36U);
  std::int64_t points = 0;
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t slice = 0; slice < 6; ++slice) {
      const std::int64_t tile = cut.structure.point_pairs[cut.structure.place(row, slice)];
      EXPECT_EQ(tile > 0, row <= slice);
      points += tile;
    }
  EXPECT_GT(points, whole.structure.point_pairs[0]);
  EXPECT_LT(points, 4 * whole.structure.point_pairs[0]);
  const auto floats =
      assemble_all<float>(surface.view(), rules(), d, blocks_of_unknowns(surface.unknowns(), 96), Widths::of_panels);
  EXPECT_EQ(floats.initial.value, whole.initial.value);
  const DenseMatrices rounded = dense(floats);
  for (std::size_t k = 1; k < a.of_lag.size(); ++k)
    for (std::size_t e = 0; e < a.of_lag[k].size(); ++e)
      ASSERT_EQ(rounded.of_lag[k][e], static_cast<float>(a.of_lag[k][e]));
}

// The sum over j of basis functions is 1 and its surface curl 0. The sums over k of B are 1 and sum k D = sum D = 0, so
// for every pair of triangles both sums below vanish in exact arithmetic: whatever the quadrature, a constant pressure
// and one that grows linearly in time make no wave. What is left is rounding: the values of a row, about 1e4 of them.
TEST(Assembly, ConstantAndLinearPressuresMakeNoWave) {
  for (const auto& [name, mesh] : small_bodies()) {
    const Surface surface = prepare_surface(mesh);
    const std::vector<Dense> m = matrices_of(surface, {Boundary::rigid, 1.4, 0.3 * surface.edges.mean});
    Vector constant = Vector::Zero(surface.unknowns()), linear = constant;
    double most = 0;
    for (std::size_t k = 0; k < m.size(); ++k) {
      const Vector sums = m[k].rowwise().sum();
      constant += sums;
      linear += static_cast<double>(k) * sums;
      most = std::max(most, m[k].cwiseAbs().maxCoeff());
      EXPECT_EQ((m[k] - m[k].transpose()).cwiseAbs().maxCoeff(), 0) << name;
    }
    EXPECT_LT(constant.cwiseAbs().maxCoeff(), 1e-12 * most) << name;
    EXPECT_LT(linear.cwiseAbs().maxCoeff(), 1e-11 * most) << name;
  }
}

TEST(Assembly, SoftBodiesForget) {
  // the sum over k of D is 0: a constant charge rate since ever leaves no change of the potential
  for (const auto& [name, mesh] : small_bodies()) {
    const Surface surface = prepare_surface(mesh);
    const std::vector<Dense> m = matrices_of(surface, {Boundary::soft, 1.4, 0.4 * surface.edges.mean});
    Dense sum = Dense::Zero(surface.unknowns(), surface.unknowns());
    double most = 0;
    for (const Dense& matrix : m) {
      sum += matrix;
      most = std::max(most, matrix.cwiseAbs().maxCoeff());
      EXPECT_EQ((matrix - matrix.transpose()).cwiseAbs().maxCoeff(), 0) << name;
    }
    EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-13 * most) << name;
  }
}

TEST(Assembly, InitialMatrixIsPositiveDefinite) {
  for (const Boundary boundary : {Boundary::rigid, Boundary::soft})
    for (const auto& [name, mesh] : small_bodies()) {
      const Surface surface = prepare_surface(mesh);
      const std::vector<Dense> m = matrices_of(surface, {boundary, 1.4, 0.5 * surface.edges.mean / 1.4});
      EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(m[0]).info(), Eigen::Success) << name;
    }
}

TEST(Assembly, WavesCarryEnergyAway) {
  // sum_n (a^n - a^(n-1))^T sum_k M^k a^(n-k), for a that begins and ends at rest: the work done on the outside
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const auto& [name, mesh] : small_bodies()) {
    const Surface surface = prepare_surface(mesh);
    const std::vector<Dense> m = matrices_of(surface, {Boundary::rigid, 1, 0.5 * surface.edges.mean});
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<Vector> a{Vector::Zero(surface.unknowns())};
      for (int n = 1; n < 12; ++n)
        a.push_back(Vector::NullaryExpr(surface.unknowns(), [&] { return normal(random) * (n < 2 + trial ? 1 : 0); }));
      double work = 0, size = 0;
      for (std::size_t n = 1; n < a.size(); ++n) {
        Vector s = Vector::Zero(surface.unknowns());
        for (std::size_t k = 0; k <= n && k < m.size(); ++k) s += m[k] * a[n - k];
        work += (a[n] - a[n - 1]).dot(s);
        size += (a[n] - a[n - 1]).norm() * s.norm();
      }
      EXPECT_GT(work, 0) << name << ' ' << work / size;
    }
  }
}

TEST(Assembly, SpeedAndStepScale) {
  // rigid: dt (curl . curl) and 1 / (c^2 dt) with the same c dt: both go with 1 / c. Soft: c dt only.
  const Surface surface = prepare_surface(ellipsoid(1, {1.2, 0.8, 0.6}));
  for (const Boundary boundary : {Boundary::rigid, Boundary::soft}) {
    const std::vector<Dense> one = matrices_of(surface, {boundary, 1, 0.3}),
                             other = matrices_of(surface, {boundary, 4, 0.075});
    ASSERT_EQ(one.size(), other.size());
    const double factor = boundary == Boundary::rigid ? 4 : 1;
    for (std::size_t k = 0; k < one.size(); ++k)
      EXPECT_LT((factor * other[k] - one[k]).cwiseAbs().maxCoeff(), 1e-13 * one[0].cwiseAbs().maxCoeff());
  }
}

TEST(Assembly, TellsWhyStepsDoNotServe) {
  const Surface surface = prepare_surface(icosphere(1, 1));
  const auto line = [&](double speed, double step) {
    return complaint([&] {
      tiled_structure(surface.view(), five_points(), {Boundary::rigid, speed, step},
                      blocks_of_unknowns(surface.unknowns(), 32));
    });
  };
  expect_names(line(1, 0.015), "time step 0.015 s: lag 6 of unknowns 0 and 1");
  expect_names(line(1, 0.015), "step of 0.123607 s");  // 0.6 of the longest edge, 2 sin 18 degrees, in three steps
  expect_names(line(1, 0.005), "consecutive steps, expected at most 255");
  expect_names(line(1e-7, 10), "time step 10 s: waves");
  expect_names(line(0, 1), "speed of sound 0 m/s");
  expect_names(line(1, -1), "time step -1 s");
  expect_names(line(1, NAN), "time step nan s");
}

// ---- waves

double pulse(double t) {
  return std::exp(-(t - 7) * (t - 7) / 2) * std::cos(2 * (t - 7));
}

/// p' + p = f(t + 1), p(0) = 0: what the mean pressure on a rigid sphere of radius 1 does (c = 1), by the rule of
/// Runge and Kutta.
double mean_pressure(double t) {
  const int steps = 2000;
  const double dt = t / steps;
  double p = 0;
  for (int n = 0; n < steps; ++n) {
    const double now = n * dt;
    const double k1 = pulse(now + 1) - p, k2 = pulse(now + dt / 2 + 1) - (p + dt / 2 * k1);
    const double k3 = pulse(now + dt / 2 + 1) - (p + dt / 2 * k2), k4 = pulse(now + dt + 1) - (p + dt * k3);
    p += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return p;
}

/// What the pulse does along d on a sphere of radius 1 up to t = 19, c dt = edge / 2.
struct March {
  Surface surface;
  double step;
  std::vector<Vector> a;  ///< a[n]: at t_n (rigid) or t_n - dt / 2 (soft)
  Vector weights;         ///< integrals of the basis functions

  [[nodiscard]] double mean(std::size_t n) const { return weights.dot(a[n]) / weights.sum(); }
};

March march(std::int32_t level, Boundary boundary, const Point& d) {
  March m{prepare_surface(icosphere(level, 1)), 0, {}, {}};
  const Surface& s = m.surface;
  m.step = 0.5 * s.edges.mean;
  const std::vector<Dense> matrices = matrices_of(s, {boundary, 1, m.step}, 128);
  const Eigen::LLT<Eigen::MatrixXd> solver(matrices[0]);
  m.weights = Vector::Zero(s.unknowns());
  const TriangleRule rule = triangle_rule(7);
  m.a.push_back(Vector::Zero(s.unknowns()));
  for (std::size_t n = 1; n * m.step <= 19; ++n) {
    Vector right = Vector::Zero(s.unknowns());
    for (std::size_t t = 0; t < s.triangles.size(); ++t)
      for (std::int32_t p = 0; p < rule.points; ++p) {
        const auto& b = rule.point[p].coordinate;
        Point x;
        for (int c = 0; c < 3; ++c) x = x + b[c] * s.vertices[s.triangles[t].corner[c]];
        const double now = static_cast<double>(n) * m.step - dot(d, x);
        const double change = pulse(now) - pulse(now - m.step);
        const double factor = boundary == Boundary::rigid ? -dot(s.normals[t], d) : 1;
        for (int c = 0; c < 3; ++c) {
          const double weight = rule.point[p].weight * s.areas[t] * b[c];
          right[s.triangles[t].corner[c]] += weight * factor * change;
          if (n == 1) m.weights[s.triangles[t].corner[c]] += weight;
        }
      }
    for (std::size_t k = 1; k < matrices.size() && k <= n; ++k) right -= matrices[k] * m.a[n - k];
    m.a.push_back(solver.solve(right));
  }
  return m;
}

/// Relative error of the mean in time.
double mean_error(const March& m, const std::function<double(double)>& exact, double shift) {
  double error = 0, size = 0;
  for (std::size_t n = 1; n < m.a.size(); ++n) {
    const double expected = exact(static_cast<double>(n) * m.step - shift * m.step);
    error += (m.mean(n) - expected) * (m.mean(n) - expected);
    size += expected * expected;
  }
  return std::sqrt(error / size);
}

TEST(March, RigidSphere) {
  // an independent program had relative errors of 0.055 and 0.012 over the sphere
  const Surface coarse = prepare_surface(icosphere(2, 1));
  const Point d = -1.0 * coarse.vertices[5];  // towards a vertex, which another one is opposite to
  const March a = march(2, Boundary::rigid, d), b = march(3, Boundary::rigid, d);
  const double error_a = mean_error(a, mean_pressure, 0), error_b = mean_error(b, mean_pressure, 0);
  EXPECT_LT(error_a, 0.06);
  EXPECT_LT(error_b, 0.015);
  EXPECT_LT(error_b, error_a / 3);  // second order

  // the series' values at t = 5.5, 6, 7, 8.5 where the sphere is lit, on the equator and in the shadow
  const double times[4] = {5.5, 6, 7, 8.5};
  const double series[3][4] = {{.970820, 1.530947, -.763339, .066846},
                               {-.368299, -.230383, 1.114385, -.391075},
                               {.008652, .017647, -.299682, 1.084781}};
  for (int place = 0; place < 3; ++place) {
    const double along = place - 1.0;
    std::vector<std::int32_t> vertices;
    double nearest = HUGE_VAL;
    for (std::int32_t v = 0; v < b.surface.unknowns(); ++v)
      nearest = std::min(nearest, std::abs(dot(b.surface.vertices[v], d) - along));
    for (std::int32_t v = 0; v < b.surface.unknowns(); ++v)
      if (std::abs(dot(b.surface.vertices[v], d) - along) < nearest + 1e-9) vertices.push_back(v);
    ASSERT_LT(nearest, 1e-9);
    for (int i = 0; i < 4; ++i) {
      const double n = times[i] / b.step;
      const auto below = static_cast<std::size_t>(n);
      // cubic through four steps
      double p = 0;
      for (const std::int32_t v : vertices)
        for (int l = -1; l < 3; ++l) {
          double weight = 1;
          for (int o = -1; o < 3; ++o)
            if (o != l) weight *= (n - static_cast<double>(below) - o) / (l - o);
          p += weight * b.a[below + l][v] / static_cast<double>(vertices.size());
        }
      EXPECT_NEAR(p, series[place][i], 0.03) << place << ' ' << times[i];
    }
  }
}

TEST(March, SoftSphere) {
  const Point d{0.36, 0.48, 0.8};
  const auto exact = [](double t) { return pulse(t + 1); };
  const double error_a = mean_error(march(2, Boundary::soft, d), exact, 0.5);
  const double error_b = mean_error(march(3, Boundary::soft, d), exact, 0.5);
  EXPECT_LT(error_a, 0.06);
  EXPECT_LT(error_b, 0.018);
  EXPECT_LT(error_b, error_a / 2.5);
}

/// What a rank has is what all have of its slices.
TEST(TdbemAssembly, StructureOfSomeBlocksIsThatOfAll) {
  const Surface surface = prepare_surface(ellipsoid(2, {1, 0.7, 0.5}), Inward::refused);
  const Discretisation d{Boundary::rigid, 1, 0.15};
  const std::vector<Range> cut = blocks_of_unknowns(surface.unknowns(), 32);
  const TiledStructure all = tiled_structure(surface.view(), rules(), d, cut);
  std::int64_t points = 0;
  LagCounts counts;
  for (const Range blocks : {Range{0, 1}, Range{1, 4}, Range{4, 6}}) {
    const TiledStructure some = structure_of_own_blocks(surface.view(), rules(), d, cut, blocks);
    EXPECT_EQ(some.fault.kind, LagFault::Kind::none);
    ASSERT_EQ(some.tiles.size(), 6U * static_cast<std::size_t>(blocks.size()));
    for (std::size_t row = 0; row < 6; ++row)
      for (auto b = static_cast<std::size_t>(blocks.begin); b < static_cast<std::size_t>(blocks.end); ++b) {
        const TileStructure &one = some.tiles[some.place(row, b)], &same = all.tiles[all.place(row, b)];
        EXPECT_EQ(one.rows, same.rows);
        EXPECT_EQ(one.slices, same.slices);
        EXPECT_EQ(one.start, same.start);
        EXPECT_EQ(one.first, same.first);
        EXPECT_EQ(one.length, same.length);
        EXPECT_EQ(one.initial_slice, same.initial_slice);
        EXPECT_EQ(some.points(row, b), all.points(row, b));
        EXPECT_GT(some.points(row, b), 0);
      }
    counts.add(some.counts);
    for (const std::int64_t of_tile : some.point_pairs) points += of_tile;
  }
  EXPECT_EQ(counts.values, all.counts.values);
  EXPECT_EQ(counts.initial, all.counts.initial);
  EXPECT_EQ(counts.largest_lag, all.counts.largest_lag);
  std::int64_t once = 0;
  for (const std::int64_t of_tile : all.point_pairs) once += of_tile;
  EXPECT_GT(points, once);  // tiles whose mirror images are elsewhere count twice
  EXPECT_LT(points, 2 * once);
}

}  // namespace
}  // namespace asterism::tdbem
