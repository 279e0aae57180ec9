// The CPU kernels of conjugate gradient: data checked by hand with tolerance 0, then awkward sizes against the
// naive reference, then what compensated sums promise. Integer data is exact in any order of operations; on real
// data the kernels promise an order and fused multiply-adds, so every comparison here is of equality.
// Compile with -ffp-contract=off (see reference.hpp).
#include "codelets/cg/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/codelets/reference.hpp"

namespace asterism::cg {
namespace {

using reference::column_block;
using reference::combine;
using reference::Entry;
using reference::Generator;
using reference::Guarded;
using reference::infinity;
using reference::length;
using reference::Matrix;
using reference::nan;
using reference::Numbers;
using reference::Pipelined;
using reference::Preconditioner;
using reference::random_matrix;
using reference::random_vector;
using reference::RowOrder;
using reference::Vector;

/// Around the 16 lanes of a sum, the 32 rows of a slice and the 512 rows of a chunk.
const std::vector<std::int64_t> sizes = {0, 1, 7, 15, 16, 17, 31, 32, 33, 511, 512, 513, 597, 1000, 1543};
const std::vector<std::size_t> offsets = {0, 1};
const std::vector<Numbers> both = {Numbers::integer, Numbers::real};

std::string where(std::int64_t n, std::size_t offset, Numbers numbers) {
  return "n = " + std::to_string(n) + ", offset " + std::to_string(offset) +
         (numbers == Numbers::integer ? ", integers" : ", reals");
}

/// Equal element by element (0 and -0 are), and nothing written outside.
::testing::AssertionResult equal(const Vector& expected, const Guarded& actual) {
  if (!actual.intact()) return ::testing::AssertionFailure() << "written outside the vector";
  const Vector values = actual.values();
  if (values.size() != expected.size()) return ::testing::AssertionFailure() << "sizes differ";
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] == expected[i]))
      return ::testing::AssertionFailure() << "element " << i << ": " << values[i] << " instead of " << expected[i];
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult same_bits(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << "sizes differ";
  if (!a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) != 0)
    return ::testing::AssertionFailure() << "bits differ";
  return ::testing::AssertionSuccess();
}

// --- compensated sums ------------------------------------------------------------------------------------------

TEST(Sum, KeepsWhatDoublesLose) {
  Sum s;
  for (const double x : {1e100, 1.0, -1e100}) add(s, Sum{x, 0});
  EXPECT_EQ(value(s), 1);

  Sum product;  // (1 + 2^-30)^2 - 1 = 2^-29 + 2^-60
  const double a = 1 + std::ldexp(1, -30);
  add_product(product, a, a);
  add_product(product, -1, 1);
  EXPECT_EQ(value(product), std::ldexp(1, -29) + std::ldexp(1, -60));
}

TEST(Sum, AddsTrailingParts) {
  Sum a{1, 0x1p-60};
  add(a, Sum{-1, 0x1p-61});
  EXPECT_EQ(value(a), 0x1p-60 + 0x1p-61);
}

/// Terms of 40 binary orders of magnitude, the second half nearly the negative of the first, shuffled: the sum is
/// some 10^6 times smaller than the sum of magnitudes.
struct IllConditioned {
  Vector x;
  Vector y;
  explicit IllConditioned(std::size_t n) {
    Generator generator(2005);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::uniform_int_distribution<int> exponent(-10, 10);
    for (std::size_t i = 0; i < n / 2; ++i) {
      const double a = std::ldexp(uniform(generator), exponent(generator));
      const double b = std::ldexp(uniform(generator), exponent(generator));
      x.insert(x.end(), {a, a});
      y.insert(y.end(), {b, -b * (1 + std::ldexp(uniform(generator), -10))});
    }
    for (std::size_t i = n - 1; i > 0; --i) {
      const std::size_t j = generator() % (i + 1);
      std::swap(x[i], x[j]);
      std::swap(y[i], y[j]);
    }
  }
};

TEST(Dot, IsTheExactSumRoundedForAnySplit) {
  const std::size_t n = 1'000'000;
  const IllConditioned terms(n);
  const double exact = reference::dot(terms.x, terms.y);

  double plain = 0;
  for (std::size_t i = 0; i < n; ++i) plain += terms.x[i] * terms.y[i];
  EXPECT_GT(std::abs(plain - exact), 1e-12 * std::abs(exact)) << "the terms are too well conditioned to tell";

  EXPECT_EQ(value(cpu::dot(static_cast<std::int64_t>(n), terms.x.data(), terms.y.data())), exact);
  Generator generator(7);
  for (const std::size_t longest : {40UL, 1000UL, 30'011UL, 300'007UL}) {
    Sum total;
    for (std::size_t begin = 0; begin < n;) {
      const std::size_t rows = std::min<std::size_t>(1 + generator() % longest, n - begin);
      add(total, cpu::dot(static_cast<std::int64_t>(rows), terms.x.data() + begin, terms.y.data() + begin));
      begin += rows;
    }
    EXPECT_EQ(value(total), exact) << "chunks of at most " << longest;
  }
}

TEST(Dot, OfFusedKernelsIsTheExactSumRounded) {
  const std::int64_t n = 300'000;
  const IllConditioned terms(static_cast<std::size_t>(n));
  const double exact = reference::dot(terms.x, terms.y);
  const double squares = reference::dot(terms.x, terms.x);

  const Dots residual = cpu::residual_dots(n, terms.x.data(), terms.y.data());
  EXPECT_EQ(value(residual.rr), squares);
  EXPECT_EQ(value(residual.rz), exact);

  const Dots pipelined = cpu::pipelined_dots(n, terms.x.data(), terms.y.data(), terms.x.data());
  EXPECT_EQ(value(pipelined.rr), squares);
  EXPECT_EQ(value(pipelined.rz), exact);
  EXPECT_EQ(value(pipelined.wu), exact);

  Matrix diagonal{n, 1, {}};  // A x = y exactly
  for (std::int64_t i = 0; i < n; ++i) diagonal.entries.push_back({i, 0, terms.y[static_cast<std::size_t>(i)]});
  const double one = 1;
  Vector product(terms.x.size());
  const reference::Sell sell(diagonal, RowOrder::by_length);
  EXPECT_EQ(value(cpu::spmv_dot(sell.view(), &one, product.data(), false, terms.x.data())), exact);
  const reference::Csr csr(diagonal);
  EXPECT_EQ(value(cpu::spmv_dot(csr.view(), &one, product.data(), false, terms.x.data())), exact);

  // r = q with alpha = -1 from zero, and M^-1 = diag(y / x): z = y up to one rounding
  const Vector zero(terms.x.size());
  Vector r(terms.x.size());
  Vector inverse(terms.x.size());
  Vector z(terms.x.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) inverse[i] = terms.y[i] / terms.x[i];
  const Dots updated =
      cpu::update_residual(n, -1, terms.x.data(), zero.data(), r.data(), {1, inverse.data()}, z.data());
  EXPECT_EQ(value(updated.rr), squares);
  EXPECT_EQ(value(updated.rz), reference::dot(r, z));
}

// --- sparse matrix times vector ----------------------------------------------------------------------------------

enum class Layout { csr, sell, sell_by_length };

/// One matrix in the layout under test.
class Operator {
 public:
  Operator(Layout layout, const Matrix& a)
      : layout_(layout),
        csr_(a),
        sell_(a, layout == Layout::sell_by_length ? RowOrder::by_length : RowOrder::natural) {}

  void spmv(const double* x, double* y, bool accumulate) const {
    if (layout_ == Layout::csr)
      cpu::spmv(csr_.view(), x, y, accumulate);
    else
      cpu::spmv(sell_.view(), x, y, accumulate);
  }
  Sum spmv_dot(const double* x, double* y, bool accumulate, const double* p) const {
    if (layout_ == Layout::csr) return cpu::spmv_dot(csr_.view(), x, y, accumulate, p);
    return cpu::spmv_dot(sell_.view(), x, y, accumulate, p);
  }

 private:
  Layout layout_;
  reference::Csr csr_;
  reference::Sell sell_;
};

class Spmv : public ::testing::TestWithParam<Layout> {
 protected:
  /// y = A x, or y + A x, where `expected` was computed by hand.
  static void expect_product(const Matrix& a, const Vector& x, const Vector& y, bool accumulate,
                             const Vector& expected) {
    const Operator op(GetParam(), a);
    Guarded in(x);
    Guarded out(accumulate ? y : Vector(y.size(), nan));
    op.spmv(in.data(), out.data(), accumulate);
    EXPECT_TRUE(equal(expected, out));
  }
};

INSTANTIATE_TEST_SUITE_P(
    Layouts, Spmv, ::testing::Values(Layout::csr, Layout::sell, Layout::sell_by_length), [](const auto& info) {
      return std::string(info.param == Layout::csr ? "Csr" : info.param == Layout::sell ? "Sell" : "SellByLength");
    });

TEST_P(Spmv, TwoByTwo) {
  const Matrix a{2, 2, {{0, 0, 4}, {0, 1, 1}, {1, 0, 2}, {1, 1, 3}}};
  expect_product(a, {5, 7}, {0, 0}, false, {27, 31});
  expect_product(a, {5, 7}, {100, -200}, true, {127, -169});
}

TEST_P(Spmv, ThreeByThreeWithAnEmptyRow) {
  const Matrix a{3, 3, {{0, 2, 2}, {2, 0, 1}, {2, 1, -1}, {2, 2, 5}}};
  expect_product(a, {1, 2, 3}, {0, 0, 0}, false, {6, 0, 14});
  expect_product(a, {1, 2, 3}, {1, 7, -4}, true, {7, 7, 10});
}

TEST_P(Spmv, OneRow) {
  const Matrix a{1, 4, {{0, 1, 3}, {0, 3, -2}}};
  expect_product(a, {9, 2, 9, 5}, {0}, false, {-4});
  expect_product(a, {9, 2, 9, 5}, {10}, true, {6});
}

TEST_P(Spmv, OneColumn) {
  const Matrix a{3, 1, {{1, 0, 3}, {2, 0, -2}}};
  expect_product(a, {4}, {0, 0, 0}, false, {0, 12, -8});
}

TEST_P(Spmv, NoEntriesNoRowsNoColumns) {
  expect_product({3, 2, {}}, {1, 2}, {0, 0, 0}, false, {0, 0, 0});
  expect_product({3, 2, {}}, {1, 2}, {4, 5, 6}, true, {4, 5, 6});
  expect_product({2, 0, {}}, {}, {0, 0}, false, {0, 0});
  expect_product({0, 2, {}}, {1, 2}, {}, false, {});
  const Operator none(GetParam(), {0, 2, {}});
  const double x[] = {1, 2};
  EXPECT_EQ(value(none.spmv_dot(x, nullptr, false, nullptr)), 0);
}

TEST_P(Spmv, DotOfTwoByTwo) {
  const Operator op(GetParam(), {2, 2, {{0, 0, 4}, {0, 1, 1}, {1, 0, 2}, {1, 1, 3}}});
  const double x[] = {5, 7};
  const double p[] = {2, -1};
  Guarded y({nan, nan});
  EXPECT_EQ(value(op.spmv_dot(x, y.data(), false, p)), 2 * 27 - 31);
  EXPECT_TRUE(equal({27, 31}, y));
  EXPECT_EQ(value(op.spmv_dot(x, y.data(), true, p)), 2 * 54 - 62);
  EXPECT_TRUE(equal({54, 62}, y));
}

TEST_P(Spmv, AwkwardSizes) {
  Generator generator(1);
  for (const std::int64_t rows : sizes)
    for (const std::int64_t columns : {rows, rows / 2 + 1, 3 * rows + 5})
      for (const Numbers numbers : both)
        for (const std::size_t offset : offsets) {
          SCOPED_TRACE(where(rows, offset, numbers) + ", columns " + std::to_string(columns));
          const Matrix a = random_matrix(rows, columns, 11, numbers, generator);
          const Operator op(GetParam(), a);
          const Vector start = random_vector(rows, numbers, generator);
          const Vector weights = random_vector(rows, numbers, generator);
          Guarded x(random_vector(columns, numbers, generator), offset);
          Guarded p(weights, offset);

          const Vector product = reference::multiply_fused(a, x.values());
          const Vector accumulated = reference::multiply_fused(a, x.values(), start);
          if (numbers == Numbers::integer) {
            ASSERT_EQ(product, reference::multiply(a, x.values()));
          }
          Guarded y = Guarded::output(rows, offset);
          op.spmv(x.data(), y.data(), false);
          EXPECT_TRUE(equal(product, y));
          Guarded y_accumulated(start, offset);
          op.spmv(x.data(), y_accumulated.data(), true);
          EXPECT_TRUE(equal(accumulated, y_accumulated));

          Guarded z = Guarded::output(rows, offset);
          EXPECT_EQ(value(op.spmv_dot(x.data(), z.data(), false, p.data())), reference::dot(weights, product));
          EXPECT_TRUE(equal(product, z));
          Guarded z_accumulated(start, offset);
          EXPECT_EQ(value(op.spmv_dot(x.data(), z_accumulated.data(), true, p.data())),
                    reference::dot(weights, accumulated));
          EXPECT_TRUE(equal(accumulated, z_accumulated));
        }
}

TEST_P(Spmv, ErrorIsThatOfOneRoundingAnEntry) {
  Generator generator(3);
  const Matrix a = random_matrix(1000, 1000, 60, Numbers::real, generator);
  const Vector x = random_vector(1000, Numbers::real, generator);
  const Operator op(GetParam(), a);
  Vector y(1000);
  op.spmv(x.data(), y.data(), false);
  const Vector exact = reference::multiply(a, x);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], exact[i], 60 * 60 * 0x1p-53);
}

TEST_P(Spmv, SameBitsInColumnBlocks) {
  Generator generator(4);
  const std::int64_t n = 1003;
  const Matrix a = random_matrix(n, n, 40, Numbers::real, generator);
  const Vector x = random_vector(n, Numbers::real, generator);
  const Vector p = random_vector(n, Numbers::real, generator);
  Vector whole(x.size());
  Operator(Layout::csr, a).spmv(x.data(), whole.data(), false);

  for (const std::vector<std::int64_t>& cuts :
       {std::vector<std::int64_t>{0, n}, {0, 500, n}, {0, 1, 33, 34, 700, n - 1, n}}) {
    Vector y(x.size(), nan);
    Sum dot;
    for (std::size_t b = 0; b + 1 < cuts.size(); ++b)
      dot = Operator(GetParam(), column_block(a, cuts[b], cuts[b + 1]))
                .spmv_dot(x.data() + cuts[b], y.data(), b > 0, p.data());
    EXPECT_TRUE(same_bits(whole, y)) << cuts.size() - 1 << " blocks";
    EXPECT_EQ(value(dot), reference::dot(p, whole));
  }
}

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

// --- scalar recurrences --------------------------------------------------------------------------------------------

Dots dots(double rr, double rz, double wu = 0) {
  return {{rr, 0}, {rz, 0}, {wu, 0}};
}

/// Started with r.r = 9 and r.z = 6; converges at r.r <= 1.
State started() {
  State s;
  s.threshold = 1;
  begin(s, dots(9, 6));
  return s;
}

void expect_stopped(State s, Status status) {
  EXPECT_EQ(s.status, status);
  const std::int32_t iteration = s.iteration;
  for (int i = 0; i < 3; ++i) {  // and nothing starts it again
    alpha_step(s, {8, 0});
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.minus_alpha, 0);
    beta_step(s, dots(100, 100));
    EXPECT_EQ(s.beta, 0);
    pipelined_step(s, dots(100, 100, 100));
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.minus_alpha, 0);
    EXPECT_EQ(s.beta, 0);
    EXPECT_EQ(s.status, status);
    EXPECT_EQ(s.iteration, iteration);
  }
}

TEST(Recurrence, Begin) {
  const State s = started();
  EXPECT_EQ(s.status, Status::running);
  EXPECT_EQ(s.rr, 9);
  EXPECT_EQ(s.rho, 6);
  EXPECT_EQ(s.beta, 0);
  EXPECT_EQ(s.alpha, 1);
  EXPECT_EQ(s.minus_alpha, -1);
  EXPECT_EQ(s.iteration, 0);

  State sums;
  begin(sums, {{1, 0x1p-52}, {2, 0x1p-51}, {}});
  EXPECT_EQ(sums.rr, 1 + 0x1p-52);
  EXPECT_EQ(sums.rho, 2 + 0x1p-51);
}

TEST(Recurrence, StandardStepsByHand) {
  State s = started();
  alpha_step(s, {3, 0});
  EXPECT_EQ(s.pq, 3);
  EXPECT_EQ(s.alpha, 2);
  EXPECT_EQ(s.minus_alpha, -2);
  EXPECT_EQ(s.iteration, 0);
  beta_step(s, dots(5, 1.5));
  EXPECT_EQ(s.rr, 5);
  EXPECT_EQ(s.rho, 1.5);
  EXPECT_EQ(s.beta, 0.25);
  EXPECT_EQ(s.iteration, 1);
  EXPECT_EQ(s.status, Status::running);
  alpha_step(s, {6, 0});
  EXPECT_EQ(s.alpha, 0.25);
  beta_step(s, dots(1, 0.75));  // r.r equal to the threshold
  EXPECT_EQ(s.status, Status::converged);
  EXPECT_EQ(s.beta, 0.5);  // x still needs this step: alpha stays until the next alpha_step
  EXPECT_EQ(s.alpha, 0.25);
  EXPECT_EQ(s.iteration, 2);
  const HistoryEntry entry = history_entry(s);
  EXPECT_EQ(entry.rr, 1);
  EXPECT_EQ(entry.pq, 6);
  EXPECT_EQ(entry.status, Status::converged);
  EXPECT_EQ(entry.iteration, 2);
  expect_stopped(s, Status::converged);
}

TEST(Recurrence, AlreadyConverged) {
  State s;
  s.threshold = 1;
  begin(s, dots(0.5, 3));
  EXPECT_EQ(s.iteration, 0);
  expect_stopped(s, Status::converged);

  State zero;  // b = 0: r.r = 0 meets the threshold 0, no 0 / 0
  begin(zero, dots(0, 0));
  expect_stopped(zero, Status::converged);
}

TEST(Recurrence, NotPositiveDefinite) {
  for (const double pq : {0.0, -0.0, -3.0}) {
    State s = started();
    alpha_step(s, {pq, 0});
    EXPECT_EQ(s.alpha, 0) << pq;
    expect_stopped(s, Status::not_positive_definite);
  }
  for (const double rho : {0.0, -2.0}) {  // the preconditioner is not
    State s;
    begin(s, dots(9, rho));
    EXPECT_EQ(s.status, Status::running);
    alpha_step(s, {3, 0});
    EXPECT_EQ(s.alpha, 0) << rho;
    expect_stopped(s, Status::not_positive_definite);
  }
  State s = started();
  alpha_step(s, {3, 0});
  beta_step(s, dots(9, 0));
  EXPECT_EQ(s.beta, 0);
  alpha_step(s, {3, 0});
  expect_stopped(s, Status::not_positive_definite);
}

TEST(Recurrence, NotFinite) {
  for (const double bad : {nan, infinity, -infinity}) {
    SCOPED_TRACE(bad);
    State s;
    begin(s, dots(bad, 1));
    expect_stopped(s, Status::not_finite);
    s = State();
    begin(s, dots(1, bad));
    expect_stopped(s, Status::not_finite);

    s = started();
    alpha_step(s, {bad, 0});
    EXPECT_EQ(s.alpha, 0);
    expect_stopped(s, Status::not_finite);
    s = started();
    alpha_step(s, {3, bad});
    EXPECT_EQ(s.alpha, 0);
    expect_stopped(s, Status::not_finite);

    s = started();
    alpha_step(s, {3, 0});
    beta_step(s, dots(bad, 1));
    EXPECT_EQ(s.beta, 0);
    expect_stopped(s, Status::not_finite);
    s = started();
    alpha_step(s, {3, 0});
    beta_step(s, dots(4, bad));
    EXPECT_EQ(s.beta, 0);
    expect_stopped(s, Status::not_finite);

    for (const Dots& d : {dots(bad, 1, 1), dots(4, bad, 1), dots(4, 1, bad)}) {
      s = started();
      pipelined_step(s, d);
      EXPECT_EQ(s.iteration, 0);
      expect_stopped(s, Status::not_finite);
    }
  }
}

TEST(Recurrence, PipelinedStepsByHand) {
  State s;
  s.threshold = 1;
  pipelined_step(s, dots(9, 6, 3));
  EXPECT_EQ(s.beta, 0);
  EXPECT_EQ(s.pq, 3);
  EXPECT_EQ(s.alpha, 2);
  EXPECT_EQ(s.minus_alpha, -2);
  EXPECT_EQ(s.rho, 6);
  EXPECT_EQ(s.rr, 9);
  EXPECT_EQ(s.iteration, 1);
  EXPECT_EQ(s.fresh, 0);

  pipelined_step(s, dots(5, 3, 2.25));  // beta = 3/6, p.Ap = 2.25 - 0.5 * 3 / 2
  EXPECT_EQ(s.beta, 0.5);
  EXPECT_EQ(s.pq, 1.5);
  EXPECT_EQ(s.alpha, 2);
  EXPECT_EQ(s.rho, 3);
  EXPECT_EQ(s.rr, 5);
  EXPECT_EQ(s.iteration, 2);

  State restarted = s;
  restarted.fresh = 1;
  pipelined_step(restarted, dots(4, 8, 2));
  EXPECT_EQ(restarted.beta, 0);
  EXPECT_EQ(restarted.alpha, 4);
  EXPECT_EQ(restarted.fresh, 0);
  EXPECT_EQ(restarted.iteration, 3);

  for (const auto& [gamma, delta] : {std::pair{3.0, 0.75}, {3.0, 0.5}, {0.0, 1.0}, {-3.0, 1.0}}) {
    State broken = s;  // gamma = 3: p.Ap = delta - 3 * 3 / 3 / 2
    pipelined_step(broken, dots(4, gamma, delta));
    EXPECT_EQ(broken.iteration, 2);
    expect_stopped(broken, Status::not_positive_definite);
  }
  pipelined_step(s, dots(1, 1, 5));
  EXPECT_EQ(s.rr, 1);
  EXPECT_EQ(s.iteration, 2);
  expect_stopped(s, Status::converged);

  State first;
  pipelined_step(first, dots(9, 6, 0));
  expect_stopped(first, Status::not_positive_definite);
}

/// [4 1; 1 3] x = [1; 2] from x = 0: every number up to the second alpha is exact.
TEST(Recurrence, SolvesTwoByTwo) {
  const reference::Csr a({2, 2, {{0, 0, 4}, {0, 1, 1}, {1, 0, 1}, {1, 1, 3}}});
  double x[] = {0, 0};
  double r[] = {1, 2};
  double p[] = {1, 2};
  double q[] = {nan, nan};
  State s;
  s.threshold = 1e-28;
  begin(s, cpu::residual_dots(2, r, r));
  EXPECT_EQ(s.rho, 5);

  const auto iterate = [&] {
    alpha_step(s, cpu::spmv_dot(a.view(), p, q, false, p));
    beta_step(s, cpu::update_residual(2, s.alpha, q, r, r, {0, nullptr}, nullptr));
    cpu::update_direction(2, s.alpha, s.beta, r, x, p);
  };
  iterate();
  EXPECT_EQ(s.pq, 20);
  EXPECT_EQ(s.alpha, 0.25);
  EXPECT_EQ(s.beta, 0.0625);
  EXPECT_EQ(x[0], 0.25);
  EXPECT_EQ(x[1], 0.5);
  EXPECT_EQ(p[0], -0.4375);
  EXPECT_EQ(p[1], 0.375);
  iterate();
  EXPECT_EQ(s.alpha, 0.3125 / 0.859375);
  EXPECT_EQ(s.status, Status::converged);
  EXPECT_EQ(s.iteration, 2);
  EXPECT_NEAR(x[0], 1.0 / 11, 1e-15);
  EXPECT_NEAR(x[1], 7.0 / 11, 1e-15);

  const double solution[] = {x[0], x[1]};  // further steps leave x and r as they are
  const double residual[] = {r[0], r[1]};
  iterate();
  EXPECT_EQ(x[0], solution[0]);
  EXPECT_EQ(x[1], solution[1]);
  EXPECT_EQ(r[0], residual[0]);
  EXPECT_EQ(r[1], residual[1]);
}

}  // namespace
}  // namespace asterism::cg
