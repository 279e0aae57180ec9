// SPDX-License-Identifier: Apache-2.0
// The CUDA kernels of conjugate gradient against the CPU kernels, which cg.kernels tests: equal bit for
// bit, on sizes around the tile of a thread block and beyond the largest grid. Sums may split into hi + lo
// differently, their value may not differ. Without a GPU every test is skipped.
// Compile with -ffp-contract=off (see reference.hpp).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "tests/codelets/cg/cuda.hpp"

namespace asterism::cg {
namespace {

using reference::Generator;
using reference::Matrix;
using reference::nan;
using reference::Numbers;
using reference::Preconditioner;
using reference::random_matrix;
using reference::random_number;
using reference::random_vector;
using reference::RowOrder;
using reference::Vector;

// --- sparse matrix times vector ----------------------------------------------------------------------------------

TEST_F(CgCuda, SpmvByHand) {
  const Matrix a{3, 3, {{0, 2, 2}, {2, 0, 1}, {2, 1, -1}, {2, 2, 5}}};  // a row without entries
  for (const RowOrder order : {RowOrder::natural, RowOrder::by_length}) {
    const DeviceSell sell(stream_, reference::Sell(a, order));
    const auto x = upload<double>({1, 2, 3});
    const auto y = poisoned<double>(3);
    cuda::spmv(sell.view(), x.data(), y.data(), false, stream_);
    EXPECT_TRUE(same_bits({6, 0, 14}, y.values()));
    cuda::spmv(sell.view(), x.data(), y.data(), true, stream_);
    EXPECT_TRUE(same_bits({12, 0, 28}, y.values()));
  }
}

TEST_F(CgCuda, Spmv) {
  Generator generator(1);
  struct Shape {
    std::int64_t rows;
    std::int64_t columns;
    int longest;
  };
  std::vector<Shape> shapes = {{0, 3, 3}, {2, 0, 3}, {4096 * 256 + 771, 5000, 4}};  // the last: more slices than warps
  for (const std::int64_t rows : {1, 7, 31, 32, 33, 255, 256, 257, 597, 4099})
    for (const std::int64_t columns : {rows, rows / 2 + 1, 3 * rows + 5}) shapes.push_back({rows, columns, 11});
  for (const auto& [rows, columns, longest] : shapes) {
    const Matrix a = random_matrix(rows, columns, longest, Numbers::real, generator);
    const Vector host_x = random_vector(columns, Numbers::real, generator);
    const Vector start = random_vector(rows, Numbers::real, generator);
    const Vector host_p = random_vector(rows, Numbers::real, generator);
    for (const RowOrder order : {RowOrder::natural, RowOrder::by_length}) {
      const reference::Sell host(a, order);
      const DeviceSell sell(stream_, host);
      for (const std::size_t offset : {0, 1}) {
        const auto x = upload(host_x, offset);
        const auto p = upload(host_p, offset);
        for (const bool accumulate : {false, true}) {
          SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", offset " + std::to_string(offset) +
                       (order == RowOrder::natural ? "" : ", by length") + (accumulate ? ", accumulate" : ""));
          Vector expected = start;
          const Sum expected_dot =
              cpu::spmv_dot(host.view(), host_x.data(), expected.data(), accumulate, host_p.data());

          const auto y = accumulate ? upload(start, offset) : poisoned<double>(rows, offset);
          cuda::spmv(sell.view(), x.data(), y.data(), accumulate, stream_);
          EXPECT_TRUE(same_bits(expected, y.values()));

          Vector product[2];
          int run = 0;
          const Sum dot = reduced_twice<Sum>(nullptr, [&](Sum* out, cuda::Workspace workspace) {
            const auto z = accumulate ? upload(start, offset) : poisoned<double>(rows, offset);
            cuda::spmv_dot(sell.view(), x.data(), z.data(), accumulate, p.data(), out, workspace, stream_);
            product[run++] = z.values();
          });
          EXPECT_TRUE(same_bits(expected, product[0]));
          EXPECT_TRUE(same_bits(expected, product[1]));
          EXPECT_TRUE(same_bits(value(expected_dot), value(dot)));
        }
      }
      (void)sell.slice_begin.values();  // the matrix and its guards are as they were
      EXPECT_EQ(sell.row.values(), host.row);
      EXPECT_EQ(sell.column.values(), host.column);
      EXPECT_TRUE(same_bits(host.value, sell.value.values()));
    }
  }
}

TEST_F(CgCuda, SpmvInColumnBlocks) {
  Generator generator(2);
  const std::int64_t n = 1003;
  const Matrix a = random_matrix(n, n, 40, Numbers::real, generator);
  const Vector x = random_vector(n, Numbers::real, generator);
  Vector whole(x.size());
  cpu::spmv(reference::Csr(a).view(), x.data(), whole.data(), false);
  const std::vector<std::int64_t> cuts = {0, 1, 33, 34, 700, n - 1, n};
  const auto device_x = upload(x);
  const auto y = poisoned<double>(n);
  for (std::size_t b = 0; b + 1 < cuts.size(); ++b) {
    const DeviceSell block(stream_,
                           reference::Sell(reference::column_block(a, cuts[b], cuts[b + 1]), RowOrder::by_length));
    cuda::spmv(block.view(), device_x.data() + cuts[b], y.data(), b > 0, stream_);
    check(cudaStreamSynchronize(stream_));
  }
  EXPECT_TRUE(same_bits(whole, y.values()));
}

// --- dot products ------------------------------------------------------------------------------------------------

TEST_F(CgCuda, Dots) {
  Generator generator(3);
  const Sum sum_before{1.5, 0x1p-60};
  const Dots before{{1.5, 0x1p-60}, {-2.5, 0x1p-58}, {3, 0x1p-55}};
  for (const std::int64_t n : sizes)
    for (const std::size_t offset : {0, 1}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", offset " + std::to_string(offset));
      const Vector a = random_vector(n, Numbers::real, generator);
      const Vector b = random_vector(n, Numbers::real, generator);
      const Vector c = random_vector(n, Numbers::real, generator);
      const auto x = upload(a, offset);
      const auto y = upload(b, offset);
      const auto z = upload(c, 1 - offset);

      const Sum dot = cpu::dot(n, a.data(), b.data());
      const Sum got = reduced_twice<Sum>(nullptr, [&](Sum* out, cuda::Workspace workspace) {
        cuda::dot(n, x.data(), y.data(), out, false, workspace, stream_);
      });
      EXPECT_TRUE(same_bits(value(dot), value(got)));
      Sum accumulated = sum_before;
      add(accumulated, dot);
      const Sum got_accumulated = reduced_twice<Sum>(&sum_before, [&](Sum* out, cuda::Workspace workspace) {
        cuda::dot(n, x.data(), y.data(), out, true, workspace, stream_);
      });
      EXPECT_TRUE(same_bits(value(accumulated), value(got_accumulated)));

      for (const bool same : {false, true}) {
        const Dots residual = cpu::residual_dots(n, a.data(), same ? a.data() : b.data());
        const double* second = same ? x.data() : y.data();
        expect_same_values(residual, reduced_twice<Dots>(nullptr, [&](Dots* out, cuda::Workspace workspace) {
                             cuda::residual_dots(n, x.data(), second, out, false, workspace, stream_);
                           }));
        Dots sum = before;
        add(sum.rr, residual.rr);
        add(sum.rz, residual.rz);
        expect_same_values(sum, reduced_twice<Dots>(&before, [&](Dots* out, cuda::Workspace workspace) {
                             cuda::residual_dots(n, x.data(), second, out, true, workspace, stream_);
                           }));
        const Dots pipelined = cpu::pipelined_dots(n, a.data(), same ? nullptr : b.data(), c.data());
        expect_same_values(pipelined, reduced_twice<Dots>(nullptr, [&](Dots* out, cuda::Workspace workspace) {
                             cuda::pipelined_dots(n, x.data(), same ? nullptr : y.data(), z.data(), out, workspace,
                                                  stream_);
                           }));
      }
    }
}

/// Nearly cancelling pairs of widely spread terms: a sum in plain doubles, or one that drops a trailing part
/// anywhere between two threads, has few right digits.
TEST_F(CgCuda, DotOfIllConditionedTerms) {
  Generator generator(4);
  Vector a;
  Vector b;
  for (int i = 0; i < 500'000; ++i) {
    const double x = std::ldexp(random_number(Numbers::real, generator), static_cast<int>(generator() % 20));
    const double y = std::ldexp(random_number(Numbers::real, generator), static_cast<int>(generator() % 20));
    a.insert(a.end(), {x, x});
    b.insert(b.end(), {y, -y * (1 + std::ldexp(random_number(Numbers::real, generator), -10))});
  }
  for (std::size_t i = a.size() - 1; i > 0; --i) {
    const std::size_t j = generator() % (i + 1);
    std::swap(a[i], a[j]);
    std::swap(b[i], b[j]);
  }
  const auto x = upload(a);
  const auto y = upload(b);
  const Sum got = reduced_twice<Sum>(nullptr, [&](Sum* out, cuda::Workspace workspace) {
    cuda::dot(reference::length(a), x.data(), y.data(), out, false, workspace, stream_);
  });
  EXPECT_TRUE(same_bits(reference::dot(a, b), value(got)));
}

// --- vector operations -------------------------------------------------------------------------------------------

TEST_F(CgCuda, Updates) {
  Generator generator(5);
  for (const std::int64_t n : sizes)
    for (const std::size_t offset : {0, 1}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", offset " + std::to_string(offset));
      const Vector a = random_vector(n, Numbers::real, generator);
      const Vector b = random_vector(n, Numbers::real, generator);
      const Vector c = random_vector(n, Numbers::real, generator);
      State host_state;
      host_state.alpha = random_number(Numbers::real, generator);
      host_state.minus_alpha = -host_state.alpha;
      host_state.beta = random_number(Numbers::real, generator);
      const auto state = upload(std::vector<State>{host_state});
      const auto scalars = upload<double>({host_state.alpha});
      const auto z = upload(a, 1 - offset);

      Vector expected = b;
      cpu::axpy(n, host_state.alpha, a.data(), expected.data());
      const auto sum = upload(b, offset);
      cuda::axpy(n, scalars.data(), z.data(), sum.data(), stream_);
      EXPECT_TRUE(same_bits(expected, sum.values()));

      expected = b;
      cpu::xpby(n, a.data(), host_state.beta, expected.data());
      const auto scaled = upload(b, offset);
      cuda::xpby(n, z.data(), state.data(), scaled.data(), stream_);
      EXPECT_TRUE(same_bits(expected, scaled.values()));

      Vector solution = b;
      Vector direction = c;
      cpu::update_direction(n, host_state.alpha, host_state.beta, a.data(), solution.data(), direction.data());
      const auto x = upload(b, offset);
      const auto p = upload(c, offset);
      cuda::update_direction(n, state.data(), z.data(), x.data(), p.data(), stream_);
      EXPECT_TRUE(same_bits(solution, x.values()));
      EXPECT_TRUE(same_bits(direction, p.values()));
      EXPECT_TRUE(same_bits(a, z.values()));

      std::vector<std::int32_t> index(a.size());
      for (std::int32_t& i : index) i = static_cast<std::int32_t>(generator() % a.size());
      const auto device_index = upload(index);
      cpu::pack(n, index.data(), a.data(), expected.data());
      const auto packed = poisoned<double>(n, offset);
      cuda::pack(n, device_index.data(), z.data(), packed.data(), stream_);
      EXPECT_TRUE(same_bits(expected, packed.values()));
    }
}

TEST_F(CgCuda, Precondition) {
  Generator generator(6);
  for (const auto& [n, size] : preconditioned_sizes())
    for (const std::size_t offset : {0, 1}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", block " + std::to_string(size));
      const Preconditioner m(n, size, Numbers::real, generator);
      const auto inverse = upload(m.inverse, offset);
      const Vector host_r = random_vector(n, Numbers::real, generator);
      const auto r = upload(host_r, offset);
      Vector expected(host_r.size());
      cpu::precondition(n, m.view(), host_r.data(), expected.data());
      const auto z = poisoned<double>(n, offset);
      cuda::precondition(n, {size, inverse.data()}, r.data(), z.data(), stream_);
      EXPECT_TRUE(same_bits(expected, z.values()));
      EXPECT_TRUE(same_bits(host_r, r.values()));
    }
}

/// Steps of the smoother, with and without the product, of Gauss-Seidel on every second node, and the defect.
TEST_F(CgCuda, SmoothRelaxAndDefect) {
  Generator generator(11);
  for (const auto& [n, size] : preconditioned_sizes()) {
    if (size > 32) continue;  // nodes of at most 32 rows
    SCOPED_TRACE("n = " + std::to_string(n) + ", block " + std::to_string(size));
    const Preconditioner m(n, size, Numbers::real, generator);
    const auto inverse = upload(m.inverse);
    const Vector host_b = random_vector(n, Numbers::real, generator);
    const Vector host_x = random_vector(n, Numbers::real, generator);
    const auto b = upload(host_b);
    const auto x = upload(host_x);
    const auto q = poisoned<double>(n);
    // rows that are sorted by length have to be sorted within windows
    const RowOrder order = n <= sorted_slices * slice_height ? RowOrder::by_length : RowOrder::natural;
    const reference::Sell host(random_matrix(n, n, 9, Numbers::real, generator), order);
    const DeviceSell sell(stream_, host);
    const SellView host_a = host.view();
    const SellView a = sell.view();
    for (const bool product : {false, true}) {
      Vector expected_d(host_b.size());
      cpu::smooth_first(n, product ? &host_a : nullptr, host_x.data(), m.view(), 0.7, host_b.data(), expected_d.data());
      const auto d = poisoned<double>(n);
      cuda::smooth_first(n, product ? &a : nullptr, x.data(), {size, inverse.data()}, 0.7, b.data(), q.data(), d.data(),
                         stream_);
      EXPECT_TRUE(same_bits(expected_d, d.values()));
      Vector expected_x = host_x;
      cpu::smooth_second(n, host_a, expected_d.data(), m.view(), 1.9, 0.3, expected_d.data(), product,
                         expected_x.data());
      const auto y = upload(host_x);
      cuda::smooth_second(n, a, d.data(), {size, inverse.data()}, 1.9, 0.3, d.data(), product, q.data(), y.data(),
                          stream_);
      EXPECT_TRUE(same_bits(expected_x, y.values()));
    }
    Vector expected(host_b.size());
    cpu::defect(host_a, host_x.data(), host_b.data(), expected.data());
    const auto t = poisoned<double>(n);
    cuda::defect(n, a, x.data(), b.data(), t.data(), stream_);
    EXPECT_TRUE(same_bits(expected, t.values()));
    if (n % size != 0) continue;     // whole nodes
    std::vector<std::int32_t> rows;  // n of 2 n
    for (std::int32_t i = 0; i < n; ++i) rows.push_back(i / size * 2 * size + i % size);
    const Vector wide_b = random_vector(2 * n, Numbers::real, generator);
    const Vector wide_x = random_vector(2 * n, Numbers::real, generator);
    const Vector host_q = random_vector(n, Numbers::real, generator);
    const auto relaxed_q = upload(host_q);
    const auto row = upload(rows);
    const auto device_b = upload(wide_b);
    for (const bool product : {false, true}) {
      Vector expected_x = wide_x;
      cpu::relax(n, rows.data(), m.view(), wide_b.data(), product ? host_q.data() : nullptr, expected_x.data());
      const auto x = upload(wide_x);
      cuda::relax(n, row.data(), {size, inverse.data()}, device_b.data(), product ? relaxed_q.data() : nullptr,
                  x.data(), stream_);
      EXPECT_TRUE(same_bits(expected_x, x.values()));
    }
  }
}

TEST_F(CgCuda, UpdateResidual) {
  Generator generator(7);
  std::vector<std::pair<std::int64_t, int>> cases = preconditioned_sizes();
  for (const std::int64_t n : sizes) cases.emplace_back(n, 0);
  for (const auto& [rows, size] : cases) {
    const std::int64_t n = rows;  // structured bindings cannot be captured everywhere
    const Preconditioner m(n, size, Numbers::real, generator);
    const auto inverse = upload(m.inverse);
    const PreconditionerView on_device{size, inverse.data()};
    const Vector before = random_vector(n, Numbers::real, generator);
    const Vector host_q = random_vector(n, Numbers::real, generator);
    State host_state;
    host_state.alpha = random_number(Numbers::real, generator);
    host_state.beta = nan;
    const auto state = upload(std::vector<State>{host_state});
    Vector expected = before;
    Vector expected_z(before.size());
    const Dots expected_dots = cpu::update_residual(n, host_state.alpha, host_q.data(), expected.data(),
                                                    expected.data(), m.view(), expected_z.data());
    for (const std::size_t offset : {0, 1})
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE("n = " + std::to_string(n) + ", block " + std::to_string(size) + (in_place ? ", in place" : ""));
        const auto q = upload(host_q, 1 - offset);
        const auto z = poisoned<double>(n, offset);
        Vector r[2];
        Vector untouched = before;
        int run = 0;
        const Dots dots = reduced_twice<Dots>(nullptr, [&](Dots* out, cuda::Workspace workspace) {
          const auto r_in = upload(before, offset);
          const auto r_out = poisoned<double>(n, offset);
          const auto& target = in_place ? r_in : r_out;
          cuda::update_residual(n, state.data(), q.data(), r_in.data(), target.data(), on_device,
                                on_device.size > 0 ? z.data() : nullptr, out, workspace, stream_);
          r[run++] = target.values();
          if (!in_place) untouched = r_in.values();
        });
        EXPECT_TRUE(same_bits(expected, r[0]));
        EXPECT_TRUE(same_bits(expected, r[1]));
        EXPECT_TRUE(same_bits(before, untouched));
        if (size > 0) {
          EXPECT_TRUE(same_bits(expected_z, z.values()));
        }
        expect_same_values(expected_dots, dots);
      }
  }
}

}  // namespace
}  // namespace asterism::cg
