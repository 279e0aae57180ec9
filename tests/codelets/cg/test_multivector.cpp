// SPDX-License-Identifier: Apache-2.0
// Kernels for several vectors side by side: each vector against the naive references, to the bit, and beside vectors
// that must not touch it.
#include "codelets/cg/kernels/multivector.hpp"

#include "codelets/cg/kernels/multi_rows.hpp"
#include "tests/codelets/cg/vectors.hpp"

namespace asterism::cg {
namespace {

using Vectors = std::vector<Vector>;

Vectors random_vectors(int vectors, std::int64_t n, Numbers numbers, Generator& generator) {
  Vectors all;
  for (int v = 0; v < vectors; ++v) all.push_back(random_vector(n, numbers, generator));
  return all;
}

Vector side_by_side(const Vectors& all) {
  Vector together;
  for (std::size_t i = 0; i < all.front().size(); ++i)
    for (const Vector& v : all) together.push_back(v[i]);
  return together;
}

::testing::AssertionResult equal_all(const Vectors& expected, const Guarded& actual) {
  return equal(side_by_side(expected), actual);
}

/// For 2, 4 and 8 vectors, awkward numbers of rows, integers and reals.
template <class Body>
void for_all(const Body& body) {
  Generator generator(21);
  for (const int vectors : {2, 4, 8})
    for (const std::int64_t n : sizes)
      for (const Numbers numbers : both) {
        SCOPED_TRACE(std::to_string(vectors) + " vectors, " + where(n, 0, numbers));
        body(vectors, n, numbers, generator);
      }
}

void expect_product(int vectors, const SellView& view, const Matrix& a, const Vectors& x, const Vectors& p) {
  Vectors expected;
  for (const Vector& one : x) expected.push_back(reference::multiply_fused(a, one));
  const Vector in = side_by_side(x);
  const Vector by = side_by_side(p);
  Guarded y = Guarded::output(a.rows * vectors, 1);
  cpu::multi_product(vectors, view, in.data(), y.data(), nullptr, nullptr);
  EXPECT_TRUE(equal_all(expected, y));
  Guarded again = Guarded::output(a.rows * vectors, 0);
  std::vector<Sum> sums(static_cast<std::size_t>(vectors));
  cpu::multi_product(vectors, view, in.data(), again.data(), by.data(), sums.data());
  EXPECT_TRUE(equal_all(expected, again));
  for (std::size_t v = 0; v < sums.size(); ++v) EXPECT_EQ(value(sums[v]), reference::dot(p[v], expected[v]));
}

TEST(Multivector, ProductOfAwkwardSizes) {
  for_all([](int vectors, std::int64_t n, Numbers numbers, Generator& generator) {
    const Matrix a = random_matrix(n, n + 5, 9, numbers, generator);
    const Vectors x = random_vectors(vectors, n + 5, numbers, generator);
    const Vectors p = random_vectors(vectors, n, numbers, generator);
    for (const RowOrder order : {RowOrder::natural, RowOrder::by_length})
      expect_product(vectors, reference::Sell(a, order).view(), a, x, p);
  });
}

TEST(Multivector, ProductOfDiagonals) {
  // rows 0 to 63 multiply x[row], x[row + 3] and x[row + 40], of the second slice in another order of offsets
  Generator generator(22);
  const std::vector<std::int64_t> begin{0, 96, 192};
  const std::vector<std::int64_t> columns{~std::int64_t{0}, ~std::int64_t{3}};
  const std::vector<std::int32_t> offset{0, 3, 40, -32, 0, 7};
  const Vector values = random_vector(192, Numbers::real, generator);
  Matrix a{64, 110, {}};
  for (std::int64_t s = 0; s < 2; ++s)
    for (std::int64_t l = 0; l < 32; ++l)
      for (std::int64_t k = 0; k < 3; ++k)
        a.entries.push_back({32 * s + l, 32 * s + l + offset[static_cast<std::size_t>(3 * s + k)],
                             values[static_cast<std::size_t>(96 * s + 32 * k + l)]});
  const SellView view{64, 2, begin.data(), nullptr, offset.data(), values.data(), columns.data()};
  for (const int vectors : {2, 4, 8})
    expect_product(vectors, view, a, random_vectors(vectors, 110, Numbers::real, generator),
                   random_vectors(vectors, 64, Numbers::real, generator));
}

TEST(Multivector, RowsHaveTheSameBitsInAllRegisters) {
  Generator generator(23);
  const Matrix a = random_matrix(64, 70, 11, Numbers::real, generator);
  const reference::Sell sell(a, RowOrder::natural);
  for (const int vectors : {2, 4, 8}) {
    const Vector x = random_vector(70 * vectors, Numbers::real, generator);
    for (const std::int64_t slice : {0, 1})
      for (int lane = 0; lane < slice_height; lane += cpu::multi_rows) {
        Vector plain(static_cast<std::size_t>(cpu::multi_rows * vectors));
        cpu::rows_product_for(vectors, cpu::Registers::plain)(sell.view(), slice, lane, x.data(), plain.data());
        for (const cpu::Registers registers : {cpu::Registers::suited, cpu::Registers::at_most_avx2}) {
          Guarded sum = Guarded::output(cpu::multi_rows * vectors, 1);
          cpu::rows_product_for(vectors, registers)(sell.view(), slice, lane, x.data(), sum.data());
          EXPECT_TRUE(equal(plain, sum)) << vectors;
        }
      }
  }
}

TEST(Multivector, ResidualOfAwkwardSizes) {
  for (const int block : {0, 1, 3, 32})
    for_all([block](int vectors, std::int64_t n, Numbers numbers, Generator& generator) {
      const Preconditioner m(n, block, numbers, generator);
      const Vectors q = random_vectors(vectors, n, numbers, generator);
      const Vectors before = random_vectors(vectors, n, numbers, generator);
      const Vector alpha = random_vector(vectors, numbers, generator);
      Vectors r, z;
      for (std::size_t v = 0; v < q.size(); ++v) {
        r.push_back(combine(before[v], -alpha[v], q[v]));
        z.emplace_back(r.back());
        // a last diagonal block of fewer rows: by the kernel for one vector, which has tests of its own
        if (block > 0) cpu::precondition(n, m.view(), r.back().data(), z.back().data());
        if (block == 0 || n % block == 0) {
          EXPECT_TRUE(same_bits(m.apply(r.back()), z.back()));
        }
      }
      Guarded now(side_by_side(before), 1);
      Guarded preconditioned = Guarded::output(n * vectors, 0);
      std::vector<Dots> dots(q.size());
      cpu::multi_update_residual(vectors, n, alpha.data(), side_by_side(q).data(), now.data(), m.view(),
                                 preconditioned.data(), dots.data());
      EXPECT_TRUE(equal_all(r, now));
      if (block > 0) {
        EXPECT_TRUE(equal_all(z, preconditioned));
      }
      for (std::size_t v = 0; v < q.size(); ++v) {
        EXPECT_EQ(value(dots[v].rr), reference::dot(r[v], r[v]));
        EXPECT_EQ(value(dots[v].rz), reference::dot(r[v], z[v]));
      }
    });
}

TEST(Multivector, DirectionOfAwkwardSizes) {
  for_all([](int vectors, std::int64_t n, Numbers numbers, Generator& generator) {
    const Vectors x = random_vectors(vectors, n, numbers, generator);
    const Vectors p = random_vectors(vectors, n, numbers, generator);
    const Vectors z = random_vectors(vectors, n, numbers, generator);
    Vector alpha = random_vector(vectors, numbers, generator);
    const Vector beta = random_vector(vectors, numbers, generator);
    alpha[1] = 0;  // a vector that has ended stays as it is
    Vectors solution, direction, first;
    for (std::size_t v = 0; v < x.size(); ++v) {
      solution.push_back(combine(x[v], alpha[v], p[v]));
      first.push_back(combine(z[v], beta[v], p[v]));
      direction.push_back(alpha[v] == 0 ? p[v] : first[v]);
    }
    Guarded now(side_by_side(x), 1);
    Guarded next(side_by_side(p), 0);
    const Vector preconditioned = side_by_side(z);
    cpu::multi_update_direction(vectors, n, alpha.data(), beta.data(), preconditioned.data(), now.data(), next.data());
    EXPECT_TRUE(equal_all(solution, now));
    EXPECT_TRUE(equal_all(direction, next));
    Guarded begun(side_by_side(p), 1);
    cpu::multi_first_direction(vectors, n, beta.data(), preconditioned.data(), begun.data());
    EXPECT_TRUE(equal_all(first, begun));
  });
}

TEST(Multivector, ApartAndSideBySide) {
  Generator generator(24);
  const Vectors three = random_vectors(3, 37, Numbers::real, generator);
  const double* const from[] = {three[0].data(), nullptr, three[1].data(), three[2].data()};
  Guarded together = Guarded::output(37 * 4, 1);
  cpu::interleave(4, 37, from, together.data());
  EXPECT_TRUE(equal_all(Vectors{three[0], Vector(37), three[1], three[2]}, together));
  Guarded first = Guarded::output(37, 1);
  Guarded last = Guarded::output(37, 0);
  double* const to[] = {first.data(), nullptr, nullptr, last.data()};
  cpu::take_apart(4, 37, together.data(), to);
  EXPECT_TRUE(equal(three[0], first));
  EXPECT_TRUE(equal(three[2], last));
}

}  // namespace
}  // namespace asterism::cg
