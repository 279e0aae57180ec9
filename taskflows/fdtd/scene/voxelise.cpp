// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/voxelise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "base/error.hpp"
#include "io/mesh/surface.hpp"
#include "io/mesh/voxels.hpp"
#include "taskflows/fdtd/scene/box.hpp"
#include "taskflows/fdtd/scene/voxel_file.hpp"

namespace asterism::fdtd::scene {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Bounds {
  Vector low, high;
};

Bounds bounds(const Cuboid& c) {
  return {c.low, c.high};
}
Bounds bounds(const Ellipsoid& e) {
  Bounds b{};
  for (std::size_t a = 0; a < 3; ++a) {
    b.low[a] = e.centre[a] - e.semi_axes[a];
    b.high[a] = e.centre[a] + e.semi_axes[a];
  }
  return b;
}
Bounds bounds(const Cylinder& c) {
  Vector axis{};
  for (std::size_t a = 0; a < 3; ++a) axis[a] = c.to[a] - c.from[a];
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  Bounds b{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double cosine = axis[a] / length;
    const double reach = c.radius * std::sqrt(std::max(0.0, 1 - cosine * cosine));
    b.low[a] = std::min(c.from[a], c.to[a]) - reach;
    b.high[a] = std::max(c.from[a], c.to[a]) + reach;
  }
  return b;
}
Bounds bounds(const mesh::TriangleMesh& m) {
  Bounds b{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Vector& p : m.vertices) {
    for (std::size_t a = 0; a < 3; ++a) {
      b.low[a] = std::min(b.low[a], p[a]);
      b.high[a] = std::max(b.high[a], p[a]);
    }
  }
  return b;
}

/// Cells whose centres lie within bounds.
Box cells_within(const Bounds& b, const Grid& grid) {
  std::int32_t range[3][2];
  for (std::size_t a = 0; a < 3; ++a) {
    const double n = grid.cells[a];
    const auto cell = [&](double x) { return grid.index(a, x) - 0.5; };
    // one more at both ends against rounding, then those that are not inside go
    auto begin = static_cast<std::int32_t>(std::clamp(std::floor(cell(b.low[a])) - 1, 0.0, n));
    auto end = static_cast<std::int32_t>(std::clamp(std::ceil(cell(b.high[a])) + 2, 0.0, n));
    while (begin < end && grid.centre(a, begin) < b.low[a]) ++begin;
    while (begin < end && grid.centre(a, end - 1) > b.high[a]) --end;
    range[a][0] = begin;
    range[a][1] = end;
  }
  return {range[0][0], range[0][1], range[1][0], range[1][1], range[2][0], range[2][1]};
}

bool inside(const Cuboid& c, const Vector& p) {
  return c.low[0] <= p[0] && p[0] < c.high[0] && c.low[1] <= p[1] && p[1] < c.high[1] && c.low[2] <= p[2] &&
         p[2] < c.high[2];
}
bool inside(const Ellipsoid& e, const Vector& p) {
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double x = (p[a] - e.centre[a]) / e.semi_axes[a];
    sum += x * x;
  }
  return sum < 1;
}
bool inside(const Cylinder& c, const Vector& p) {
  double along = 0;
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double axis = c.to[a] - c.from[a];
    along += (p[a] - c.from[a]) * axis;
    square += axis * axis;
  }
  if (!(along >= 0 && along < square)) return false;
  double across = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double x = p[a] - c.from[a] - along / square * (c.to[a] - c.from[a]);
    across += x * x;
  }
  return across < c.radius * c.radius;
}
bool inside(const HalfSpace& h, const Vector& p) {
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) sum += (p[a] - h.point[a]) * h.normal[a];
  return sum < 0;
}

template <class Shape>
void paint(const Shape& shape, const Box& covered, std::uint16_t material, const Grid& grid, const Canvas& canvas) {
  const Box b = intersection(covered, canvas.box);
  constexpr std::int64_t worth_a_team = 1 << 18;
#pragma omp parallel for collapse(2) if (b.cells() > worth_a_team)
  for (std::int32_t i = b.x0; i < b.x1; ++i) {
    for (std::int32_t j = b.y0; j < b.y1; ++j) {
      std::uint16_t* row = canvas.row(i, j) - canvas.box.z0;
      for (std::int32_t k = b.z0; k < b.z1; ++k) {
        if (inside(shape, {grid.centre(0, i), grid.centre(1, j), grid.centre(2, k)})) row[k] = material;
      }
    }
  }
}

/// Its vertices have x and z exchanged: voxelise has x fastest, cells here z.
void paint(const mesh::TriangleMesh& body, const Box& covered, std::uint16_t material, const Grid& grid,
           const Canvas& canvas) {
  const Box box = intersection(covered, canvas.box);
  if (box.empty()) return;
  constexpr std::int64_t most = std::int64_t{1} << 26;  // cells at once
  const std::int64_t plane = std::int64_t{box.y1 - box.y0} * (box.z1 - box.z0);
  const auto planes = static_cast<std::int32_t>(std::clamp<std::int64_t>(most / plane, 1, 1 << 16));
  for (std::int32_t x0 = box.x0; x0 < box.x1; x0 += planes) {
    const std::int32_t x1 = std::min(box.x1, x0 + planes);
    const mesh::Lattice lattice{.cells = {box.z1 - box.z0, box.y1 - box.y0, x1 - x0},
                                .origin = {grid.origin[2], grid.origin[1], grid.origin[0]},
                                .spacing = {grid.spacing[2], grid.spacing[1], grid.spacing[0]},
                                .first = {box.z0, box.y0, x0},
                                .planes = {grid.planes[2], grid.planes[1], grid.planes[0]}};
    const std::vector<std::uint8_t> voxels = mesh::voxelise(body, lattice);
    const std::uint8_t* next = voxels.data();
    for (std::int32_t i = x0; i < x1; ++i) {
      for (std::int32_t j = box.y0; j < box.y1; ++j) {
        std::uint16_t* row = canvas.row(i, j) - canvas.box.z0;
        for (std::int32_t k = box.z0; k < box.z1; ++k) {
          if (*next++ != 0) row[k] = material;
        }
      }
    }
  }
}

mesh::TriangleMesh read_body(const Mesh& from, const std::string& where) {
  mesh::TriangleMesh body = mesh::read_mesh(from.file);
  const mesh::SurfaceReport report = mesh::check_closed_surface(body);
  if (!report.closed()) {
    bad_input("{}: {}: found {}; expected a closed surface", where, from.file.string(), report.describe());
  }
  for (Vector& p : body.vertices) {
    for (double& x : p) x *= from.scale;
  }
  mesh::place(body, from.placement);
  return body;
}

[[noreturn]] void holds_nothing(const Object& object) {
  bad_input(
      "{}: found a body that holds no centre of a cell of the grid; expected one that is not wholly outside, nor "
      "thinner than a cell",
      object.where);
}

/// What paints a body, of the shape that it has.
using Paint = std::function<void(const Canvas&)>;

template <class Shape>
Paint body(const Shape& shape, const Object& object, const Grid& grid) {
  const Box covered = cells_within(bounds(shape), grid);
  if (covered.empty()) holds_nothing(object);
  return [=, material = object.material](const Canvas& canvas) { paint(shape, covered, material, grid, canvas); };
}

/// Convex and unbounded: it holds a centre exactly when it holds one of the eight in the corners.
Paint body(const HalfSpace& shape, const Object& object, const Grid& grid) {
  bool holds_one = false;
  for (int corner = 0; corner < 8; ++corner) {
    Vector p{};
    for (std::size_t a = 0; a < 3; ++a) p[a] = grid.centre(a, (corner >> a & 1) != 0 ? grid.cells[a] - 1 : 0);
    holds_one = holds_one || inside(shape, p);
  }
  if (!holds_one) holds_nothing(object);
  return [=, material = object.material, all = grid.box()](const Canvas& canvas) {
    paint(shape, all, material, grid, canvas);
  };
}

Paint body(const Mesh& shape, const Object& object, const Grid& grid) {
  auto surface = std::make_shared<mesh::TriangleMesh>(read_body(shape, object.where));
  const Box covered = cells_within(bounds(*surface), grid);
  if (covered.empty()) holds_nothing(object);
  for (Vector& p : surface->vertices) std::swap(p[0], p[2]);
  return [=, material = object.material](const Canvas& canvas) { paint(*surface, covered, material, grid, canvas); };
}

constexpr std::uint16_t unpainted = 0xffff;

/// Each voxel is so many cells of the canvas along each axis.
void paint_magnified(const VoxelFile& shape, const Box& covered, int times, const Canvas& canvas) {
  const auto down = [&](std::int32_t at) { return at / times; };
  const auto up = [&](std::int32_t at) { return (at + times - 1) / times; };
  const Box& b = canvas.box;
  const Box coarse{down(b.x0), up(b.x1), down(b.y0), up(b.y1), down(b.z0), up(b.z1)};
  std::vector<std::uint16_t> voxels(static_cast<std::size_t>(coarse.cells()), unpainted);
  const Canvas painted{coarse, voxels.data()};
  paint_voxels(shape, covered, painted);
  for (std::int32_t i = b.x0; i < b.x1; ++i)
    for (std::int32_t j = b.y0; j < b.y1; ++j) {
      const std::uint16_t* const from = painted.row(down(i), down(j)) - coarse.z0;
      std::uint16_t* const to = canvas.row(i, j) - b.z0;
      for (std::int32_t k = b.z0; k < b.z1; ++k)
        if (from[down(k)] != unpainted) to[k] = from[down(k)];
    }
}

Paint body(const VoxelFile& shape, const Object& object, const Grid& grid, int times) {
  const Box covered = check_voxels(shape, grid, object.where);
  if (covered.empty()) holds_nothing(object);
  if (times > 1) return [=](const Canvas& canvas) { paint_magnified(shape, covered, times, canvas); };
  return [=](const Canvas& canvas) { paint_voxels(shape, covered, canvas); };
}

Grid divided(Grid grid, int times) {
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<double> planes;
    for (std::int32_t i = 0; i <= times * grid.cells[a] && grid.graded(); ++i)
      planes.push_back(grid.place(a, static_cast<double>(i) / times));
    if (!grid.planes[a].empty()) grid.planes[a] = planes;
    grid.cells[a] *= times;
    grid.spacing[a] /= times;
  }
  return grid;
}

}  // namespace

Geometry::Geometry(const Scene& scene, int times) : grid_(divided(scene.grid, times)), background_(scene.background) {
  for (const Object& object : scene.geometry) {
    bodies_.push_back(std::visit(
        [&]<class Shape>(const Shape& shape) {
          if constexpr (std::is_same_v<Shape, VoxelFile>)
            return Body{body(shape, object, scene.grid, times), {}, object.material};
          else if constexpr (std::is_same_v<Shape, Mesh>)
            return Body{body(shape, object, grid_), {}, object.material};
          else
            return Body{body(shape, object, grid_), [shape](const Vector& p) { return inside(shape, p); },
                        object.material};
        },
        object.shape));
  }
}

void Geometry::fill(const Canvas& canvas) const {
  std::fill_n(canvas.material, canvas.box.cells(), background_);
  for (const Body& body : bodies_) body.paint(canvas);
}

std::optional<std::uint16_t> Geometry::at(const Vector& point) const {
  std::uint16_t material = background_;
  for (const Body& body : bodies_) {
    if (!body.holds) return std::nullopt;
    if (body.holds(point)) material = body.material;
  }
  return material;
}

std::vector<std::uint16_t> Geometry::fill() const {
  const Box all = grid_.box();
  std::vector<std::uint16_t> material(static_cast<std::size_t>(all.cells()));
  fill({all, material.data()});
  return material;
}

}  // namespace asterism::fdtd::scene
