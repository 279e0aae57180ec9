// SPDX-License-Identifier: Apache-2.0
// The vector operations of conjugate gradient on CPUs: data checked by hand, then awkward sizes against the naive
// reference.
#include "tests/codelets/cg/vectors.hpp"

namespace asterism::cg {
namespace {

// --- vector operations -------------------------------------------------------------------------------------------

TEST(Vectors, ByHand) {
  const Vector x = {1, 2, 3};
  EXPECT_EQ(value(cpu::dot(3, x.data(), Vector{4, -5, 6}.data())), 12);
  EXPECT_EQ(value(cpu::dot(0, nullptr, nullptr)), 0);

  Guarded y({10, 20, 30});
  cpu::axpy(3, 2, x.data(), y.data());
  EXPECT_TRUE(equal({12, 24, 36}, y));
  cpu::xpby(3, x.data(), 0.5, y.data());
  EXPECT_TRUE(equal({7, 14, 21}, y));

  Guarded solution({1, 1, 1});
  Guarded p({2, 4, 6});
  cpu::update_direction(3, 3, 0.5, x.data(), solution.data(), p.data());  // x takes the old direction
  EXPECT_TRUE(equal({7, 13, 19}, solution));
  EXPECT_TRUE(equal({2, 4, 6}, p));
  cpu::update_direction(3, 3, -0.5, x.data(), solution.data(), p.data());
  EXPECT_TRUE(equal({13, 25, 37}, solution));
  EXPECT_TRUE(equal({0, 0, 0}, p));

  Guarded out = Guarded::output(4);
  const std::int32_t index[] = {2, 0, 2, 1};
  cpu::pack(4, index, x.data(), out.data());
  EXPECT_TRUE(equal({3, 1, 3, 2}, out));
}

TEST(Vectors, PreconditionByHand) {
  const double r[] = {1, 10, 2, 20};
  Guarded z = Guarded::output(4);
  cpu::precondition(4, {1, Vector{2, 3, 4, 5}.data()}, r, z.data());
  EXPECT_TRUE(equal({2, 30, 8, 100}, z));
  // M^-1 = [1 2; 3 4] and [5 6; 7 8]: first what multiplies the first entry of each block, then the second
  const Vector blocks = {1, 3, 5, 7, 2, 4, 6, 8};
  cpu::precondition(4, {2, blocks.data()}, r, z.data());
  EXPECT_TRUE(equal({21, 43, 130, 174}, z));
}

TEST(Vectors, UpdateResidualByHand) {
  const double q[] = {1, 1, 2, 2};
  const Vector blocks = {1, 3, 5, 7, 2, 4, 6, 8};
  Guarded r({3, 12, 6, 24});
  Guarded z = Guarded::output(4);
  Dots d = cpu::update_residual(4, 2, q, r.data(), r.data(), {2, blocks.data()}, z.data());
  EXPECT_TRUE(equal({1, 10, 2, 20}, r));
  EXPECT_TRUE(equal({21, 43, 130, 174}, z));
  EXPECT_EQ(value(d.rr), 505);
  EXPECT_EQ(value(d.rz), 21 + 430 + 260 + 3480);
  EXPECT_EQ(value(d.wu), 0);

  d = cpu::update_residual(4, -1, q, r.data(), r.data(), {0, nullptr}, nullptr);
  EXPECT_TRUE(equal({2, 11, 4, 22}, r));
  EXPECT_EQ(value(d.rr), 625);
  EXPECT_EQ(value(d.rz), 625);
}

TEST(Vectors, AwkwardSizes) {
  Generator generator(5);
  for (const std::int64_t n : sizes)
    for (const Numbers numbers : both)
      for (const std::size_t offset : offsets) {
        SCOPED_TRACE(where(n, offset, numbers));
        const Vector a = random_vector(n, numbers, generator);
        const Vector b = random_vector(n, numbers, generator);
        const Vector c = random_vector(n, numbers, generator);
        const double alpha = random_number(numbers, generator);
        const double beta = random_number(numbers, generator);
        Guarded x(a, offset);
        Guarded y(b, offset);
        Guarded z(c, 1 - offset);

        EXPECT_EQ(value(cpu::dot(n, x.data(), z.data())), reference::dot(a, c));
        EXPECT_EQ(value(cpu::dot(n, x.data(), x.data())), reference::dot(a, a));

        const Dots residual = cpu::residual_dots(n, x.data(), z.data());
        EXPECT_EQ(value(residual.rr), reference::dot(a, a));
        EXPECT_EQ(value(residual.rz), reference::dot(a, c));
        const Dots itself = cpu::residual_dots(n, x.data(), x.data());
        EXPECT_EQ(value(itself.rr), reference::dot(a, a));
        EXPECT_EQ(value(itself.rz), reference::dot(a, a));

        const Dots three = cpu::pipelined_dots(n, x.data(), y.data(), z.data());
        EXPECT_EQ(value(three.rr), reference::dot(a, a));
        EXPECT_EQ(value(three.rz), reference::dot(a, b));
        EXPECT_EQ(value(three.wu), reference::dot(c, b));
        const Dots two = cpu::pipelined_dots(n, x.data(), nullptr, z.data());
        EXPECT_EQ(value(two.rr), reference::dot(a, a));
        EXPECT_EQ(value(two.rz), reference::dot(a, a));
        EXPECT_EQ(value(two.wu), reference::dot(c, a));

        Guarded sum(b, offset);
        cpu::axpy(n, alpha, x.data(), sum.data());
        EXPECT_TRUE(equal(combine(b, alpha, a), sum));
        Guarded scaled(b, offset);
        cpu::xpby(n, x.data(), beta, scaled.data());
        EXPECT_TRUE(equal(combine(a, beta, b), scaled));

        Guarded solution(a, offset);
        Guarded direction(b, offset);
        cpu::update_direction(n, alpha, beta, z.data(), solution.data(), direction.data());
        EXPECT_TRUE(equal(combine(a, alpha, b), solution));
        EXPECT_TRUE(equal(combine(c, beta, b), direction));
        EXPECT_TRUE(equal(c, z));
      }
}

TEST(Vectors, PackAwkwardSizes) {
  Generator generator(6);
  for (const std::int64_t n : sizes)
    for (const std::size_t offset : offsets) {
      SCOPED_TRACE(n);
      const Vector p = random_vector(2 * n + 3, Numbers::real, generator);
      std::vector<std::int32_t> index;
      Vector expected;
      for (std::int64_t i = 0; i < n; ++i) {
        index.push_back(static_cast<std::int32_t>(generator() % p.size()));
        expected.push_back(p[static_cast<std::size_t>(index.back())]);
      }
      Guarded out = Guarded::output(n, offset);
      cpu::pack(n, index.data(), p.data(), out.data());
      EXPECT_TRUE(equal(expected, out));
    }
}

TEST(Vectors, PreconditionAwkwardSizes) {
  Generator generator(8);
  for (const int block : {1, 2, 3, 5, 32, 600})
    for (const std::int64_t blocks : {0, 1, 7, 33, 171})
      for (const Numbers numbers : both)
        for (const std::size_t offset : offsets) {
          if (block == 600 && blocks > 7) continue;
          const std::int64_t n = block * blocks;
          SCOPED_TRACE(where(n, offset, numbers) + ", block " + std::to_string(block));
          const Preconditioner m(n, block, numbers, generator);
          Guarded r(random_vector(n, numbers, generator), offset);
          Guarded z = Guarded::output(n, offset);
          cpu::precondition(n, m.view(), r.data(), z.data());
          EXPECT_TRUE(equal(m.apply(r.values()), z));
        }
}

TEST(Vectors, UpdateResidualAwkwardSizes) {
  Generator generator(9);
  for (const int block : {0, 1, 2, 3, 5, 32, 600})
    for (const std::int64_t blocks : {0, 1, 7, 33, 171, 597})
      for (const Numbers numbers : both)
        for (const std::size_t offset : offsets)
          for (const bool in_place : {true, false}) {
            if (block == 600 && blocks > 7) continue;
            const std::int64_t n = std::max(block, 1) * blocks;
            SCOPED_TRACE(where(n, offset, numbers) + ", block " + std::to_string(block) +
                         (in_place ? ", in place" : ""));
            const Preconditioner m(n, block, numbers, generator);
            const Vector before = random_vector(n, numbers, generator);
            const double alpha = random_number(numbers, generator);
            Guarded q(random_vector(n, numbers, generator), 1 - offset);
            Guarded r_in(before, offset);
            Guarded r_out = Guarded::output(n, offset);
            Guarded& r = in_place ? r_in : r_out;
            Guarded z = Guarded::output(n, offset);
            const Dots d = cpu::update_residual(n, alpha, q.data(), r_in.data(), r.data(), m.view(),
                                                block > 0 ? z.data() : nullptr);
            const Vector expected = combine(before, -alpha, q.values());
            const Vector expected_z = m.apply(expected);
            EXPECT_TRUE(equal(expected, r));
            if (block > 0) {
              EXPECT_TRUE(equal(expected_z, z));
            }
            if (!in_place) {
              EXPECT_TRUE(equal(before, r_in));
            }
            EXPECT_EQ(value(d.rr), reference::dot(expected, expected));
            EXPECT_EQ(value(d.rz), reference::dot(expected, expected_z));
          }
}

// --- pipelined conjugate gradient ----------------------------------------------------------------------------------

/// Guarded copies of the vectors, as the kernel takes them.
struct GuardedPipelined {
  Guarded n, z, q, s, p, x, r, u, w, m;
  bool preconditioned;

  GuardedPipelined(const Pipelined& v, std::size_t offset, bool with_preconditioner)
      : n(v.n, offset),
        z(v.z, offset),
        q(v.q, offset),
        s(v.s, offset),
        p(v.p, offset),
        x(v.x, offset),
        r(v.r, offset),
        u(v.u, offset),
        w(v.w, offset),
        m(v.m, offset),
        preconditioned(with_preconditioner) {}
  cpu::PipelinedVectors vectors() {
    return {n.data(), z.data(), preconditioned ? q.data() : nullptr, s.data(), p.data(),
            x.data(), r.data(), preconditioned ? u.data() : nullptr, w.data(), preconditioned ? m.data() : w.data()};
  }
  void expect_equal(const Pipelined& v) const {
    EXPECT_TRUE(equal(v.n, n));
    EXPECT_TRUE(equal(v.z, z));
    EXPECT_TRUE(equal(v.s, s));
    EXPECT_TRUE(equal(v.p, p));
    EXPECT_TRUE(equal(v.x, x));
    EXPECT_TRUE(equal(v.r, r));
    EXPECT_TRUE(equal(v.w, w));
    if (!preconditioned) return;
    EXPECT_TRUE(equal(v.q, q));
    EXPECT_TRUE(equal(v.u, u));
    EXPECT_TRUE(equal(v.m, m));
  }
};

TEST(Pipelined, OneRowByHand) {
  Guarded n({1}), z({2}), q({3}), s({4}), p({5}), x({6}), r({7}), u({8}), w({9}), m({10});
  const double inverse = 2;
  // z = 1 + 3*2, q = 10 + 3*3, s = 9 + 3*4, p = 8 + 3*5, x = 6 + 2*23, r = 7 - 2*21, u = 8 - 2*19, w = 9 - 2*7
  const Dots d = cpu::pipelined_update(
      1, 2, 3, {n.data(), z.data(), q.data(), s.data(), p.data(), x.data(), r.data(), u.data(), w.data(), m.data()},
      {1, &inverse});
  EXPECT_TRUE(equal({1}, n));
  EXPECT_TRUE(equal({7}, z));
  EXPECT_TRUE(equal({19}, q));
  EXPECT_TRUE(equal({21}, s));
  EXPECT_TRUE(equal({23}, p));
  EXPECT_TRUE(equal({52}, x));
  EXPECT_TRUE(equal({-35}, r));
  EXPECT_TRUE(equal({-30}, u));
  EXPECT_TRUE(equal({-5}, w));
  EXPECT_TRUE(equal({-10}, m));
  EXPECT_EQ(value(d.rr), 1225);
  EXPECT_EQ(value(d.rz), 1050);
  EXPECT_EQ(value(d.wu), 150);
}

TEST(Pipelined, AwkwardSizes) {
  Generator generator(10);
  for (const int block : {0, 1, 2, 3, 5, 32, 600})
    for (const std::int64_t blocks : {0, 1, 7, 33, 171, 597})
      for (const Numbers numbers : both)
        for (const std::size_t offset : offsets) {
          if (block == 600 && blocks > 7) continue;
          const std::int64_t n = std::max(block, 1) * blocks;
          SCOPED_TRACE(where(n, offset, numbers) + ", block " + std::to_string(block));
          const Preconditioner m(n, block, numbers, generator);
          Pipelined expected(n, block, numbers, generator);
          GuardedPipelined actual(expected, offset, block > 0);
          for (int step = 0; step < 2; ++step) {
            const double alpha = random_number(numbers, generator);
            const double beta = random_number(numbers, generator);
            expected.step(alpha, beta, m);
            const Dots d = cpu::pipelined_update(n, alpha, beta, actual.vectors(), m.view());
            actual.expect_equal(expected);
            EXPECT_EQ(value(d.rr), reference::dot(expected.r, expected.r));
            EXPECT_EQ(value(d.rz), reference::dot(expected.r, expected.u));
            EXPECT_EQ(value(d.wu), reference::dot(expected.w, expected.u));
          }
        }
}

}  // namespace
}  // namespace asterism::cg
