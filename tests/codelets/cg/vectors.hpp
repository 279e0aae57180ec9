// SPDX-License-Identifier: Apache-2.0
// What the tests of conjugate gradient's CPU kernels share: sizes, and vectors that are compared exactly. Integer data
// is exact in any order of operations; on real data the kernels promise an order and fused multiply-adds, so every
// comparison is of equality. Compile with -ffp-contract=off (see reference.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "codelets/cg/kernels/kernels.hpp"
#include "tests/codelets/reference.hpp"

namespace asterism::cg {

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
inline const std::vector<std::int64_t> sizes = {0, 1, 7, 15, 16, 17, 31, 32, 33, 511, 512, 513, 597, 1000, 1543};
inline const std::vector<std::size_t> offsets = {0, 1};
inline const std::vector<Numbers> both = {Numbers::integer, Numbers::real};

inline std::string where(std::int64_t n, std::size_t offset, Numbers numbers) {
  return "n = " + std::to_string(n) + ", offset " + std::to_string(offset) +
         (numbers == Numbers::integer ? ", integers" : ", reals");
}

/// Equal element by element (0 and -0 are), and nothing written outside.
inline ::testing::AssertionResult equal(const Vector& expected, const Guarded& actual) {
  if (!actual.intact()) return ::testing::AssertionFailure() << "written outside the vector";
  const Vector values = actual.values();
  if (values.size() != expected.size()) return ::testing::AssertionFailure() << "sizes differ";
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] == expected[i]))
      return ::testing::AssertionFailure() << "element " << i << ": " << values[i] << " instead of " << expected[i];
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult same_bits(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << "sizes differ";
  if (!a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) != 0)
    return ::testing::AssertionFailure() << "bits differ";
  return ::testing::AssertionSuccess();
}

}  // namespace asterism::cg
