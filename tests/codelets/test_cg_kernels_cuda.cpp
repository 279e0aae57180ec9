// The CUDA kernels of conjugate gradient against the CPU kernels, which test_cg_kernels.cpp checks: equal bit for
// bit, on sizes around the tile of a thread block and beyond the largest grid. Sums may split into hi + lo
// differently, their value may not differ. Without a GPU every test is skipped.
// Compile with -ffp-contract=off (see reference.hpp).
#include "codelets/cg/kernels_cuda.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codelets/cg/kernels.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/reference.hpp"

namespace asterism::cg {
namespace {

using reference::Generator;
using reference::infinity;
using reference::Matrix;
using reference::nan;
using reference::Numbers;
using reference::Pipelined;
using reference::Preconditioner;
using reference::random_matrix;
using reference::random_number;
using reference::random_vector;
using reference::RowOrder;
using reference::Vector;

/// Around a warp, a thread block of 256, its tile of 1024, and more tiles than the grid has blocks.
const std::vector<std::int64_t> sizes = {0,   1,   7,    31,   32,   33,   255,       256,
                                         257, 597, 1023, 1024, 1025, 4099, 1'000'003, 4096 * 1024 + 771};

::testing::AssertionResult same_bits(const Vector& expected, const Vector& actual) {
  if (expected.size() != actual.size()) return ::testing::AssertionFailure() << "sizes differ";
  if (expected.empty() || std::memcmp(expected.data(), actual.data(), expected.size() * sizeof(double)) == 0)
    return ::testing::AssertionSuccess();
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!reference::same_bits(expected[i], actual[i]))
      return ::testing::AssertionFailure()
             << "element " << i << " of " << expected.size() << ": " << actual[i] << " instead of " << expected[i];
  return ::testing::AssertionFailure() << "unreachable";
}

::testing::AssertionResult same_bits(double expected, double actual) {
  return same_bits(Vector{expected}, Vector{actual});
}

/// The bits of NaN are no promise: x86 and GPUs make different ones.
::testing::AssertionResult same_number(double expected, double actual) {
  if (expected != expected && actual != actual) return ::testing::AssertionSuccess();
  return same_bits(expected, actual);
}

void expect_same_values(const Dots& expected, const Dots& actual) {
  EXPECT_TRUE(same_bits(value(expected.rr), value(actual.rr)));
  EXPECT_TRUE(same_bits(value(expected.rz), value(actual.rz)));
  EXPECT_TRUE(same_bits(value(expected.wu), value(actual.wu)));
}

void expect_same(const State& expected, const State& actual) {
  EXPECT_TRUE(same_number(expected.alpha, actual.alpha));
  EXPECT_TRUE(same_number(expected.minus_alpha, actual.minus_alpha));
  EXPECT_TRUE(same_number(expected.beta, actual.beta));
  EXPECT_TRUE(same_number(expected.rho, actual.rho));
  EXPECT_TRUE(same_number(expected.rr, actual.rr));
  EXPECT_TRUE(same_number(expected.pq, actual.pq));
  EXPECT_TRUE(same_number(expected.threshold, actual.threshold));
  EXPECT_EQ(expected.status, actual.status);
  EXPECT_EQ(expected.iteration, actual.iteration);
  EXPECT_EQ(expected.fresh, actual.fresh);
}

void expect_same(const HistoryEntry& expected, const HistoryEntry& actual) {
  EXPECT_TRUE(same_number(expected.rr, actual.rr));
  EXPECT_TRUE(same_number(expected.pq, actual.pq));
  EXPECT_EQ(expected.status, actual.status);
  EXPECT_EQ(expected.iteration, actual.iteration);
}

class CgCuda : public CudaTest {
 protected:
  template <class T>
  [[nodiscard]] DeviceArray<T> poisoned(std::int64_t n, std::size_t offset = 0) const {
    return DeviceArray<T>(stream_, reference::index(n), offset);
  }

  /// What `launch(out, workspace)` leaves in *out, which holds `before` or NaN. Runs it twice from the state that
  /// `prepare` sets: the two sums must have the same bits, and the ticket must be back at zero both times.
  template <class T, class Prepare, class Launch>
  [[nodiscard]] T reduced_twice(const T* before, Prepare prepare, Launch launch) const {
    static_assert(sizeof(T) % sizeof(double) == 0);
    const DeviceArray<Dots> partial = poisoned<Dots>(cuda::max_grid);
    const DeviceArray<unsigned> ticket = upload(std::vector<unsigned>{0});
    T result[2];
    for (T& r : result) {
      prepare();
      const DeviceArray<T> out = before != nullptr ? upload(std::vector<T>{*before}) : poisoned<T>(1);
      launch(out.data(), cuda::Workspace{partial.data(), ticket.data()});
      r = out.values()[0];
      EXPECT_EQ(ticket.values()[0], 0u);
      (void)partial.values();
    }
    EXPECT_EQ(std::memcmp(&result[0], &result[1], sizeof(T)), 0) << "two runs differ";
    return result[0];
  }
  template <class T, class Launch>
  [[nodiscard]] T reduced_twice(const T* before, Launch launch) const {
    return reduced_twice<T>(
        before, [] {}, launch);
  }
};

/// A SELL matrix on the device.
struct DeviceSell {
  DeviceArray<std::int64_t> slice_begin;
  DeviceArray<std::int32_t> row;
  DeviceArray<std::int32_t> column;
  DeviceArray<double> value;
  SellView host;

  DeviceSell(cudaStream_t stream, const reference::Sell& a)
      : slice_begin(stream, a.slice_begin),
        row(stream, a.row),
        column(stream, a.column),
        value(stream, a.value),
        host(a.view()) {}
  [[nodiscard]] SellView view() const {
    return {host.rows,     host.slices, slice_begin.data(), host.row != nullptr ? row.data() : nullptr,
            column.data(), value.data()};
  }
};

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
      const auto scalars = upload<double>({host_state.alpha, host_state.beta});
      const auto z = upload(a, 1 - offset);

      Vector expected = b;
      cpu::axpy(n, host_state.alpha, a.data(), expected.data());
      const auto sum = upload(b, offset);
      cuda::axpy(n, scalars.data(), z.data(), sum.data(), stream_);
      EXPECT_TRUE(same_bits(expected, sum.values()));

      expected = b;
      cpu::xpby(n, a.data(), host_state.beta, expected.data());
      const auto scaled = upload(b, offset);
      cuda::xpby(n, z.data(), scalars.data() + 1, scaled.data(), stream_);
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

/// Block sizes, and numbers of blocks: few, around the rows that a thread block takes, more than the grid takes.
std::vector<std::pair<std::int64_t, int>> preconditioned_sizes() {
  std::vector<std::pair<std::int64_t, int>> out;
  for (const int size : {1, 2, 3, 5, 32, 100, 256}) {
    const std::int64_t blocks_at_a_time = 256 / size;
    for (const std::int64_t blocks : {0, 1, 7}) out.emplace_back(blocks * size, size);
    if (size <= 32)
      for (const std::int64_t blocks : {blocks_at_a_time, blocks_at_a_time + 1, std::int64_t{597}})
        out.emplace_back(blocks * size, size);
    if (size <= 3) out.emplace_back((4096 * blocks_at_a_time + 77) * size, size);
  }
  return out;
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

// --- pipelined conjugate gradient ----------------------------------------------------------------------------------

/// The ten vectors on the device. Without preconditioner q, u and m are not passed, and must stay as they are.
struct DevicePipelined {
  DeviceArray<double> n, z, q, s, p, x, r, u, w, m;
  bool preconditioned;

  DevicePipelined(cudaStream_t stream, const Pipelined& v, std::size_t offset, bool with_preconditioner)
      : n(stream, v.n, offset),
        z(stream, v.z, offset),
        q(stream, v.q, offset),
        s(stream, v.s, offset),
        p(stream, v.p, offset),
        x(stream, v.x, offset),
        r(stream, v.r, offset),
        u(stream, v.u, offset),
        w(stream, v.w, offset),
        m(stream, v.m, offset),
        preconditioned(with_preconditioner) {}
  [[nodiscard]] cpu::PipelinedVectors vectors() const {
    if (preconditioned)
      return {n.data(), z.data(), q.data(), s.data(), p.data(), x.data(), r.data(), u.data(), w.data(), m.data()};
    return {n.data(), z.data(), nullptr, s.data(), p.data(), x.data(), r.data(), nullptr, w.data(), w.data()};
  }
  void expect_equal(const Pipelined& v) const {
    EXPECT_TRUE(same_bits(v.n, n.values()));
    EXPECT_TRUE(same_bits(v.z, z.values()));
    EXPECT_TRUE(same_bits(v.q, q.values()));
    EXPECT_TRUE(same_bits(v.s, s.values()));
    EXPECT_TRUE(same_bits(v.p, p.values()));
    EXPECT_TRUE(same_bits(v.x, x.values()));
    EXPECT_TRUE(same_bits(v.r, r.values()));
    EXPECT_TRUE(same_bits(v.u, u.values()));
    EXPECT_TRUE(same_bits(v.w, w.values()));
    EXPECT_TRUE(same_bits(v.m, m.values()));
  }
};

cpu::PipelinedVectors host_vectors(Pipelined& v, bool preconditioned) {
  return {v.n.data(),
          v.z.data(),
          preconditioned ? v.q.data() : nullptr,
          v.s.data(),
          v.p.data(),
          v.x.data(),
          v.r.data(),
          preconditioned ? v.u.data() : nullptr,
          v.w.data(),
          preconditioned ? v.m.data() : v.w.data()};
}

TEST_F(CgCuda, PipelinedUpdate) {
  Generator generator(8);
  std::vector<std::pair<std::int64_t, int>> cases = preconditioned_sizes();
  for (const std::int64_t n : sizes) cases.emplace_back(n, 0);
  for (const auto& [rows, size] : cases)
    for (const std::size_t offset : {0, 1}) {
      const std::int64_t n = rows;
      SCOPED_TRACE("n = " + std::to_string(n) + ", block " + std::to_string(size));
      const Preconditioner m(n, size, Numbers::real, generator);
      const auto inverse = upload(m.inverse);
      const PreconditionerView on_device{size, inverse.data()};
      const Pipelined start(n, size, Numbers::real, generator);
      State host_state;
      host_state.alpha = random_number(Numbers::real, generator);
      host_state.beta = random_number(Numbers::real, generator);
      const auto state = upload(std::vector<State>{host_state});

      Pipelined expected = start;
      const Dots expected_dots =
          cpu::pipelined_update(n, host_state.alpha, host_state.beta, host_vectors(expected, size > 0), m.view());
      const Dots dots = reduced_twice<Dots>(nullptr, [&](Dots* out, cuda::Workspace workspace) {
        const DevicePipelined actual(stream_, start, offset, on_device.size > 0);
        cuda::pipelined_update(n, state.data(), actual.vectors(), on_device, out, workspace, stream_);
        actual.expect_equal(expected);
      });
      expect_same_values(expected_dots, dots);
    }
}

// --- scalar recurrences --------------------------------------------------------------------------------------------

class CgCudaSteps : public CgCuda {
 protected:
  /// Contributions of `count` blocks, positive; those to w.u scaled.
  [[nodiscard]] static std::vector<Dots> contributions(int count, Generator& generator, double scale = 1) {
    const auto number = [&] { return 2 + random_number(Numbers::real, generator); };
    const auto trailing = [&] { return std::ldexp(random_number(Numbers::real, generator), -50); };
    std::vector<Dots> out(static_cast<std::size_t>(count));
    for (Dots& d : out) d = {{number(), trailing()}, {number(), trailing()}, {scale * number(), trailing()}};
    return out;
  }
  template <class T>
  [[nodiscard]] static cuda::Partials<T> partials(const DeviceArray<T>& array, std::size_t count) {
    cuda::Partials<T> p{};
    p.count = static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) p.at[i] = array.data() + i;
    return p;
  }
  [[nodiscard]] static Dots total(const std::vector<Dots>& dots) {
    Dots sum;
    for (const Dots& d : dots) {
      add(sum.rr, d.rr);
      add(sum.rz, d.rz);
      add(sum.wu, d.wu);
    }
    return sum;
  }
  [[nodiscard]] static Sum total(const std::vector<Sum>& sums) {
    Sum sum;
    for (const Sum& s : sums) add(sum, s);
    return sum;
  }

  /// One step on the device and on the host, from `s`; both must agree. Returns the state after it.
  State begin(State s, const std::vector<Dots>& dots) const {
    return step(s, dots, &cuda::begin, [](State& state, const Dots& d) { cg::begin(state, d); });
  }
  State alpha_step(State s, const std::vector<Sum>& sums) const {
    return step(s, sums, &cuda::alpha_step, [](State& state, const Sum& sum) { cg::alpha_step(state, sum); });
  }
  State beta_step(State s, const std::vector<Dots>& dots) const {
    return step_with_history(s, dots, &cuda::beta_step, [](State& state, const Dots& d) { cg::beta_step(state, d); });
  }
  State pipelined_step(State s, const std::vector<Dots>& dots) const {
    return step_with_history(s, dots, &cuda::pipelined_step,
                             [](State& state, const Dots& d) { cg::pipelined_step(state, d); });
  }

 private:
  template <class T, class Launch, class OnHost>
  State step(const State& before, const std::vector<T>& parts, Launch launch, OnHost on_host) const {
    const auto state = upload(std::vector<State>{before});
    const auto array = upload(parts, 1);
    launch(state.data(), partials(array, parts.size()), stream_);
    State expected = before;
    on_host(expected, total(parts));
    expect_same(expected, state.values()[0]);
    return expected;
  }
  template <class Launch, class OnHost>
  State step_with_history(const State& before, const std::vector<Dots>& parts, Launch launch, OnHost on_host) const {
    const auto history = poisoned<HistoryEntry>(1, 3);
    const auto with_history = [&](State* state, const cuda::Partials<Dots>& p, cudaStream_t stream) {
      launch(state, p, history.data(), stream);
    };
    const auto without_history = [&](State* state, const cuda::Partials<Dots>& p, cudaStream_t stream) {
      launch(state, p, nullptr, stream);
    };
    const State after = step(before, parts, with_history, on_host);
    expect_same(history_entry(after), history.values()[0]);
    step(before, parts, without_history, on_host);
    return after;
  }
};

TEST_F(CgCudaSteps, AnyNumberOfContributions) {
  Generator generator(9);
  for (const int count : {0, 1, 3, 200, cuda::max_partials}) {
    SCOPED_TRACE(std::to_string(count) + " contributions");
    const auto sums = [&] {
      std::vector<Sum> out;
      for (const Dots& d : contributions(count, generator)) out.push_back(d.rr);
      return out;
    };
    State s;
    s.threshold = count == 0 ? -1 : 1e-3;  // no blocks, no residual: let it run into its zeros
    s = begin(s, contributions(count, generator));
    EXPECT_EQ(s.status, Status::running);
    for (int i = 0; i < 3; ++i) {
      s = alpha_step(s, sums());
      s = beta_step(s, contributions(count, generator));
    }
    EXPECT_EQ(s.iteration, count == 0 ? 0 : 3);
    s.fresh = 1;
    for (const double scale : {1e2, 1e4, 1e6})  // grows, so that p.Ap stays positive
      s = pipelined_step(s, contributions(count, generator, scale));
    EXPECT_EQ(s.iteration, count == 0 ? 0 : 6);
  }
}

TEST_F(CgCudaSteps, StopsAsTheHostDoes) {
  const auto dots = [](double rr, double rz, double wu) { return std::vector<Dots>{{{rr, 0}, {rz, 0}, {wu, 0}}}; };
  State start;
  start.threshold = 1;
  const State running = begin(start, dots(9, 6, 0));
  EXPECT_EQ(running.status, Status::running);

  std::vector<State> stopped = {begin(start, dots(1, 3, 0)), begin(start, dots(nan, 3, 0)),
                                begin(start, dots(9, infinity, 0))};
  for (const double pq : {0.0, -3.0, nan, infinity}) stopped.push_back(alpha_step(running, {{pq, 0}}));
  stopped.push_back(alpha_step(begin(start, dots(9, 0, 0)), {{3, 0}}));

  const State stepped = alpha_step(running, {{3, 0}});
  EXPECT_EQ(stepped.alpha, 2);
  EXPECT_EQ(stepped.minus_alpha, -2);
  stopped.push_back(beta_step(stepped, dots(1, 1.5, 0)));
  stopped.push_back(beta_step(stepped, dots(nan, 1.5, 0)));
  stopped.push_back(beta_step(stepped, dots(4, infinity, 0)));

  State pipelined = pipelined_step(start, dots(9, 6, 3));
  EXPECT_EQ(pipelined.alpha, 2);
  pipelined = pipelined_step(pipelined, dots(5, 3, 2.25));
  EXPECT_EQ(pipelined.beta, 0.5);
  EXPECT_EQ(pipelined.alpha, 2);
  stopped.push_back(pipelined_step(pipelined, dots(1, 3, 2.25)));
  stopped.push_back(pipelined_step(pipelined, dots(4, 3, 0.75)));
  stopped.push_back(pipelined_step(pipelined, dots(4, 0, 1)));
  stopped.push_back(pipelined_step(pipelined, dots(4, 3, nan)));

  for (State s : stopped) {
    EXPECT_NE(s.status, Status::running);
    const Status status = s.status;
    s = alpha_step(s, {{8, 0}});
    EXPECT_EQ(s.alpha, 0);
    s = beta_step(s, dots(100, 100, 0));
    s = pipelined_step(s, dots(100, 100, 100));
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.status, status);
  }
}

TEST_F(CgCudaSteps, Add) {
  Generator generator(10);
  for (int i = 0; i < 10; ++i) {
    const std::vector<Dots> parts = contributions(2, generator);
    Dots expected = parts[0];
    add(expected.rr, parts[1].rr);
    add(expected.rz, parts[1].rz);
    add(expected.wu, parts[1].wu);

    const auto dots = upload(std::vector<Dots>{parts[0]});
    const auto other = upload(std::vector<Dots>{parts[1]}, 1);
    cuda::add(dots.data(), other.data(), stream_);
    const Dots got = dots.values()[0];
    EXPECT_EQ(std::memcmp(&expected, &got, sizeof got), 0);
    EXPECT_EQ(std::memcmp(&parts[1], other.values().data(), sizeof got), 0);

    const auto sum = upload(std::vector<Sum>{parts[0].wu});
    const auto other_sum = upload(std::vector<Sum>{parts[1].wu}, 1);
    cuda::add(sum.data(), other_sum.data(), stream_);
    const Sum got_sum = sum.values()[0];
    EXPECT_EQ(std::memcmp(&expected.wu, &got_sum, sizeof got_sum), 0);
  }
}

}  // namespace
}  // namespace asterism::cg
