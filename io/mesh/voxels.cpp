// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/voxels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "io/mesh/orientation.hpp"

namespace asterism::mesh {
namespace {

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
std::int32_t first_behind(const Corners& p, int from, double y, double z, const Lattice& lattice) {
  const auto behind = [&](std::int32_t i) {
    return from * orientation(p[0], p[1], p[2], {lattice.centre(0, i), y, z}) >= 0;
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
  const double guess = std::ceil(lattice.index(0, x));
  auto i = static_cast<std::int32_t>(std::clamp(guess, 0.0, static_cast<double>(lattice.cells[0])));
  while (i > 0 && behind(i - 1)) --i;
  while (i < lattice.cells[0] && !behind(i)) ++i;
  return i;
}

struct Range {
  std::int32_t begin, end;
};

/// Cells along an axis whose centres may lie in [low, high]; one more at both ends against rounding.
Range cells_between(const Lattice& lattice, std::size_t axis, double low, double high) {
  const auto n = static_cast<double>(lattice.cells[axis]);
  const auto within = [&](double i) { return static_cast<std::int32_t>(std::clamp(i, 0.0, n)); };
  return {within(std::floor(lattice.index(axis, low)) - 1), within(std::ceil(lattice.index(axis, high)) + 2)};
}

Range cells_of(const Corners& p, const Lattice& lattice, std::size_t axis) {
  const auto [low, high] = std::minmax({p[0][axis], p[1][axis], p[2][axis]});
  return cells_between(lattice, axis, low, high);
}

Corners corners(const TriangleMesh& body, std::size_t t) {
  Corners p;
  for (std::size_t c = 0; c < 3; ++c) p[c] = body.vertices[static_cast<std::size_t>(body.triangles[t][c])];
  return p;
}

/// Triangles by the planes of cells that they may meet: those of plane k are triangle[begin[k]], ..., begin[k + 1].
struct Planes {
  Planes(const TriangleMesh& body, const Lattice& lattice) : begin(static_cast<std::size_t>(lattice.cells[2]) + 1, 0) {
    const auto for_planes = [&](const auto& visit) {
      for (std::size_t t = 0; t < body.triangles.size(); ++t) {
        const Range planes = cells_of(corners(body, t), lattice, 2);
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

void check(const Lattice& lattice) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (lattice.cells[axis] < 1 || !(lattice.spacing[axis] > 0) || !std::isfinite(lattice.spacing[axis])) {
      bad_input("lattice: found {} cells of {}; expected positive numbers", fmt::join(lattice.cells, " x "),
                fmt::join(lattice.spacing, " x "));
    }
  }
}

}  // namespace

std::vector<std::uint8_t> voxelise(const TriangleMesh& body, const Lattice& lattice) {
  check(lattice);
  constexpr std::int32_t rows = 64;  // of a plane that a thread takes at once
  const std::int32_t parts = (lattice.cells[1] + rows - 1) / rows;
  const auto nx = static_cast<std::size_t>(lattice.cells[0]);
  const auto ny = static_cast<std::size_t>(lattice.cells[1]);
  const Planes planes(body, lattice);
  std::vector<std::uint8_t> voxels(lattice.size());
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t odd_row = none;
#pragma omp parallel for collapse(2) schedule(dynamic) reduction(min : odd_row)
  for (std::int32_t k = 0; k < lattice.cells[2]; ++k) {
    for (std::int32_t part = 0; part < parts; ++part) {
      const Range own{part * rows, std::min(lattice.cells[1], (part + 1) * rows)};
      const double z = lattice.centre(2, k);
      std::array<std::uint8_t, rows> parity{};
      for (std::size_t t = planes.begin[static_cast<std::size_t>(k)]; t < planes.begin[static_cast<std::size_t>(k) + 1];
           ++t) {
        const Corners p = corners(body, static_cast<std::size_t>(planes.triangle[t]));
        const Range met = cells_of(p, lattice, 1);
        for (std::int32_t j = std::max(own.begin, met.begin); j < std::min(own.end, met.end); ++j) {
          const double y = lattice.centre(1, j);
          const int from = crossing(p, y, z);
          if (from == 0) continue;
          parity[static_cast<std::size_t>(j - own.begin)] ^= 1U;
          const std::int32_t i = first_behind(p, from, y, z, lattice);
          if (i < lattice.cells[0]) {
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
        j + lattice.first[1], k + lattice.first[2], lattice.centre(1, j), lattice.centre(2, k));
  }
  return voxels;
}

}  // namespace asterism::mesh
