// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/geometry/wall_distances.hpp"

#include <algorithm>
#include <cmath>

#include "base/as_size.hpp"

namespace asterism::lbm {
namespace {

using Point = std::array<double, 3>;

Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Beyond every distance.
constexpr double none = 2;

/// Cells by indices that may lie beyond periodic faces.
class Cells {
 public:
  Cells(const Voxels& solid, const std::array<int, 3>& cells, const std::array<bool, 3>& periodic)
      : solid_(solid), cells_(cells), periodic_(periodic) {}

  /// -1 beyond other faces.
  [[nodiscard]] std::int64_t number(std::array<int, 3> at) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int n = cells_[axis];
      if (at[axis] >= 0 && at[axis] < n) continue;
      if (!periodic_[axis]) return -1;
      at[axis] = (at[axis] % n + n) % n;
    }
    return at[0] + cells_[0] * (at[1] + static_cast<std::int64_t>(cells_[1]) * at[2]);
  }
  [[nodiscard]] bool solid(const std::array<int, 3>& at) const {
    const std::int64_t k = number(at);
    return k >= 0 && solid_[as_size(k)] != 0;
  }
  /// `visit(cell, its number, j)` for links from fluid to solid of the cells in [low, high].
  template <class Visit>
  void links(const std::array<int, 3>& low, const std::array<int, 3>& high, const Visit& visit) const {
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x) {
          const std::int64_t k = number({x, y, z});
          if (k < 0 || solid_[as_size(k)] != 0) continue;
          for (int j = 1; j < q; ++j) {
            const Velocity c = velocity(j);
            if (solid({x + c.x, y + c.y, z + c.z})) visit(std::array<int, 3>{x, y, z}, k, j);
          }
        }
  }

 private:
  const Voxels& solid_;
  std::array<int, 3> cells_;
  std::array<bool, 3> periodic_;
};

/// Distance in lengths of the link at which it crosses a triangle (Moeller and Trumbore 1997), or `none`. Edges belong
/// to a triangle, with some room for rounding.
double crossing_of(const Point& from, const Point& along, const Point& corner, const Point& first,
                   const Point& second) {
  constexpr double room = 1e-9;
  const Point p = cross(along, second);
  const double volume = dot(first, p);
  if (volume == 0) return none;
  const Point s = minus(from, corner);
  const double u = dot(s, p) / volume;
  const Point r = cross(s, first);
  const double v = dot(along, r) / volume;
  if (!(u >= -room && v >= -room && u + v <= 1 + room)) return none;
  const double t = dot(second, r) / volume;
  return t >= -room && t <= 1 + room ? std::clamp(t, 0., 1.) : none;
}

Point centre_of_cell(const std::array<int, 3>& at) {
  return {at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
}

/// The nearest crossing of each link.
std::vector<WallDistance> nearest(std::vector<WallDistance> all) {
  std::sort(all.begin(), all.end(), [](const WallDistance& a, const WallDistance& b) {
    return a.link < b.link || (a.link == b.link && a.distance < b.distance);
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const WallDistance& a, const WallDistance& b) { return a.link == b.link; }),
            all.end());
  return all;
}

/// Distances at a sphere, or at a cylinder along `axis` through the domain: |x + t c - centre| = radius across the
/// axis, the smaller t.
std::vector<WallDistance> round_distances(const Point& centre, double radius, std::size_t axis, const Voxels& solid,
                                          const std::array<int, 3>& cells, const std::array<bool, 3>& periodic) {
  const Cells domain(solid, cells, periodic);
  std::vector<WallDistance> found;
  std::array<int, 3> low{};
  std::array<int, 3> high{};
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = a == axis ? 0 : std::max(static_cast<int>(std::floor(centre[a] - radius)) - 2, 0);
    high[a] = cells[a] - 1;
    if (a != axis) high[a] = std::min(static_cast<int>(std::ceil(centre[a] + radius)) + 2, high[a]);
  }
  domain.links(low, high, [&](const std::array<int, 3>& at, std::int64_t cell, int j) {
    const Velocity v = velocity(j);
    Point along{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
    Point from = minus(centre_of_cell(at), centre);
    if (axis < 3) along[axis] = from[axis] = 0;
    const double square = dot(along, along);
    const double half = dot(from, along) / square;
    const double root = half * half - (dot(from, from) - radius * radius) / square;
    const double distance = root >= 0 ? -half - std::sqrt(root) : none;
    if (distance >= 0 && distance <= 1) found.push_back({q * cell + j, distance});
  });
  return nearest(std::move(found));
}

}  // namespace

std::vector<WallDistance> wall_distances(const mesh::TriangleMesh& body, const Voxels& solid,
                                         const std::array<int, 3>& cells, const std::array<bool, 3>& periodic) {
  const Cells domain(solid, cells, periodic);
  std::vector<WallDistance> found;
  for (const auto& corners : body.triangles) {
    const Point& a = body.vertices[as_size(corners[0])];
    const Point& b = body.vertices[as_size(corners[1])];
    const Point& c = body.vertices[as_size(corners[2])];
    std::array<int, 3> low{};
    std::array<int, 3> high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // centres of cells within one cell of the triangle; across a periodic face up to one domain further
      const auto [least, most] = std::minmax({a[axis], b[axis], c[axis]});
      const double reach = 1 + 1e-9;
      low[axis] = std::max(static_cast<int>(std::floor(least - 0.5 - reach)), periodic[axis] ? -cells[axis] : 0);
      high[axis] = std::min(static_cast<int>(std::ceil(most - 0.5 + reach)),
                            periodic[axis] ? 2 * cells[axis] - 1 : cells[axis] - 1);
    }
    const Point first = minus(b, a);
    const Point second = minus(c, a);
    domain.links(low, high, [&](const std::array<int, 3>& at, std::int64_t cell, int j) {
      const Velocity v = velocity(j);
      const Point along{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
      const double distance = crossing_of(centre_of_cell(at), along, a, first, second);
      if (distance < none) found.push_back({q * cell + j, distance});
    });
  }
  return nearest(std::move(found));
}

std::vector<WallDistance> wall_distances(const Sphere& body, const Voxels& solid, const std::array<int, 3>& cells,
                                         const std::array<bool, 3>& periodic) {
  return round_distances(body.centre, body.radius, 3, solid, cells, periodic);
}

std::vector<WallDistance> wall_distances(const Cylinder& body, const Voxels& solid, const std::array<int, 3>& cells,
                                         const std::array<bool, 3>& periodic) {
  return round_distances(body.centre, body.radius, body.axis, solid, cells, periodic);
}

}  // namespace asterism::lbm
