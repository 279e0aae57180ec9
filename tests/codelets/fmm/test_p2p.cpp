// SPDX-License-Identifier: Apache-2.0
// P2P on the CPU, in every instruction set of this machine: two particles by hand, then random leaves of awkward sizes
// against sums in long double.
#include "codelets/fmm/kernels/near/p2p.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "tests/codelets/fmm/p2p_cases.hpp"
#include "tests/codelets/fmm/reference.hpp"
#include "tests/codelets/fmm/user_kernel.hpp"

namespace asterism::fmm {
namespace {

using cases::leaf_sizes;
using reference::Field;
using reference::Leaves;
using reference::Radial;

class FmmP2P : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!supported(GetParam())) GTEST_SKIP() << "not on this machine";
  }

  template <class Kernel>
  [[nodiscard]] Field run(const Kernel& kernel, const Leaves& leaves) const {
    Field f(leaves.x.size());  // NaN: every value must be overwritten
    p2p(kernel, leaves.set(), leaves.particles(), f.view(), GetParam());
    return f;
  }
  void check(const Leaves& leaves) const {
    cases::expect_every_kernel(leaves, 2e-12, [&](const auto& kernel) { return run(kernel, leaves); });
  }
};

TEST_P(FmmP2P, TwoParticlesByHand) {
  for (const int where : {0, 1, 2}) {
    SCOPED_TRACE(where);
    const Leaves l = cases::two_particles(where);
    EXPECT_EQ(p2p_pairs(l.set()), 1);
    const auto near = [](double expected, double actual) { cases::expect_near(expected, actual, 2e-12); };
    cases::expect_laplace(run(Laplace{}, l), 2e-12);
    const Field g = run(InverseSquare{}, l);
    near(5.0 / 49, g.potential[0]), near(2.0 / 49, g.potential[1]);
    near(-20.0 / 2401, g.fx[0]), near(8.0 / 2401, g.fx[1]);
    near(-30.0 / 2401, g.fy[0]), near(12.0 / 2401, g.fy[1]);
    near(-60.0 / 2401, g.fz[0]), near(24.0 / 2401, g.fz[1]);
    const Field h = run(user::Plummer{1}, l);
    near(5.0 / 50, h.potential[0]), near(2.0 / 50, h.potential[1]);
    near(-20.0 / 2500, h.fx[0]), near(8.0 / 2500, h.fx[1]);
  }
}

TEST_P(FmmP2P, OneLeaf) {
  for (const int n : leaf_sizes) {
    SCOPED_TRACE(n);
    const Leaves l = reference::random_leaves({n}, 1, 1, false, static_cast<std::uint64_t>(n));
    EXPECT_EQ(p2p_pairs(l.set()), n * (n - 1) / 2);
    check(l);
  }
}

TEST_P(FmmP2P, TwoLeaves) {
  for (const int m : leaf_sizes)
    for (const int n : leaf_sizes) {
      SCOPED_TRACE(std::to_string(m) + " and " + std::to_string(n));
      check(reference::random_leaves({m, n}, 1, 1, false, static_cast<std::uint64_t>(1000 * m + n)));
    }
}

/// Leaves of all sizes, some own, some ghosts, any of them neighbours; more than fit in one pass over a leaf.
TEST_P(FmmP2P, RandomNeighbours) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<int> particles;
    for (int copies = 0; copies < 2; ++copies) particles.insert(particles.end(), leaf_sizes.begin(), leaf_sizes.end());
    std::shuffle(particles.begin(), particles.end(), random);
    for (const bool coincident : {false, true}) {
      const auto own = static_cast<std::int32_t>(seed % 3 == 0 ? particles.size() : 5 + seed);
      SCOPED_TRACE(std::to_string(own) + " own leaves, seed " + std::to_string(seed) +
                   (coincident ? ", coincident particles" : ""));
      const Leaves l = reference::random_leaves(particles, own, seed % 2 == 0 ? 0.3 : 0.9, coincident, seed);
      check(l);
      std::int64_t pairs = 0;
      for (std::int32_t a = 0; a < l.size(); ++a) {
        const std::int64_t n = l.begin[static_cast<std::size_t>(a) + 1] - l.begin[static_cast<std::size_t>(a)];
        if (a < own) pairs += n * (n - 1);
        for (const std::int32_t b : l.near[static_cast<std::size_t>(a)])
          pairs += n * (l.begin[static_cast<std::size_t>(b) + 1] - l.begin[static_cast<std::size_t>(b)]);
      }
      EXPECT_EQ(2 * p2p_pairs(l.set()), pairs);
    }
  }
}

TEST_P(FmmP2P, SeveralVectorsOfChargesHaveTheBitsOfEach) {
  std::vector<int> particles = leaf_sizes;
  particles.insert(particles.end(), {300, 500, 4, 260});  // more than fit in one pass over a leaf
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    std::mt19937_64 random(seed);
    std::shuffle(particles.begin(), particles.end(), random);
    const Leaves l = reference::random_leaves(particles, 12, 0.6, true, seed);
    const std::size_t n = l.x.size();
    std::uniform_real_distribution<double> charge(-1, 1);
    std::vector<double> q(most_vectors * n);
    for (double& value : q) value = charge(random);
    const auto expect_same = [&](const auto& kernel, std::int32_t vectors) {
      SCOPED_TRACE(vectors);
      const ChargeVectors charges{vectors, static_cast<std::int64_t>(n), static_cast<std::int64_t>(4 * n)};
      const SourceView source{l.x.data(), l.y.data(), l.z.data(), q.data()};
      std::vector<double> together(as_size(vectors) * 4 * n, std::nan(""));
      std::vector<double> alone = together;
      const auto view = [&](std::vector<double>& f) {
        return FieldView{f.data(), f.data() + n, f.data() + 2 * n, f.data() + 3 * n};
      };
      p2p_vectors(kernel, l.set(), source, view(together), charges, GetParam());
      for (std::int32_t v = 0; v < vectors; ++v)
        p2p(kernel, l.set(), charges.of(source, v), charges.of(view(alone), v), GetParam());
      EXPECT_EQ(together, alone);
    };
    for (const int vectors : {1, 2, 3, most_vectors}) {
      expect_same(Laplace{}, vectors);
      expect_same(InverseSquare{}, vectors);
      expect_same(Yukawa{1.75}, vectors);
      expect_same(user::Plummer{0.25}, vectors);
      expect_same(Softened<Laplace>{{Laplace{}, 0.015625}}, vectors);
    }
  }
}

/// Sources that are apart from the targets: every ordered pair once, those at the same place by the kernel's rule.
TEST_P(FmmP2P, OneWay) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const Leaves l = cases::apart_case(seed);
    std::int64_t pairs = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(l.own); ++a)
      for (const std::int32_t b : l.near[a])
        pairs += std::int64_t{l.begin[a + 1] - l.begin[a]} *
                 (l.begin[static_cast<std::size_t>(b) + 1] - l.begin[static_cast<std::size_t>(b)]);
    EXPECT_EQ(p2p_one_way_pairs(l.set()), pairs);
    cases::expect_one_way(l, 2e-12, [&](const auto& kernel) {
      Field f(l.first(l.own));  // NaN
      p2p_one_way(kernel, l.set(), l.particles(), f.view(), GetParam());
      return f;
    });
  }
}

TEST_P(FmmP2P, OneWayWithoutSourcesIsZero) {
  const Leaves l = reference::apart_leaves({3, 0, 9}, {0, 0, 0}, 1, 1);
  Field f(12);
  p2p_one_way(Laplace{}, l.set(), l.particles(), f.view(), GetParam());
  for (const auto* const values : {&f.potential, &f.fx, &f.fy, &f.fz}) EXPECT_EQ(*values, std::vector<double>(12, 0.0));
}

/// Neighbours in ascending order, consecutive ones in one loop.
TEST_P(FmmP2P, AscendingNeighbours) {
  Leaves l = reference::random_leaves({5, 0, 9, 4, 17, 0, 3, 40, 1, 12}, 6, 1, false, 3);
  l.link({{0, 1}, {0, 2}, {0, 3}, {0, 5}, {0, 6}, {2, 3}, {2, 4}, {2, 9}, {3, 5}, {3, 7}, {3, 8}, {4, 6}, {5, 7}});
  check(l);
}

/// The forces q_i field_i of all particles cancel, in every direction and for every kernel.
TEST_P(FmmP2P, ForcesCancel) {
  const Leaves l = reference::random_leaves({33, 64, 7, 115, 60}, 3, 0.8, true, 7);
  const auto cancel = [&](const Field& f) {
    for (const std::vector<double>* c : {&f.fx, &f.fy, &f.fz}) {
      long double sum = 0, size = 0;
      for (std::size_t i = 0; i < l.q.size(); ++i) {
        const long double force = static_cast<long double>(l.q[i]) * (*c)[i];
        sum += force, size += std::fabs(force);
      }
      EXPECT_GT(size, 0);
      EXPECT_LE(std::fabs(sum), 1e-14L * size);
    }
  };
  cancel(run(Laplace{}, l));
  cancel(run(InverseSquare{}, l));
  cancel(run(Yukawa{0.5}, l));
  cancel(run(user::Plummer{0.1}, l));
  cancel(run(Softened<Laplace>{{Laplace{}, 0.01}}, l));
}

/// A ghost takes part only through own neighbours: not with itself, not with other ghosts; without any it gets 0.
TEST_P(FmmP2P, GhostsReceiveFromOwnLeavesOnly) {
  Leaves l = reference::random_leaves({9, 12, 11, 10, 5}, 1, 0, false, 5);
  l.link({{0, 1}, {0, 3}, {1, 2}, {1, 3}});  // of which ghost-ghost pairs do not count
  const Field f = run(Laplace{}, l);
  EXPECT_LE(error(reference::p2p(reference::laplace, l), f), 2e-12);
  for (std::int32_t leaf = 0; leaf < l.size(); ++leaf)
    for (std::size_t i = l.first(leaf); i < l.first(leaf + 1); ++i) {
      const bool reached = leaf == 0 || leaf == 1 || leaf == 3;
      EXPECT_EQ(f.potential[i] != 0, reached);
      EXPECT_EQ(f.fx[i] != 0, reached);
      EXPECT_EQ(f.fy[i] != 0, reached);
      EXPECT_EQ(f.fz[i] != 0, reached);
    }
}

/// From 1e-100 to 1e100: no approximation of the inverse root may leave its range.
TEST_P(FmmP2P, HomogeneousKernelsScale) {
  const Leaves l = reference::random_leaves({37, 50}, 2, 1, false, 11);
  const Field f = run(Laplace{}, l);
  const Field g = run(InverseSquare{}, l);
  for (const int exponent : {-330, -40, 40, 330}) {
    SCOPED_TRACE(exponent);
    Leaves scaled = l;
    for (std::vector<double>* c : {&scaled.x, &scaled.y, &scaled.z})
      for (double& v : *c) v = std::ldexp(v, exponent);
    const Field fs = run(Laplace{}, scaled);
    for (std::size_t i = 0; i < l.x.size(); ++i)
      EXPECT_NEAR(f.potential[i], std::ldexp(fs.potential[i], exponent), 1e-14 * std::fabs(f.potential[i]));
    if (std::abs(exponent) > 40) continue;
    const Field gs = run(InverseSquare{}, scaled);
    for (std::size_t i = 0; i < l.x.size(); ++i)
      EXPECT_NEAR(g.potential[i], std::ldexp(gs.potential[i], 2 * exponent), 1e-14 * std::fabs(g.potential[i]));
  }
}

/// Two particles at many distances: the kernels themselves, to a few units in the last place.
TEST_P(FmmP2P, KernelsToTheLastDigits) {
  const int n = 20000;
  std::vector<double> x(n), zero(n, 0), q(n, 1);
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = std::exp(-7 + 13.0 * i / n);
  const auto worst = [&](const auto& kernel, auto exact) {
    Field f(n);
    const double origin = 0, charge = 1;
    p2p_targets(kernel, n, x.data(), zero.data(), zero.data(), 1, {&origin, &origin, &origin, &charge}, f.view(),
                GetParam());
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Radial k = exact(x[i]);
      largest = std::max(largest, static_cast<double>(std::fabs(f.potential[i] / k.value - 1)));
      largest = std::max(largest, static_cast<double>(std::fabs(-f.fx[i] / k.derivative - 1)));
      EXPECT_EQ(f.fy[i], 0);
    }
    return largest;
  };
  const double laplace = worst(Laplace{}, reference::laplace);
  const double square = worst(InverseSquare{}, reference::inverse_square);
  const double yukawa =
      worst(Yukawa{0.01}, [](long double r) { return reference::yukawa(static_cast<long double>(0.01), r); });
  const double far = worst(Yukawa{1}, [](long double r) { return reference::yukawa(1, r); });
  std::printf("largest relative errors: laplace %.2g, inverse square %.2g, yukawa %.2g (kappa r up to 4), %.2g (400)\n",
              laplace, square, yukawa, far);
  // the reciprocal square root of AVX-512 is good to 6e-13 (rsqrt_of), three times that in the slope
  const bool approximate = GetParam() == Isa::avx512;
  EXPECT_LE(laplace, approximate ? 2e-12 : 2e-15);
  EXPECT_LE(square, 2e-15);
  EXPECT_LE(yukawa, approximate ? 2e-12 : 3e-15);
  EXPECT_LE(far, approximate ? 1e-9 : 1e-13);  // the error of kappa r is kappa r times as large in its exponential
}

TEST_P(FmmP2P, TargetsFromAllSources) {
  for (const int targets : {0, 1, 3, 8, 15, 16, 17, 33})
    for (const int sources : {0, 1, 511, 512, 513, 1500}) {
      SCOPED_TRACE(std::to_string(targets) + " targets, " + std::to_string(sources) + " sources");
      const Leaves t = reference::random_leaves({targets}, 1, 1, false, 21);
      const Leaves s = reference::random_leaves({sources}, 1, 1, false, 21);  // begins with the same particles
      Field f(t.x.size());
      p2p_targets(Laplace{}, targets, t.x.data(), t.y.data(), t.z.data(), sources, s.particles(), f.view(), GetParam());
      Field expected(t.x.size());
      for (std::size_t i = 0; i < t.x.size(); ++i) {
        long double sum[4] = {};
        for (std::size_t j = 0; j < s.x.size(); ++j)
          reference::add(reference::laplace, s.particles(), j, t.x[i], t.y[i], t.z[i], sum);
        expected.potential[i] = static_cast<double>(sum[0]);
        expected.fx[i] = static_cast<double>(sum[1]);
        expected.fy[i] = static_cast<double>(sum[2]);
        expected.fz[i] = static_cast<double>(sum[3]);
      }
      EXPECT_LE(error(expected, f), 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Isa, FmmP2P, ::testing::Values(Isa::portable, Isa::avx2, Isa::avx512),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(FmmKernels, Flops) {
  EXPECT_EQ(flops_mutual<Laplace>, 44);
  EXPECT_EQ(flops_mutual<InverseSquare>, 29);
}

}  // namespace
}  // namespace asterism::fmm
