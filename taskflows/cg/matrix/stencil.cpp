// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/stencil.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "base/error.hpp"

namespace asterism::cg {
namespace {

struct Point {
  int dx, dy, dz;
  double value;
};

/// In ascending order of the column.
std::vector<Point> points_of(StencilKind kind) {
  switch (kind) {
    case StencilKind::points5:
      return {{0, -1, 0, -1}, {-1, 0, 0, -1}, {0, 0, 0, 4}, {1, 0, 0, -1}, {0, 1, 0, -1}};
    case StencilKind::points7:
      return {{0, 0, -1, -1}, {0, -1, 0, -1}, {-1, 0, 0, -1}, {0, 0, 0, 6},
              {1, 0, 0, -1},  {0, 1, 0, -1},  {0, 0, 1, -1}};
    case StencilKind::points11:
      break;
  }
  constexpr double corner = -1.0 / 6;
  constexpr double edge = -4.0 / 6;
  return {{0, 0, -1, -1},   {-1, -1, 0, corner}, {0, -1, 0, edge}, {1, -1, 0, corner},
          {-1, 0, 0, edge}, {0, 0, 0, 16.0 / 3}, {1, 0, 0, edge},  {-1, 1, 0, corner},
          {0, 1, 0, edge},  {1, 1, 0, corner},   {0, 0, 1, -1}};
}

bool inside(std::int64_t i, std::int64_t n) {
  return i >= 0 && i < n;
}

/// How many of 0, 1, ... end - 1 stay in [0, n) when `shift` is added.
std::int64_t inside_before(std::int64_t end, std::int64_t shift, std::int64_t n) {
  return std::max<std::int64_t>(0, std::min(end, n - shift) - std::max<std::int64_t>(0, -shift));
}

const char* name_of(StencilKind kind) {
  return kind == StencilKind::points5 ? "5pts" : kind == StencilKind::points7 ? "7pts" : "11pts";
}

}  // namespace

Stencil parse_stencil(const std::string& text) {
  constexpr const char* expected = "expected 5pts-N, 7pts-N, 11pts-N or a size per axis such as 11pts-64x48x32";
  Stencil s;
  const std::size_t dash = text.find('-');
  const std::string kind = text.substr(0, dash);
  if (kind == "5pts")
    s.kind = StencilKind::points5;
  else if (kind == "7pts")
    s.kind = StencilKind::points7;
  else if (kind == "11pts")
    s.kind = StencilKind::points11;
  else
    bad_input("--stencil {}: {}", text, expected);
  const std::size_t axes = s.kind == StencilKind::points5 ? 2 : 3;
  std::vector<std::int64_t> sizes;
  const char* at = dash == std::string::npos ? nullptr : text.data() + dash + 1;
  const char* end = text.data() + text.size();
  while (at != nullptr && sizes.size() < axes) {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc{} || size < 1) bad_input("--stencil {}: {}", text, expected);
    sizes.push_back(size);
    at = next == end ? nullptr : *next == 'x' ? next + 1 : end + 1;
    if (at != nullptr && at > end) bad_input("--stencil {}: {}", text, expected);
  }
  if (at != nullptr || (sizes.size() != 1 && sizes.size() != axes)) bad_input("--stencil {}: {}", text, expected);
  s.nx = sizes[0];
  s.ny = sizes.size() > 1 ? sizes[1] : s.nx;
  s.nz = axes == 2 ? 1 : sizes.size() > 2 ? sizes[2] : s.nx;
  return s;
}

CsrMatrix assemble_stencil(const Stencil& s) {
  return assemble_stencil(s, 0, row_counts(s).n);
}

RowCounts row_counts(const Stencil& s) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  if (s.nx > limit || s.ny > limit || s.nz > limit || s.nx * s.ny > limit || s.nx * s.ny * s.nz > limit)
    bad_input("--stencil: a grid of {} x {} x {} points; expected fewer than 2^31", s.nx, s.ny, s.nz);
  const auto entries_before = [s, points = points_of(s.kind)](std::int64_t row) {
    const std::int64_t x = row % s.nx;
    const std::int64_t y = row / s.nx % s.ny;
    const std::int64_t z = row / s.nx / s.ny;
    std::int64_t entries = 0;
    for (const Point& p : points) {  // whole planes, then whole lines, then points of a line
      entries += inside_before(z, p.dz, s.nz) * inside_before(s.ny, p.dy, s.ny) * inside_before(s.nx, p.dx, s.nx);
      if (!inside(z + p.dz, s.nz)) continue;
      entries += inside_before(y, p.dy, s.ny) * inside_before(s.nx, p.dx, s.nx);
      if (inside(y + p.dy, s.ny)) entries += inside_before(x, p.dx, s.nx);
    }
    return entries;
  };
  return {s.nx * s.ny * s.nz, fmt::format("{}-{}x{}x{}", name_of(s.kind), s.nx, s.ny, s.nz), entries_before};
}

CsrMatrix assemble_stencil(const Stencil& s, std::int64_t first, std::int64_t last) {
  const RowCounts counts = row_counts(s);
  const std::vector<Point> points = points_of(s.kind);
  const std::int64_t before = counts.entries_before(first);
  CsrMatrix a = room_for_rows(counts.n, counts.name, first, last, counts.entries_before(last) - before);
  // by grid lines, the first and the last of which may be cut
#pragma omp parallel for schedule(static)
  for (std::int64_t line = first / s.nx; line < (last + s.nx - 1) / s.nx; ++line) {
    const std::int64_t y = line % s.ny;
    const std::int64_t z = line / s.ny;
    const std::int64_t begin = std::max(first, line * s.nx);
    const std::int64_t end = std::min(last, (line + 1) * s.nx);
    std::int64_t k = counts.entries_before(begin) - before;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t x = row - line * s.nx;
      for (const Point& p : points) {
        if (!inside(x + p.dx, s.nx) || !inside(y + p.dy, s.ny) || !inside(z + p.dz, s.nz)) continue;
        a.column[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(row + p.dx + s.nx * (p.dy + s.ny * p.dz));
        a.value[static_cast<std::size_t>(k)] = p.value;
        ++k;
      }
      a.row_begin[static_cast<std::size_t>(row - first) + 1] = k;
    }
  }
  return a;
}

}  // namespace asterism::cg
