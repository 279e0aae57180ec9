#include "taskflows/lbm/voxels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taskflows/mesh/orientation.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::lbm {
namespace {

using mesh::orientation;
using Point = std::array<double, 3>;
using Corners = std::array<Point, 3>;

/// Seen along x: on which side of the edge the ray at (y, z) passes. A ray that meets the edge is moved by an
/// infinitesimal amount along y and by one that is smaller still along z, the same for all triangles.
int side(const Point& a, const Point& b, double y, double z) {
  const int exact = orientation({a[1], a[2]}, {b[1], b[2]}, {y, z});
  if (exact != 0) return exact;
  if (a[2] != b[2]) return a[2] > b[2] ? 1 : -1;
  return a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0;
}

/// 0: the ray misses the triangle; else which side of the triangle it comes from.
int crossing(const Corners& p, double y, double z) {
  const int first = side(p[0], p[1], y, z);
  return first != 0 && first == side(p[1], p[2], y, z) && first == side(p[2], p[0], y, z) ? first : 0;
}

/// The first cell of a row whose centre does not lie before the triangle, nx if none.
std::int32_t first_behind(const Corners& p, int from, double y, double z, const Grid& grid) {
  const auto behind = [&](std::int32_t i) {
    return from * orientation(p[0], p[1], p[2], {grid.centre(0, i), y, z}) >= 0;
  };
  // where the plane of the triangle is, rounded; the signs decide
  Point normal{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t u = (d + 1) % 3;
    const std::size_t v = (d + 2) % 3;
    normal[d] = (p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) - (p[1][v] - p[0][v]) * (p[2][u] - p[0][u]);
  }
  const auto [low, high] = std::minmax({p[0][0], p[1][0], p[2][0]});
  double x = p[0][0] - (normal[1] * (y - p[0][1]) + normal[2] * (z - p[0][2])) / normal[0];
  x = x >= low && x <= high ? x : low;
  const double guess = std::ceil((x - grid.origin[0]) / grid.spacing - 0.5);
  auto i = static_cast<std::int32_t>(std::clamp(guess, 0.0, static_cast<double>(grid.nx)));
  while (i > 0 && behind(i - 1)) --i;
  while (i < grid.nx && !behind(i)) ++i;
  return i;
}

struct Range {
  std::int32_t begin, end;
};

/// Cells along an axis whose centres may lie in [low, high]; one more at both ends against rounding.
Range cells_between(const Grid& grid, std::size_t axis, std::int32_t n, double low, double high) {
  const auto cell = [&](double x) { return (x - grid.origin[axis]) / grid.spacing - 0.5; };
  const auto within = [&](double i) { return static_cast<std::int32_t>(std::clamp(i, 0.0, static_cast<double>(n))); };
  return {within(std::floor(cell(low)) - 1), within(std::ceil(cell(high)) + 2)};
}

Range cells_of(const Corners& p, const Grid& grid, std::size_t axis, std::int32_t n) {
  const auto [low, high] = std::minmax({p[0][axis], p[1][axis], p[2][axis]});
  return cells_between(grid, axis, n, low, high);
}

Corners corners(const mesh::TriangleMesh& body, std::size_t t) {
  Corners p;
  for (std::size_t c = 0; c < 3; ++c) p[c] = body.vertices[static_cast<std::size_t>(body.triangles[t][c])];
  return p;
}

/// Triangles by the planes of cells that they may meet: those of plane k are triangle[begin[k]], ..., begin[k + 1].
struct Planes {
  Planes(const mesh::TriangleMesh& body, const Grid& grid) : begin(static_cast<std::size_t>(grid.nz) + 1, 0) {
    const auto for_planes = [&](const auto& visit) {
      for (std::size_t t = 0; t < body.triangles.size(); ++t) {
        const Range planes = cells_of(corners(body, t), grid, 2, grid.nz);
        for (std::int32_t k = planes.begin; k < planes.end; ++k) visit(static_cast<std::size_t>(k), t);
      }
    };
    for_planes([&](std::size_t k, std::size_t) { ++begin[k + 1]; });
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    triangle.resize(begin.back());
    std::vector<std::size_t> next = begin;
    for_planes([&](std::size_t k, std::size_t t) { triangle[next[k]++] = static_cast<std::int32_t>(t); });
  }

  std::vector<std::size_t> begin;
  std::vector<std::int32_t> triangle;
};

void check(const Grid& grid) {
  if (grid.nx < 1 || grid.ny < 1 || grid.nz < 1 || !(grid.spacing > 0) || !std::isfinite(grid.spacing)) {
    bad_input("lattice: found {} x {} x {} cells of {}; expected positive numbers", grid.nx, grid.ny, grid.nz,
              grid.spacing);
  }
}

/// Every cell is 1 where inside(x, y, z) of its centre holds.
template <class Inside>
Voxels fill(const Grid& grid, const Inside& inside) {
  check(grid);
  Voxels voxels(grid.cells());
#pragma omp parallel for collapse(2)
  for (std::int32_t k = 0; k < grid.nz; ++k) {
    for (std::int32_t j = 0; j < grid.ny; ++j) {
      std::uint8_t* row = voxels.data() + (static_cast<std::size_t>(k) * static_cast<std::size_t>(grid.ny) +
                                           static_cast<std::size_t>(j)) *
                                              static_cast<std::size_t>(grid.nx);
      for (std::int32_t i = 0; i < grid.nx; ++i) {
        row[i] = inside({grid.centre(0, i), grid.centre(1, j), grid.centre(2, k)}) ? 1 : 0;
      }
    }
  }
  return voxels;
}

void check_size(double size, const char* what) {
  if (!(size > 0) || !std::isfinite(size)) bad_input("{}: found {}; expected a positive number", what, size);
}

}  // namespace

Voxels voxelise(const mesh::TriangleMesh& body, const Grid& grid) {
  check(grid);
  constexpr std::int32_t rows = 64;  // of a plane that a thread takes at once
  const std::int32_t parts = (grid.ny + rows - 1) / rows;
  const auto nx = static_cast<std::size_t>(grid.nx);
  const auto ny = static_cast<std::size_t>(grid.ny);
  const Planes planes(body, grid);
  Voxels voxels(grid.cells());
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t odd_row = none;
#pragma omp parallel for collapse(2) schedule(dynamic) reduction(min : odd_row)
  for (std::int32_t k = 0; k < grid.nz; ++k) {
    for (std::int32_t part = 0; part < parts; ++part) {
      const Range own{part * rows, std::min(grid.ny, (part + 1) * rows)};
      const double z = grid.centre(2, k);
      std::array<std::uint8_t, rows> parity{};
      for (std::size_t t = planes.begin[static_cast<std::size_t>(k)]; t < planes.begin[static_cast<std::size_t>(k) + 1];
           ++t) {
        const Corners p = corners(body, static_cast<std::size_t>(planes.triangle[t]));
        const Range met = cells_of(p, grid, 1, grid.ny);
        for (std::int32_t j = std::max(own.begin, met.begin); j < std::min(own.end, met.end); ++j) {
          const double y = grid.centre(1, j);
          const int from = crossing(p, y, z);
          if (from == 0) continue;
          parity[static_cast<std::size_t>(j - own.begin)] ^= 1U;
          const std::int32_t i = first_behind(p, from, y, z, grid);
          if (i < grid.nx) {
            voxels[(static_cast<std::size_t>(k) * ny + static_cast<std::size_t>(j)) * nx +
                   static_cast<std::size_t>(i)] ^= 1U;
          }
        }
      }
      // so far 1 where the row enters or leaves the body
      for (std::int32_t j = own.begin; j < own.end; ++j) {
        const std::size_t row = static_cast<std::size_t>(k) * ny + static_cast<std::size_t>(j);
        if (parity[static_cast<std::size_t>(j - own.begin)] != 0) odd_row = std::min(odd_row, row);
        for (std::size_t i = 1; i < nx; ++i) voxels[row * nx + i] ^= voxels[row * nx + i - 1];
      }
    }
  }
  if (odd_row != none) {
    const auto j = static_cast<std::int32_t>(odd_row % ny);
    const auto k = static_cast<std::int32_t>(odd_row / ny);
    bad_input(
        "mesh: the ray along x through row y = {}, z = {} of the lattice (at {}, {}) meets the surface an odd number "
        "of "
        "times; expected a closed surface",
        j, k, grid.centre(1, j), grid.centre(2, k));
  }
  return voxels;
}

Voxels voxelise(const Sphere& body, const Grid& grid) {
  check_size(body.radius, "radius of a sphere");
  return fill(grid, [&](const Point& p) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) square += (p[d] - body.centre[d]) * (p[d] - body.centre[d]);
    return square < body.radius * body.radius;
  });
}

Voxels voxelise(const Cuboid& body, const Grid& grid) {
  for (std::size_t d = 0; d < 3; ++d) check_size(body.high[d] - body.low[d], "side of a cuboid");
  return fill(grid, [&](const Point& p) {
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) inside = inside && body.low[d] <= p[d] && p[d] < body.high[d];
    return inside;
  });
}

Voxels voxelise(const Cylinder& body, const Grid& grid) {
  check_size(body.radius, "radius of a cylinder");
  check_size(body.height, "height of a cylinder");
  if (body.axis > 2) bad_input("axis of a cylinder: found {}; expected 0, 1 or 2", body.axis);
  return fill(grid, [&](const Point& p) {
    const double along = p[body.axis] - body.centre[body.axis];
    const double u = p[(body.axis + 1) % 3] - body.centre[(body.axis + 1) % 3];
    const double v = p[(body.axis + 2) % 3] - body.centre[(body.axis + 2) % 3];
    return along >= 0 && along < body.height && u * u + v * v < body.radius * body.radius;
  });
}

}  // namespace asterism::lbm
