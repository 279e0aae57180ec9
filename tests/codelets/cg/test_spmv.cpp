// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector on CPUs: data checked by hand, then awkward sizes against the naive reference.
#include "tests/codelets/cg/vectors.hpp"

namespace asterism::cg {
namespace {

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

}  // namespace
}  // namespace asterism::cg
