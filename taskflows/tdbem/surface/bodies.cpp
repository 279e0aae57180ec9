// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/surface/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "taskflows/tdbem/surface/refine.hpp"

namespace asterism::tdbem {
namespace {

void require_positive(double length, const char* what) {
  if (!(length > 0 && std::isfinite(length))) bad_input("{}: {}, has to be positive", what, length);
}

/// Vertices of the lattice on a box, numbered as they are asked for.
class Lattice {
 public:
  Lattice(mesh::TriangleMesh& mesh, const std::array<double, 3>& sides, const std::array<std::int32_t, 3>& divisions)
      : mesh_(mesh), sides_(sides), divisions_(divisions) {}

  std::int32_t at(const std::array<std::int32_t, 3>& place) {
    const auto [found, fresh] = numbers_.emplace(place, static_cast<std::int32_t>(mesh_.vertices.size()));
    if (fresh) {
      auto& vertex = mesh_.vertices.emplace_back();
      for (std::size_t d = 0; d < 3; ++d)
        vertex[d] = sides_[d] * (static_cast<double>(place[d]) / static_cast<double>(divisions_[d]) - 0.5);
    }
    return found->second;
  }

 private:
  mesh::TriangleMesh& mesh_;
  std::array<double, 3> sides_;
  std::array<std::int32_t, 3> divisions_;
  std::map<std::array<std::int32_t, 3>, std::int32_t> numbers_;
};

}  // namespace

mesh::TriangleMesh icosphere(std::int32_t level, double radius) {
  if (level < 0 || level > 10) bad_input("level of an icosphere: {}, expected 0 to 10", level);
  require_positive(radius, "radius of an icosphere");
  const double g = (1 + std::sqrt(5.0)) / 2;  // the golden ratio: corners (0, +-1, +-g) and cyclic
  mesh::TriangleMesh mesh{{{-1, g, 0},
                           {1, g, 0},
                           {-1, -g, 0},
                           {1, -g, 0},
                           {0, -1, g},
                           {0, 1, g},
                           {0, -1, -g},
                           {0, 1, -g},
                           {g, 0, -1},
                           {g, 0, 1},
                           {-g, 0, -1},
                           {-g, 0, 1}},
                          {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                           {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                           {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
  const auto project = [&] {
    for (auto& v : mesh.vertices) {
      const double scale = radius / std::hypot(v[0], v[1], v[2]);
      for (double& x : v) x *= scale;
    }
  };
  project();
  for (std::int32_t l = 0; l < level; ++l) {
    quarter_triangles(mesh);
    project();
  }
  return mesh;
}

mesh::TriangleMesh ellipsoid(std::int32_t level, const std::array<double, 3>& semi_axes) {
  for (const double a : semi_axes) require_positive(a, "semi-axis of an ellipsoid");
  mesh::TriangleMesh mesh = icosphere(level, 1);
  for (auto& v : mesh.vertices)
    for (std::size_t d = 0; d < 3; ++d) v[d] *= semi_axes[d];
  return mesh;
}

mesh::TriangleMesh box(const std::array<double, 3>& sides, const std::array<std::int32_t, 3>& divisions) {
  for (const double side : sides) require_positive(side, "side of a box");
  for (const std::int32_t n : divisions)
    if (n < 1) bad_input("divisions of a box: {}, at least 1", n);
  mesh::TriangleMesh mesh;
  Lattice lattice(mesh, sides, divisions);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const bool upper : {false, true})
      for (std::int32_t i = 0; i < divisions[u]; ++i)
        for (std::int32_t j = 0; j < divisions[v]; ++j) {
          const auto corner = [&](std::int32_t di, std::int32_t dj) {
            std::array<std::int32_t, 3> place{};
            place[axis] = upper ? divisions[axis] : 0;
            place[u] = i + di;
            place[v] = j + dj;
            return lattice.at(place);
          };
          std::int32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (!upper) std::swap(b, d);
          mesh.triangles.push_back({a, b, c});
          mesh.triangles.push_back({a, c, d});
        }
  }
  return mesh;
}

mesh::TriangleMesh named_body(std::string_view name, std::int32_t vertices) {
  std::int32_t level = 0;
  for (std::int64_t count = 12; count < vertices; count = 4 * count - 6) ++level;
  if (name == "sphere") return icosphere(level, 1);
  if (name == "ellipsoid") return ellipsoid(level, {1, 0.7, 0.5});
  if (name == "box") {
    for (std::int32_t n = 1;; ++n) {  // about n cells per 0.35
      const std::int64_t x = 4 * n, y = 3 * n, z = 2 * n;
      if (2 * (x * y + y * z + z * x) + 2 < vertices) continue;
      return box({1.4, 1, 0.7}, {4 * n, 3 * n, 2 * n});
    }
  }
  bad_input("body: '{}', expected sphere, ellipsoid or box", name);
}

}  // namespace asterism::tdbem
