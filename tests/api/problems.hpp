// SPDX-License-Identifier: Apache-2.0
// Matrices and charges of the tests of the library, and answers that share no code with it.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

#include <asterism/error.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace asterism::tests {

/// A matrix in compressed sparse rows.
struct Csr {
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;

  [[nodiscard]] std::size_t rows() const { return begin.size() - 1; }
};

/// Seven points on a grid of nx, ny, nz nodes, with other weights along each axis: -1, -0.3 and -0.05.
inline Csr anisotropic_grid(int nx, int ny, int nz) {
  constexpr double weight[3] = {1, 0.3, 0.05};
  Csr a;
  const int size[3] = {nx, ny, nz};
  const int step[3] = {1, nx, nx * ny};
  for (int row = 0; row < nx * ny * nz; ++row) {
    const int at[3] = {row % nx, row / nx % ny, row / (nx * ny)};
    const auto add = [&](int column, double value) {
      a.column.push_back(column);
      a.value.push_back(value);
    };
    for (int d = 2; d >= 0; --d)
      if (at[d] > 0) add(row - step[d], -weight[d]);
    add(row, 2 * (weight[0] + weight[1] + weight[2]) + 1e-3 * (row % 5));
    for (int d = 0; d < 3; ++d)
      if (at[d] + 1 < size[d]) add(row + step[d], -weight[d]);
    a.begin.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  return a;
}

/// ||b - A x|| / ||b||
inline double residual(const Csr& a, std::span<const double> b, std::span<const double> x) {
  long double rr = 0, bb = 0;
  for (std::size_t row = 0; row < a.rows(); ++row) {
    long double r = b[row];
    for (auto k = static_cast<std::size_t>(a.begin[row]); k < static_cast<std::size_t>(a.begin[row + 1]); ++k)
      r -= static_cast<long double>(a.value[k]) * x[static_cast<std::size_t>(a.column[k])];
    rr += r * r;
    bb += static_cast<long double>(b[row]) * b[row];
  }
  return static_cast<double>(std::sqrt(rr / bb));
}

inline std::vector<double> random_values(std::size_t n, unsigned seed, double low = -1, double high = 1) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> values(n);
  for (double& value : values) value = uniform(generator);
  return values;
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Whether this build counts what is allocated: sanitizers bring an allocator of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool counts_memory = false;
#else
inline constexpr bool counts_memory = true;
#endif

/// Bytes that the process has allocated.
inline double allocated_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
}

/// `call` throws Error of this kind in one line that contains all `words`.
template <class Call>
void expect_error(const Call& call, Error::Kind kind, const std::vector<std::string>& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown; expected " << words.front();
  } catch (const Error& error) {
    const std::string line = error.what();
    EXPECT_EQ(error.kind(), kind) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    for (const std::string& word : words)
      EXPECT_NE(line.find(word), std::string::npos) << word << " is not in: " << line;
  }
}
template <class Call>
void expect_bad_input(const Call& call, const std::vector<std::string>& words) {
  expect_error(call, Error::Kind::bad_input, words);
}

}  // namespace asterism::tests
