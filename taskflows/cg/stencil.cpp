#include "taskflows/cg/stencil.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "taskflows/runtime/error.hpp"

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
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  if (s.nx > limit || s.ny > limit || s.nz > limit || s.nx * s.ny > limit || s.nx * s.ny * s.nz > limit)
    bad_input("--stencil: a grid of {} x {} x {} points; expected fewer than 2^31", s.nx, s.ny, s.nz);
  const std::vector<Point> points = points_of(s.kind);
  CsrMatrix a;
  a.n = s.nx * s.ny * s.nz;
  a.name = fmt::format("{}-{}x{}x{}", name_of(s.kind), s.nx, s.ny, s.nz);
  a.row_begin = Array<std::int64_t>(static_cast<std::size_t>(a.n + 1));
  const auto inside = [](std::int64_t i, std::int64_t n) { return i >= 0 && i < n; };
  const std::int64_t lines = s.ny * s.nz;

  // entries of each grid line, then where each begins
  std::vector<std::int64_t> line_begin(static_cast<std::size_t>(lines + 1));
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < lines; ++line) {
    std::int64_t entries = 0;
    for (const Point& p : points)
      if (inside(line % s.ny + p.dy, s.ny) && inside(line / s.ny + p.dz, s.nz))
        entries += std::max<std::int64_t>(0, s.nx - (p.dx != 0 ? 1 : 0));
    line_begin[static_cast<std::size_t>(line) + 1] = entries;
  }
  for (std::size_t line = 0; line < static_cast<std::size_t>(lines); ++line) line_begin[line + 1] += line_begin[line];
  a.column = Array<std::int32_t>(static_cast<std::size_t>(line_begin.back()));
  a.value = Array<double>(static_cast<std::size_t>(line_begin.back()));
  a.row_begin[0] = 0;
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::int64_t y = line % s.ny;
    const std::int64_t z = line / s.ny;
    std::int64_t k = line_begin[static_cast<std::size_t>(line)];
    for (std::int64_t x = 0; x < s.nx; ++x) {
      const std::int64_t row = line * s.nx + x;
      for (const Point& p : points) {
        if (!inside(x + p.dx, s.nx) || !inside(y + p.dy, s.ny) || !inside(z + p.dz, s.nz)) continue;
        a.column[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(row + p.dx + s.nx * (p.dy + s.ny * p.dz));
        a.value[static_cast<std::size_t>(k)] = p.value;
        ++k;
      }
      a.row_begin[static_cast<std::size_t>(row) + 1] = k;
    }
  }
  return a;
}

}  // namespace asterism::cg
