// SPDX-License-Identifier: Apache-2.0
// What the tests of the CUDA kernels of conjugate gradient share: comparisons bit for bit, and data on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/cg/kernels/kernels.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/reference.hpp"

namespace asterism::cg {

/// Around a warp, a thread block of 256, its tile of 1024, and more tiles than the grid has blocks.
inline const std::vector<std::int64_t> sizes = {0,   1,   7,    31,   32,   33,   255,       256,
                                                257, 597, 1023, 1024, 1025, 4099, 1'000'003, 4096 * 1024 + 771};

inline ::testing::AssertionResult same_bits(const reference::Vector& expected, const reference::Vector& actual) {
  if (expected.size() != actual.size()) return ::testing::AssertionFailure() << "sizes differ";
  if (expected.empty() || std::memcmp(expected.data(), actual.data(), expected.size() * sizeof(double)) == 0)
    return ::testing::AssertionSuccess();
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!reference::same_bits(expected[i], actual[i]))
      return ::testing::AssertionFailure()
             << "element " << i << " of " << expected.size() << ": " << actual[i] << " instead of " << expected[i];
  return ::testing::AssertionFailure() << "unreachable";
}

inline ::testing::AssertionResult same_bits(double expected, double actual) {
  return same_bits(reference::Vector{expected}, reference::Vector{actual});
}

/// The bits of NaN are no promise: x86 and GPUs make different ones.
inline ::testing::AssertionResult same_number(double expected, double actual) {
  if (expected != expected && actual != actual) return ::testing::AssertionSuccess();
  return same_bits(expected, actual);
}

inline void expect_same_values(const Dots& expected, const Dots& actual) {
  EXPECT_TRUE(same_bits(value(expected.rr), value(actual.rr)));
  EXPECT_TRUE(same_bits(value(expected.rz), value(actual.rz)));
  EXPECT_TRUE(same_bits(value(expected.wu), value(actual.wu)));
}

inline void expect_same(const State& expected, const State& actual) {
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
  EXPECT_EQ(expected.replaced, actual.replaced);
  EXPECT_EQ(expected.drifts, actual.drifts);
  EXPECT_TRUE(same_number(expected.drifted_rr, actual.drifted_rr));
}

inline void expect_same(const HistoryEntry& expected, const HistoryEntry& actual) {
  EXPECT_TRUE(same_number(expected.rr, actual.rr));
  EXPECT_TRUE(same_number(expected.pq, actual.pq));
  EXPECT_EQ(expected.status, actual.status);
  EXPECT_EQ(expected.iteration, actual.iteration);
}

class CgCuda : public CudaTest {
 protected:
  template <class T>
  [[nodiscard]] DeviceArray<T> poisoned(std::int64_t n, std::size_t offset = 0) const {
    return DeviceArray<T>(stream_, as_size(n), offset);
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

/// Block sizes, and numbers of blocks: few, around the rows that a thread block takes, more than the grid takes.
inline std::vector<std::pair<std::int64_t, int>> preconditioned_sizes() {
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

}  // namespace asterism::cg
