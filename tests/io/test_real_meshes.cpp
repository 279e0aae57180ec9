// SPDX-License-Identifier: Apache-2.0
// The meshes of data/meshes: closed, oriented outward, as large as the shapes that they are of, and nowhere through
// themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "io/mesh/mesh.hpp"
#include "io/mesh/orientation.hpp"
#include "io/mesh/surface.hpp"
#include "tests/data_file.hpp"

namespace asterism::mesh {
namespace {

using Point = std::array<double, 3>;
using Flat = std::array<double, 2>;
using Corners = std::array<Point, 3>;

// ---- where a surface meets itself: signs are exact, touching counts ------------------------------------

/// Without the axis to which the plane of a triangle is closest to being perpendicular.
std::array<std::size_t, 2> kept_axes(const Corners& t) {
  std::size_t dropped = 0;
  double largest = -1;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
    const double normal =
        std::abs((t[1][u] - t[0][u]) * (t[2][v] - t[0][v]) - (t[1][v] - t[0][v]) * (t[2][u] - t[0][u]));
    if (normal > largest) {
      largest = normal;
      dropped = d;
    }
  }
  return {(dropped + 1) % 3, (dropped + 2) % 3};
}

bool contains(const std::array<Flat, 3>& t, const Flat& p) {
  int lowest = 1, highest = -1;
  for (std::size_t i = 0; i < 3; ++i) {
    const int side = orientation(t[i], t[(i + 1) % 3], p);
    lowest = std::min(lowest, side);
    highest = std::max(highest, side);
  }
  return lowest * highest >= 0;
}

bool cross(const Flat& p, const Flat& q, const Flat& a, const Flat& b) {
  return orientation(p, q, a) * orientation(p, q, b) < 0 && orientation(a, b, p) * orientation(a, b, q) < 0;
}

/// A segment in the plane of a triangle.
bool meets_in_plane(const Point& p, const Point& q, const Corners& t) {
  const auto axes = kept_axes(t);
  const auto flat = [&](const Point& x) { return Flat{x[axes[0]], x[axes[1]]}; };
  const std::array<Flat, 3> f{flat(t[0]), flat(t[1]), flat(t[2])};
  bool met = contains(f, flat(p)) || contains(f, flat(q));
  for (std::size_t i = 0; i < 3; ++i) met = met || cross(flat(p), flat(q), f[i], f[(i + 1) % 3]);
  return met;
}

bool meets(const Point& p, const Point& q, const Corners& t) {
  const int of_p = orientation(t[0], t[1], t[2], p), of_q = orientation(t[0], t[1], t[2], q);
  if (of_p * of_q > 0) return false;
  if (of_p == 0 && of_q == 0) return meets_in_plane(p, q, t);
  int lowest = 1, highest = -1;
  for (std::size_t i = 0; i < 3; ++i) {
    const int side = orientation(p, q, t[i], t[(i + 1) % 3]);
    lowest = std::min(lowest, side);
    highest = std::max(highest, side);
  }
  return lowest * highest >= 0;
}

class SelfIntersections {
 public:
  explicit SelfIntersections(const TriangleMesh& mesh) : mesh_(mesh) {}

  /// Pairs of triangles that have more in common than corners and edges. Sweeps along x.
  [[nodiscard]] std::int64_t count() const {
    const std::size_t n = mesh_.triangles.size();
    std::vector<std::array<Point, 2>> box(n);
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t d = 0; d < 3; ++d) {
        const Corners c = corners(t);
        box[t][0][d] = std::min({c[0][d], c[1][d], c[2][d]});
        box[t][1][d] = std::max({c[0][d], c[1][d], c[2][d]});
      }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t t) { return box[t][0][0]; });
    const auto apart = [&](std::size_t s, std::size_t t, std::size_t d) {
      return box[s][1][d] < box[t][0][d] || box[t][1][d] < box[s][0][d];
    };
    std::int64_t found = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n && box[order[j]][0][0] <= box[order[i]][1][0]; ++j)
        if (!apart(order[i], order[j], 1) && !apart(order[i], order[j], 2) && pair_meets(order[i], order[j])) ++found;
    return found;
  }

 private:
  [[nodiscard]] Point point(std::int32_t vertex) const { return mesh_.vertices[static_cast<std::size_t>(vertex)]; }
  [[nodiscard]] Corners corners(std::size_t t) const {
    const auto& v = mesh_.triangles[t];
    return {point(v[0]), point(v[1]), point(v[2])};
  }

  [[nodiscard]] bool pair_meets(std::size_t s, std::size_t t) const {
    const auto shared = std::ranges::count_if(
        mesh_.triangles[s], [&](std::int32_t v) { return std::ranges::count(mesh_.triangles[t], v) > 0; });
    if (shared == 2) return folded(s, t);
    return shared == 3 || edges_meet(s, t) || edges_meet(t, s);
  }
  /// Edges of s that have no corner of t, and t.
  [[nodiscard]] bool edges_meet(std::size_t s, std::size_t t) const {
    const auto& v = mesh_.triangles[s];
    const auto& other = mesh_.triangles[t];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int32_t p = v[i], q = v[(i + 1) % 3];
      if (std::ranges::count(other, p) > 0 || std::ranges::count(other, q) > 0) continue;
      if (meets(point(p), point(q), corners(t))) return true;
    }
    return false;
  }
  /// Triangles with a common edge lie on each other: the third corner of t is in the plane of s, on the same side of
  /// the edge as the third corner of s.
  [[nodiscard]] bool folded(std::size_t s, std::size_t t) const {
    const auto& v = mesh_.triangles[s];
    const auto third = std::ranges::find_if(mesh_.triangles[t],
                                            [&](std::int32_t corner) { return std::ranges::count(v, corner) == 0; });
    const Corners c = corners(s);
    if (orientation(c[0], c[1], c[2], point(*third)) != 0) return false;
    const auto axes = kept_axes(c);
    const auto flat = [&](const Point& x) { return Flat{x[axes[0]], x[axes[1]]}; };
    std::size_t alone = 0;
    while (std::ranges::count(mesh_.triangles[t], v[alone]) > 0) ++alone;
    const Flat a = flat(c[(alone + 1) % 3]), b = flat(c[(alone + 2) % 3]);
    return orientation(a, b, flat(c[alone])) == orientation(a, b, flat(point(*third)));
  }

  const TriangleMesh& mesh_;
};

TEST(SelfIntersections, AreFound) {
  const TriangleMesh one{.vertices = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}},
                         .triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  EXPECT_EQ(SelfIntersections(one).count(), 0);
  const auto with_another_at = [&](const Point& place) {
    TriangleMesh two = one;
    for (const Point& p : one.vertices) two.vertices.push_back({p[0] + place[0], p[1] + place[1], p[2] + place[2]});
    for (const auto& t : one.triangles) two.triangles.push_back({t[0] + 4, t[1] + 4, t[2] + 4});
    return SelfIntersections(two).count();
  };
  EXPECT_EQ(with_another_at({4, 0, 0}), 0);
  EXPECT_EQ(with_another_at({0, 0, 3.5}), 0);
  EXPECT_GT(with_another_at({1, 0.25, 0.5}), 0);
  EXPECT_GT(with_another_at({1, 0.25, 0}), 0);  // in one plane
  EXPECT_GT(with_another_at({3, 0, 0}), 0);     // a corner at a corner of the other's own
  TriangleMesh folded = one;                    // flat: two triangles on the two others
  folded.vertices[3] = {0.5, 0.5, 0};
  EXPECT_GT(SelfIntersections(folded).count(), 0);
}

// ---- the meshes ----------------------------------------------------------------------------------------

/// Volumes are those of the shapes, which gmsh's OpenCASCADE kernel integrates (data/make-meshes prints them).
TEST(RealMeshes, Airliner) {
  struct Known {
    const char* name;
    std::int64_t vertices;
    double volume_off;  ///< of the inscribed triangles, relative
  };
  for (const Known& known :
       {Known{"airliner_coarse.off.gz", 3689, 0.025}, Known{"airliner_fine.off.gz", 23701, 0.004}}) {
    SCOPED_TRACE(known.name);
    const TriangleMesh mesh = read_mesh(tests::data_file(std::string("meshes/") + known.name));
    const SurfaceReport report = check_closed_surface(mesh);
    EXPECT_EQ(report.vertices, known.vertices);
    EXPECT_EQ(report.triangles, 2 * known.vertices - 4);  // a sphere, as far as holes go
    EXPECT_EQ(report.describe(), "");
    EXPECT_NEAR(report.signed_volume, 434.108, known.volume_off * 434.108);
    EXPECT_NEAR(report.low[0], 0, 1e-6);
    EXPECT_NEAR(report.high[0], 34, 1e-6);
    EXPECT_NEAR(report.low[1], -16.6, 1e-6);
    EXPECT_NEAR(report.high[1], 16.6, 1e-6);
    EXPECT_EQ(SelfIntersections(mesh).count(), 0);
  }
}

TEST(RealMeshes, SurfaceOfTheBracket) {
  struct Known {
    const char* name;
    std::int64_t triangles;
    double volume_off;  ///< holes of few sides are too small
  };
  for (const Known& known : {Known{"bracket_coarse.msh.gz", 9492, 0.004}, Known{"bracket_fine.msh.gz", 56882, 0.001}}) {
    SCOPED_TRACE(known.name);
    const TriangleMesh mesh = read_mesh(tests::data_file(std::string("meshes/") + known.name));
    const SurfaceReport report = check_closed_surface(mesh);
    EXPECT_EQ(report.triangles, known.triangles);
    EXPECT_EQ(report.describe(), "");
    EXPECT_NEAR(report.signed_volume, 516136, known.volume_off * 516136);
    EXPECT_EQ(SelfIntersections(mesh).count(), 0);
  }
}

}  // namespace
}  // namespace asterism::mesh
