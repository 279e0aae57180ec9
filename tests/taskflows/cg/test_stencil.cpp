// SPDX-License-Identifier: Apache-2.0
// The generated matrices: against a dense construction from the geometry. StarPU is never started.
#include "base/as_size.hpp"
#include "taskflows/cg/matrix/stencil.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/io/files_fixture.hpp"
#include "tests/taskflows/cg/matrices.hpp"

namespace asterism::cg {
namespace {

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

/// From the geometry: every pair of points, their distance along each axis, the value that belongs to it.
Entries dense_stencil(StencilKind kind, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  const std::int64_t n = nx * ny * nz;
  Entries dense;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const auto dx = std::abs(i % nx - j % nx);
      const auto dy = std::abs(i / nx % ny - j / nx % ny);
      const auto dz = std::abs(i / (nx * ny) - j / (nx * ny));
      double value = 0;
      if (kind == StencilKind::points11) {
        // in sixths: [-1 -4 -1; -4 20 -4; -1 -4 -1] in the plane, 6 [-1 2 -1] along z
        const int plane[2][2] = {{20, -4}, {-4, -1}};
        int sixths = 0;
        if (dz == 0 && dx <= 1 && dy <= 1) sixths += plane[dx][dy];
        if (dx == 0 && dy == 0 && dz <= 1) sixths += dz == 0 ? 12 : -6;
        value = sixths / 6.0;
      } else {
        const auto distance = dx + dy + dz;
        value = distance == 0 ? (kind == StencilKind::points5 ? 4 : 6) : distance == 1 ? -1 : 0;
      }
      if (value != 0) dense[{i, j}] = value;
    }
  return dense;
}

Entries dense_of(const CsrMatrix& a) {
  Entries dense;
  for (std::int64_t i = 0; i < a.n; ++i)
    for (std::int64_t k = a.row_begin[as_size(i)]; k < a.row_begin[as_size(i + 1)]; ++k) {
      if (k > a.row_begin[as_size(i)]) {
        EXPECT_LT(a.column[as_size(k - 1)], a.column[as_size(k)]) << "row " << i;
      }
      dense[{i, a.column[as_size(k)]}] = a.value[as_size(k)];
    }
  return dense;
}

TEST(Stencil, AgreesWithTheGeometry) {
  const auto check = [](const std::string& text, StencilKind kind, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    SCOPED_TRACE(text);
    const CsrMatrix a = assemble_stencil(parse_stencil(text));
    EXPECT_EQ(a.n, nx * ny * nz);
    EXPECT_TRUE(dense_of(a) == dense_stencil(kind, nx, ny, nz));
  };
  check("11pts-5x7x3", StencilKind::points11, 5, 7, 3);
  check("7pts-5x7x3", StencilKind::points7, 5, 7, 3);
  check("5pts-5x7", StencilKind::points5, 5, 7, 1);
  check("11pts-4", StencilKind::points11, 4, 4, 4);
  check("7pts-4", StencilKind::points7, 4, 4, 4);
  check("5pts-6", StencilKind::points5, 6, 6, 1);
  // lines, planes and a point: neighbours missing on both sides
  check("11pts-1x7x1", StencilKind::points11, 1, 7, 1);
  check("11pts-9x1x1", StencilKind::points11, 9, 1, 1);
  check("11pts-1x1x6", StencilKind::points11, 1, 1, 6);
  check("7pts-1x5x4", StencilKind::points7, 1, 5, 4);
  check("5pts-1", StencilKind::points5, 1, 1, 1);
  check("11pts-1", StencilKind::points11, 1, 1, 1);
}

TEST(Stencil, CountsOfTheCube) {
  for (const std::int64_t n : {1, 2, 3, 8, 16, 33})
    EXPECT_EQ(assemble_stencil({StencilKind::points11, n, n, n}).nnz(), 11 * n * n * n - 14 * n * n + 4 * n) << n;
  EXPECT_EQ(assemble_stencil({StencilKind::points7, 6, 6, 6}).nnz(), 7 * 216 - 6 * 36);
  EXPECT_EQ(assemble_stencil({StencilKind::points5, 9, 9, 1}).nnz(), 5 * 81 - 4 * 9);
}

TEST(Stencil, SymmetricWithZeroRowSumsInside) {
  for (const char* text : {"11pts-6x5x4", "7pts-6x5x4", "5pts-6x5"}) {
    SCOPED_TRACE(text);
    const Stencil s = parse_stencil(text);
    const CsrMatrix a = assemble_stencil(s);
    const Entries dense = dense_of(a);
    std::vector<double> sum(as_size(a.n));
    for (const auto& [place, value] : dense) {
      const auto mirror = dense.find({place.second, place.first});
      ASSERT_TRUE(mirror != dense.end());
      EXPECT_EQ(mirror->second, value);
      sum[as_size(place.first)] += value;
    }
    for (std::int64_t i = 0; i < a.n; ++i) {
      const std::int64_t x = i % s.nx;
      const std::int64_t y = i / s.nx % s.ny;
      const std::int64_t z = i / (s.nx * s.ny);
      const bool inside = x > 0 && x + 1 < s.nx && y > 0 && y + 1 < s.ny && (s.nz == 1 || (z > 0 && z + 1 < s.nz));
      if (inside) {
        EXPECT_NEAR(sum[as_size(i)], 0, 4e-15) << i;
      } else {
        EXPECT_GT(sum[as_size(i)], 0.1) << i;
      }
    }
  }
}

TEST(Stencil, Parse) {
  const Stencil box = parse_stencil("11pts-64x48x32");
  EXPECT_TRUE(box.kind == StencilKind::points11 && box.nx == 64 && box.ny == 48 && box.nz == 32);
  const Stencil cube = parse_stencil("7pts-64");
  EXPECT_TRUE(cube.kind == StencilKind::points7 && cube.nx == 64 && cube.ny == 64 && cube.nz == 64);
  const Stencil square = parse_stencil("5pts-1000");
  EXPECT_TRUE(square.kind == StencilKind::points5 && square.nx == 1000 && square.ny == 1000 && square.nz == 1);
  const Stencil rectangle = parse_stencil("5pts-300x200");
  EXPECT_TRUE(rectangle.nx == 300 && rectangle.ny == 200 && rectangle.nz == 1);
  for (const char* text : {"",
                           "11pts",
                           "11pts-",
                           "9pts-10",
                           "11pts-0",
                           "11pts--3",
                           "11pts-10x10",
                           "11pts-10x10x10x10",
                           "11pts-10x",
                           "11pts-10x10x",
                           "11pts-10y10y10",
                           "11pts-10 ",
                           "11pts- 10",
                           "11pts-1e3",
                           "11pts-10.5",
                           "5pts-10x10x10",
                           "5pts-x10",
                           "7pts-99999999999999999999",
                           "11PTS-10",
                           "-10",
                           "11pts-+3",
                           "7pts-3x0x3"})
    expect_bad_input([&] { parse_stencil(text); }, {fmt::format("--stencil {}", text), "11pts-64x48x32"});
}

TEST(Stencil, RefusesTooManyPoints) {
  for (const char* text : {"11pts-1291", "5pts-46341", "7pts-2000x2000x2000", "5pts-3000000000x1",
                           "7pts-4000000000x4000000000x4000000000"})
    expect_bad_input([&] { assemble_stencil(parse_stencil(text)); }, {"--stencil", "2^31"});
}

void expect_same_rows(const CsrMatrix& part, const CsrMatrix& whole, std::int64_t first, std::int64_t last) {
  SCOPED_TRACE(std::to_string(first) + " to " + std::to_string(last));
  ASSERT_EQ(part.n, whole.n);
  ASSERT_EQ(part.first_row, first);
  ASSERT_EQ(part.rows(), last - first);
  ASSERT_EQ(part.nnz(), whole.row_begin[as_size(last)] - whole.row_begin[as_size(first)]);
  for (std::int64_t row = first; row <= last; ++row)
    ASSERT_EQ(part.begin_of(row), whole.row_begin[as_size(row)] - whole.row_begin[as_size(first)]);
  for (std::int64_t k = 0; k < part.nnz(); ++k) {
    ASSERT_EQ(part.column[as_size(k)], whole.column[as_size(whole.row_begin[as_size(first)] + k)]);
    ASSERT_EQ(part.value[as_size(k)], whole.value[as_size(whole.row_begin[as_size(first)] + k)]);
  }
}

TEST(Stencil, AnyRowsAreThoseOfTheWholeMatrix) {
  for (const char* name : {"5pts-7x5", "7pts-5x4x3", "11pts-4x3x5", "7pts-1x1x9", "11pts-6x1x2"}) {
    SCOPED_TRACE(name);
    const Stencil stencil = parse_stencil(name);
    const CsrMatrix whole = assemble_stencil(stencil);
    const RowCounts counts = row_counts(stencil);
    EXPECT_EQ(counts.n, whole.n);
    EXPECT_EQ(counts.name, whole.name);
    for (std::int64_t row = 0; row <= whole.n; ++row)
      ASSERT_EQ(counts.entries_before(row), whole.row_begin[as_size(row)]) << row;
    for (std::int64_t first = 0; first <= whole.n; ++first)
      for (const std::int64_t last : {first, first + 1, first + 5, whole.n})
        if (last <= whole.n) {
          expect_same_rows(assemble_stencil(stencil, first, last), whole, first, last);
          expect_same_rows(rows_of(whole, first, last), whole, first, last);
        }
  }
}

}  // namespace
}  // namespace asterism::cg
