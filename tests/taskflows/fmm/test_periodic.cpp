// SPDX-License-Identifier: Apache-2.0
// Periodic boxes: lattice sums against sums over many images, the reference against these and against Madelung's
// constants, the fast multipole method against the reference.
#include <gtest/gtest.h>
#include <starpu.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "taskflows/fmm/flow.hpp"
#include "taskflows/fmm/particles/crystals.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/periodic/lattice_sum.hpp"
#include "taskflows/fmm/periodic/periodic_box.hpp"
#include "taskflows/fmm/periodic/periodic_reference.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "tests/runtime/starpu_environment.hpp"

namespace asterism::fmm {
namespace {

constexpr double width = 3;

/// Eight charges whose monopole, dipole and quadrupole are 0, so that sums over cubes of images converge, to the limit
/// in a conductor; no two distances are alike.
Particles octupole() {
  Particles p(8);
  const double a[3] = {0.31, 0.47, 0.62};
  for (std::size_t i = 0; i < 8; ++i) {
    const double s[3] = {i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
    p.x[i] = 1.4 + s[0] * a[0];
    p.y[i] = 1.3 + s[1] * a[1];
    p.z[i] = 1.6 + s[2] * a[2];
    p.charge[i] = s[0] * s[1] * s[2];
  }
  return p;
}

/// Potential and field at a point from the images n_d = -most .. most of each periodic direction.
FieldSums brute_force(const Particles& p, int directions, int most, double x, double y, double z) {
  const int range[3] = {most, directions > 1 ? most : 0, directions > 2 ? most : 0};
  long double sum[4] = {0, 0, 0, 0};
  for (int i = -range[0]; i <= range[0]; ++i)
    for (int j = -range[1]; j <= range[1]; ++j)
      for (int k = -range[2]; k <= range[2]; ++k)
        for (std::size_t s = 0; s < p.size(); ++s) {
          const double d[3] = {x - p.x[s] - i * width, y - p.y[s] - j * width, z - p.z[s] - k * width};
          const double r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
          if (r == 0) continue;
          sum[0] += p.charge[s] / r;
          for (int c = 0; c < 3; ++c) sum[c + 1] += p.charge[s] * d[c] / (r * r * r);
        }
  FieldSums result;
  result.potential = static_cast<double>(sum[0]);
  result.fx = static_cast<double>(sum[1]);
  result.fy = static_cast<double>(sum[2]);
  result.fz = static_cast<double>(sum[3]);
  return result;
}

double difference(const FieldSums& a, const FieldSums& b) {
  return std::max(
      {std::abs(a.potential - b.potential), std::abs(a.fx - b.fx), std::abs(a.fy - b.fy), std::abs(a.fz - b.fz)});
}

constexpr double points[][3] = {{0.1, 0.2, 1.1}, {1.4, 1.3, 1.6}, {2.9, 0.7, 1.9}, {1.71, 1.77, 2.22}};

class PeriodicDirections : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, PeriodicDirections, testing::Values(1, 2, 3));

/// The last point is one of the charges: its own images count, it does not.
TEST_P(PeriodicDirections, ReferenceIsTheLimitOfSumsOverImages) {
  const int directions = GetParam();
  const Particles p = octupole();
  const PeriodicReference reference(p, directions, width, 4);
  const PeriodicReference divided_otherwise(p, directions, width, 1e6);
  const int few[] = {40, 20, 10};
  for (const auto& [x, y, z] : points) {
    const FieldSums right = reference.at(x, y, z);
    EXPECT_LT(difference(divided_otherwise.at(x, y, z), right), 1e-12);
    const int most = few[directions - 1];
    const double coarse = difference(brute_force(p, directions, most, x, y, z), right);
    const double fine = difference(brute_force(p, directions, 2 * most, x, y, z), right);
    EXPECT_LT(fine, 2e-6) << x;
    EXPECT_LT(fine, coarse / 3 + 1e-13) << x;
  }
}

/// farther_images() knows potentials up to a constant: a neutral sum with the nearest images added is the reference.
TEST_P(PeriodicDirections, FartherImagesAreWhatTheNearestLeave) {
  const int directions = GetParam();
  const Particles p = octupole();
  const PeriodicReference reference(p, directions, width, 4);
  for (const auto& [x, y, z] : points) {
    double farther = 0;
    for (std::size_t j = 0; j < p.size(); ++j)
      farther += p.charge[j] / width *
                 farther_images(directions, (x - p.x[j]) / width, (y - p.y[j]) / width, (z - p.z[j]) / width);
    EXPECT_NEAR(farther + brute_force(p, directions, 1, x, y, z).potential, reference.at(x, y, z).potential, 1e-13);
  }
}

Particles charges(std::size_t n) {
  Particles p = cube(n, 3, Charges::neutral);
  for (Array<double>* const c : {&p.x, &p.y, &p.z})
    for (double& v : *c) v *= width;
  return p;
}

/// `p`: in the box.
Result solve(const Particles& p, int directions, int acc, const TreeShape& shape, double box_width = width) {
  const PeriodicBox box{directions, box_width};
  Options options;
  options.shape = shape;
  options.shape.periodic = directions;
  options.box = box_of(box, extent(p.x, p.y, p.z));
  Simulation simulation({interaction(Laplace{}), periodic_accuracy(acc)}, options, p);
  Flow(simulation).evaluate();
  Result result(p.size());
  simulation.collect(result);
  return result;
}

struct RelativeErrors {
  double potential, force;
};
RelativeErrors errors(const Particles& p, int directions, const Result& result) {
  const PeriodicReference reference(p, directions, width, 100);
  double e[2] = {0, 0};
  double n[2] = {0, 0};
  for (std::size_t i = 0; i < p.size(); i += p.size() / 60) {
    const FieldSums right = reference.at(p.x[i], p.y[i], p.z[i]);
    const double q = p.charge[i];
    e[0] += std::pow(result.potential[i] - right.potential, 2);
    n[0] += right.potential * right.potential;
    e[1] += std::pow(result.fx[i] - q * right.fx, 2) + std::pow(result.fy[i] - q * right.fy, 2) +
            std::pow(result.fz[i] - q * right.fz, 2);
    n[1] += q * q * (right.fx * right.fx + right.fy * right.fy + right.fz * right.fz);
  }
  return {std::sqrt(e[0] / n[0]), std::sqrt(e[1] / n[1])};
}

TEST_P(PeriodicDirections, EveryAccuracyIsReached) {
  const Particles p = charges(2000);
  for (const int acc : {3, 5, 7}) {
    const RelativeErrors e = errors(p, GetParam(), solve(p, GetParam(), acc, {3, 9}));
    EXPECT_LT(e.potential, std::pow(10.0, -acc)) << acc;
    EXPECT_LT(e.force, std::pow(10.0, -acc)) << acc;
    EXPECT_GT(e.potential, 0) << acc;
  }
}

/// Trees whose cells are neighbours of their own images, and groups that are.
TEST_P(PeriodicDirections, FlatTreesAreAsAccurate) {
  const Particles p = charges(600);
  for (const TreeShape& shape : {TreeShape{1, 1}, TreeShape{2, 1}, TreeShape{2, 3}, TreeShape{2, 8}, TreeShape{3, 64},
                                 TreeShape{3, 5, FarTasks::separate}}) {
    const RelativeErrors e = errors(p, GetParam(), solve(p, GetParam(), 4, shape));
    EXPECT_LT(e.potential, 1e-4) << shape.height << ' ' << shape.group_size;
    EXPECT_LT(e.force, 1e-4) << shape.height << ' ' << shape.group_size;
  }
}

/// The particles moved, and wrapped into the box again, in directions that are periodic: other leaves, the same answer.
TEST_P(PeriodicDirections, TheOriginDoesNotMatter) {
  const Particles p = charges(1500);
  const Result before = solve(p, GetParam(), 6, {3, 10});
  Particles moved = charges(1500);
  Array<double>* const coordinates[] = {&moved.x, &moved.y, &moved.z};
  const double by[] = {0.37 * width, -2.81 * width, 5.11 * width};
  for (int d = 0; d < GetParam(); ++d)
    for (double& x : *coordinates[d]) x += by[d];
  wrap({GetParam(), width}, moved);
  const Result after = solve(moved, GetParam(), 6, {3, 10});
  double difference = 0;
  double size = 0;
  double forces = 0;
  double force = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    difference += std::pow(after.potential[i] - before.potential[i], 2);
    size += before.potential[i] * before.potential[i];
    forces += std::pow(after.fx[i] - before.fx[i], 2) + std::pow(after.fz[i] - before.fz[i], 2);
    force += before.fx[i] * before.fx[i] + before.fz[i] * before.fz[i];
  }
  EXPECT_LT(std::sqrt(difference / size), 2e-6);
  EXPECT_LT(std::sqrt(forces / force), 2e-6);
  EXPECT_GT(difference, 0);
}

/// To the bit on one kind of unit; cores and GPUs round differently, and which does a task is not fixed.
TEST(Periodic, TheSameBitsInEveryRun) {
  const Particles p = charges(3000);
  const double allowed = starpu_cuda_worker_get_count() > 0 ? 1e-9 : 0;
  const Result first = solve(p, 3, 4, {3, 6});
  for (int run = 0; run < 3; ++run) {
    const Result again = solve(p, 3, 4, {3, 6});
    for (std::size_t i = 0; i < p.size(); ++i) {
      ASSERT_NEAR(again.potential[i], first.potential[i], allowed) << i;
      ASSERT_NEAR(again.fy[i], first.fy[i], allowed) << i;
    }
  }
}

TEST(Periodic, MadelungConstants) {
  for (const auto& [lattice, particles] :
       {std::pair{Lattice::sodium_chloride, std::size_t{1728}}, {Lattice::caesium_chloride, std::size_t{2000}}}) {
    const Crystal ions{lattice, particles, 2.8, 0};
    const Particles p = crystal(ions, 1);
    const double expected = -madelung_constant(lattice) / ions.spacing;
    const PeriodicReference reference(p, 3, width_of(ions), 1);
    EXPECT_NEAR(reference.at(p.x[7], p.y[7], p.z[7]).potential * p.charge[7] / expected, 1, 1e-12);
    for (const int acc : lattice == Lattice::sodium_chloride ? std::array{3, 8} : std::array{4, 6}) {
      const Result result = solve(p, 3, acc, {3, 10}, width_of(ions));
      double energy = 0;
      for (std::size_t i = 0; i < p.size(); ++i)
        energy += p.charge[i] * result.potential[i] / static_cast<double>(p.size());
      EXPECT_NEAR(energy / expected, 1, std::pow(10.0, -acc)) << acc;
    }
  }
}

/// A particle that moves out of the box comes in again: move() with wrapped places is a new simulation.
TEST(Periodic, MovedParticlesAreThoseOfANewTree) {
  Particles p = charges(1000);
  const PeriodicBox box{3, width};
  Options options;
  options.shape = {3, 7};
  options.shape.periodic = 3;
  options.box = box_of(box, extent(p.x, p.y, p.z));
  Simulation simulation({interaction(Laplace{}), periodic_accuracy(4)}, options, p);
  Flow flow(simulation);
  flow.evaluate();
  for (double& x : p.x) x += 0.4;
  wrap(box, p);
  simulation.move(p);
  flow.evaluate();
  Result result(p.size());
  simulation.collect(result);
  const RelativeErrors e = errors(p, 3, result);
  EXPECT_LT(e.potential, 1e-4);
  EXPECT_LT(e.force, 1e-4);
}

/// Particles crowd around a corner of the box, hence on both sides of its periodic faces.
TEST_P(PeriodicDirections, AdaptiveTreesAreAsAccurate) {
  Particles p = charges(2500);
  Array<double>* const coordinates[] = {&p.x, &p.y, &p.z};
  for (int d = 0; d < 3; ++d)
    for (double& x : *coordinates[d]) {
      const double near = std::pow(2 * x / width - 1, 5) / 2;  // -1/2 .. 1/2, crowded at 0
      x = width * (d < GetParam() ? near - std::floor(near) : 0.5 + 0.99 * near);
    }
  wrap({GetParam(), width}, p);
  for (const int leaf_size : {30, 100}) {
    TreeShape shape{12, 7};
    shape.leaf_size = leaf_size;
    const RelativeErrors e = errors(p, GetParam(), solve(p, GetParam(), 5, shape));
    EXPECT_LT(e.potential, 1e-5) << leaf_size;
    EXPECT_LT(e.force, 1e-5) << leaf_size;
    EXPECT_GT(e.potential, 0) << leaf_size;
  }
}

/// Ewald's sum in a box of three different sides.
FieldSums cuboid_ewald(const Particles& p, const std::array<double, 3>& side, double x, double y, double z) {
  constexpr double pi = std::numbers::pi;
  constexpr int images = 3;
  constexpr int waves = 12;
  const double alpha = 2 / std::min({side[0], side[1], side[2]});
  double sum[4] = {0, 0, 0, 0};
  for (std::size_t s = 0; s < p.size(); ++s)
    for (int i = -images; i <= images; ++i)
      for (int j = -images; j <= images; ++j)
        for (int k = -images; k <= images; ++k) {
          const double d[3] = {x - p.x[s] - i * side[0], y - p.y[s] - j * side[1], z - p.z[s] - k * side[2]};
          const double r = std::hypot(d[0], d[1], d[2]);
          const double gauss = 2 * alpha / std::sqrt(pi) * std::exp(-alpha * alpha * r * r);
          sum[0] += p.charge[s] * (r > 0 ? std::erfc(alpha * r) / r : -2 * alpha / std::sqrt(pi));
          for (int c = 0; c < 3 && r > 0; ++c)
            sum[c + 1] += p.charge[s] * (std::erfc(alpha * r) / r + gauss) * d[c] / (r * r);
        }
  for (int i = -waves; i <= waves; ++i)
    for (int j = -waves; j <= waves; ++j)
      for (int k = -waves; k <= waves; ++k) {
        const double q[3] = {2 * pi * i / side[0], 2 * pi * j / side[1], 2 * pi * k / side[2]};
        const double q2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
        if (q2 == 0) continue;
        const double weight = 4 * pi / (side[0] * side[1] * side[2]) * std::exp(-q2 / (4 * alpha * alpha)) / q2;
        for (std::size_t s = 0; s < p.size(); ++s) {
          const double phase = q[0] * (x - p.x[s]) + q[1] * (y - p.y[s]) + q[2] * (z - p.z[s]);
          sum[0] += p.charge[s] * weight * std::cos(phase);
          for (int c = 0; c < 3; ++c) sum[c + 1] += p.charge[s] * weight * q[c] * std::sin(phase);
        }
      }
  FieldSums result;
  result.potential = sum[0];
  result.fx = sum[1];
  result.fy = sum[2];
  result.fz = sum[3];
  return result;
}

TEST(Periodic, BoxesOfThreeSidesAreThoseOfEwald) {
  const std::array<double, 3> side{1, 1.5, 0.75};
  const PeriodicBox box = box_of_lengths(3, side);
  EXPECT_EQ(box.copies, (std::array{3, 2, 4}));
  EXPECT_EQ(box.width, 3);
  Particles p = charges(60);
  Array<double>* const coordinates[] = {&p.x, &p.y, &p.z};
  for (std::size_t d = 0; d < 3; ++d)
    for (double& x : *coordinates[d]) x *= side[d] / width;
  const Particles all = repeated(box, p, p.size());
  const Result result = solve(all, 3, 6, {3, 7}, box.width);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < p.size(); i += 6) {
    const FieldSums right = cuboid_ewald(p, side, p.x[i], p.y[i], p.z[i]);
    const double q = p.charge[i];
    error += std::pow(result.potential[i] - right.potential, 2) + std::pow(result.fx[i] - q * right.fx, 2) +
             std::pow(result.fy[i] - q * right.fy, 2) + std::pow(result.fz[i] - q * right.fz, 2);
    size +=
        right.potential * right.potential + q * q * (right.fx * right.fx + right.fy * right.fy + right.fz * right.fz);
  }
  EXPECT_LT(std::sqrt(error / size), 2e-6);
}

TEST(Periodic, RefusesWhatItCannotDo) {
  Particles p = charges(100);
  EXPECT_THROW(box_of({2, 0.5 * width}, extent(p.x, p.y, p.z)), Error);
  p.charge[3] += 0.25;
  EXPECT_THROW(check_neutral(p), Error);
  Options options;
  options.shape = {3, 7};
  options.shape.periodic = 3;
  EXPECT_THROW(Simulation({interaction(Laplace{}), accuracy(4)}, options, p), Error);  // no box
  options.box = Box{0, 0, 0, width};
  EXPECT_THROW(Simulation({interaction(Yukawa{1}), accuracy(4)}, options, p), Error);
  EXPECT_THROW(static_cast<void>(box_of_lengths(3, {1, 1, 1.01})), Error);
  EXPECT_THROW(static_cast<void>(box_of_lengths(3, {1, 1, 9})), Error);  // 81 copies
  EXPECT_THROW(static_cast<void>(width_of({Lattice::sodium_chloride, 27})), Error);
  EXPECT_THROW(static_cast<void>(width_of({Lattice::caesium_chloride, 27})), Error);
}

/// Parts are those of the whole, neighbours of opposite charge are at the spacing, displacements within their bound.
TEST(Crystals, AreLattices) {
  for (const auto& [lattice, n] :
       {std::pair{Lattice::sodium_chloride, std::size_t{64}}, {Lattice::caesium_chloride, std::size_t{54}}}) {
    const Crystal ions{lattice, n, 1.5, 0};
    const Particles p = crystal(ions, 1);
    const double box = width_of(ions);
    for (std::size_t i = 0; i < n; ++i) {
      int neighbours = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const auto d = [&](double a) { return a - box * std::round(a / box); };
        const double r = std::hypot(d(p.x[i] - p.x[j]), d(p.y[i] - p.y[j]), d(p.z[i] - p.z[j]));
        if (i == j) continue;
        EXPECT_GT(r, 1.5 * (1 - 1e-12));
        if (r > 1.5 * (1 + 1e-12)) continue;
        EXPECT_EQ(p.charge[i], -p.charge[j]);
        ++neighbours;
      }
      EXPECT_EQ(neighbours, lattice == Lattice::sodium_chloride ? 6 : 8);
    }
    const Crystal warm{lattice, n, 1.5, 0.1};
    const Particles q = crystal(warm, 4);
    const Particles second = crystal(warm, 4, {1, 2});
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(q.y[i] - p.y[i]));
    EXPECT_LE(largest, 0.1);
    EXPECT_GT(largest, 0.05);
    EXPECT_EQ(second.x[0], q.x[n - second.size()]);
    EXPECT_EQ(second.charge[0], q.charge[n - second.size()]);
  }
}

}  // namespace
}  // namespace asterism::fmm
