// SPDX-License-Identifier: Apache-2.0
// Bodies as voxels: against what is inside by formula, in every degenerate position, and real bodies.
#include <omp.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "io/mesh/placement.hpp"
#include "io/mesh/surface.hpp"
#include "taskflows/lbm/geometry/voxels.hpp"
#include "tests/data_file.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::lbm {
namespace {

using mesh::TriangleMesh;
using Point = std::array<double, 3>;

/// [low, high) in every direction.
TriangleMesh cuboid(const Point& low, const Point& high) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.push_back(
        {(i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1], (i & 4) != 0 ? high[2] : low[2]});
  }
  for (const std::array<std::int32_t, 4>& f : std::vector<std::array<std::int32_t, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    mesh.triangles.push_back({f[0], f[1], f[2]});
    mesh.triangles.push_back({f[0], f[2], f[3]});
  }
  return mesh;
}

/// Every triangle becomes four; on_sphere: new vertices at the distance of the old ones.
TriangleMesh refined(const TriangleMesh& from, bool on_sphere) {
  TriangleMesh mesh{from.vertices, {}};
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middle;
  const auto between = [&](std::int32_t a, std::int32_t b) {
    const auto [at, is_new] = middle.emplace(std::minmax(a, b), static_cast<std::int32_t>(mesh.vertices.size()));
    if (is_new) {
      const Point& p = mesh.vertices[static_cast<std::size_t>(a)];
      const Point& r = mesh.vertices[static_cast<std::size_t>(b)];
      Point m = {(p[0] + r[0]) / 2, (p[1] + r[1]) / 2, (p[2] + r[2]) / 2};
      if (on_sphere) {
        const double factor = std::hypot(p[0], p[1], p[2]) / std::hypot(m[0], m[1], m[2]);
        for (double& x : m) x *= factor;
      }
      mesh.vertices.push_back(m);
    }
    return at->second;
  };
  for (const auto& [a, b, c] : from.triangles) {
    const std::int32_t ab = between(a, b);
    const std::int32_t bc = between(b, c);
    const std::int32_t ca = between(c, a);
    mesh.triangles.insert(mesh.triangles.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
  }
  return mesh;
}

TriangleMesh octahedron(double radius) {
  const double r = radius;
  return {{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

TriangleMesh sphere(double radius, int refinements) {
  TriangleMesh mesh = octahedron(radius);
  for (int i = 0; i < refinements; ++i) mesh = refined(mesh, true);
  return mesh;
}

std::int64_t count(const Voxels& voxels) {
  std::int64_t sum = 0;
  for (const std::uint8_t v : voxels) sum += v;
  return sum;
}

/// 1 where inside(centre) holds.
template <class Inside>
Voxels expected(const Grid& grid, const Inside& inside) {
  Voxels voxels;
  for (int k = 0; k < grid.nz; ++k) {
    for (int j = 0; j < grid.ny; ++j) {
      for (int i = 0; i < grid.nx; ++i) {
        voxels.push_back(
            inside(Point{grid.origin[0] + (i + 0.5) * grid.spacing, grid.origin[1] + (j + 0.5) * grid.spacing,
                         grid.origin[2] + (k + 0.5) * grid.spacing})
                ? 1
                : 0);
      }
    }
  }
  return voxels;
}

TEST(Voxels, OfAnalyticBodies) {
  const Grid grid{.nx = 13, .ny = 17, .nz = 11, .origin = {-1, 2, -3}, .spacing = 0.5};
  const Point c = {1.5, 6, 0};
  EXPECT_EQ(voxelise(Sphere{c, 2}, grid),
            expected(grid, [&](const Point& p) { return std::hypot(p[0] - 1.5, p[1] - 6, p[2]) < 2; }));
  EXPECT_EQ(voxelise(Cuboid{{0, 2.25, -3}, {4.25, 7, 1}}, grid), expected(grid, [&](const Point& p) {
              return p[0] >= 0 && p[0] < 4.25 && p[1] >= 2.25 && p[1] < 7 && p[2] >= -3 && p[2] < 1;
            }));
  EXPECT_EQ(voxelise(Cylinder{1, {1.5, 3, 0}, 1.7, 4}, grid), expected(grid, [&](const Point& p) {
              return p[1] >= 3 && p[1] < 7 && std::hypot(p[0] - 1.5, p[2]) < 1.7;
            }));
  EXPECT_EQ(voxelise(Cylinder{2, {1.5, 6, -1}, 2, 1.5}, grid), expected(grid, [&](const Point& p) {
              return p[2] >= -1 && p[2] < 0.5 && std::hypot(p[0] - 1.5, p[1] - 6) < 2;
            }));
  expect_bad_input([&] { voxelise(Sphere{c, 0}, grid); }, {"radius"});
  expect_bad_input([&] { voxelise(Cuboid{{0, 0, 0}, {1, -1, 1}}, grid); }, {"cuboid"});
  expect_bad_input([&] { voxelise(Cylinder{3, c, 1, 1}, grid); }, {"axis"});
  expect_bad_input([&] { voxelise(Sphere{c, 1}, {.nx = 0, .ny = 1, .nz = 1}); }, {"lattice"});
}

/// The volume of a triangulated sphere: voxels converge to that of the mesh, which converges to the ball's.
TEST(Voxels, OfASphereConverge) {
  const TriangleMesh mesh = sphere(1, 5);
  const double volume = mesh::check_closed_surface(mesh).signed_volume;
  EXPECT_NEAR(volume, 4 * std::numbers::pi / 3, 0.01);
  double last = 1;
  for (const std::int32_t n : {16, 64, 256}) {
    const Grid grid{.nx = n, .ny = n + 1, .nz = n + 2, .origin = {-1.1, -1.13, -1.17}, .spacing = 2.4 / n};
    const double found = static_cast<double>(count(voxelise(mesh, grid))) * std::pow(grid.spacing, 3);
    const double error = std::abs(found / volume - 1);
    EXPECT_LT(error, 0.6 * last) << n;
    EXPECT_LT(error, 0.3 * std::pow(n, -1.0)) << n;
    last = error;
  }
}

/// Faces, edges and vertices pass exactly through centres of cells, and cells see them half-open: [low, high).
TEST(Voxels, OfACubeThroughCellCentres) {
  const Grid grid{.nx = 12, .ny = 10, .nz = 9};
  for (const double shift : {0.5, 0.0, 0.25}) {
    const Point low = {2 + shift, 3 + shift, 1 + shift};
    const Point high = {9 + shift, 7 + shift, 6 + shift};
    TriangleMesh mesh = cuboid(low, high);
    for (int level = 0; level < 4; ++level) {
      const Voxels voxels = voxelise(mesh, grid);
      EXPECT_EQ(count(voxels), 7 * 4 * 5) << "half-open in every direction";
      for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
        // along x the side is fixed; along y and z it is the same for the whole face
        std::vector<std::int64_t> layers(12);
        for (int k = 0; k < grid.nz; ++k)
          for (int j = 0; j < grid.ny; ++j)
            for (int i = 0; i < grid.nx; ++i)
              layers[static_cast<std::size_t>(axis == 1 ? j : k)] +=
                  voxels[static_cast<std::size_t>(i + 12 * (j + 10 * k))];
        for (const std::int64_t cells : layers) EXPECT_TRUE(cells == 0 || cells == (axis == 1 ? 35 : 28)) << cells;
      }
      std::int64_t before = 0;
      for (int i = 0; i < grid.nx; ++i) {
        std::int64_t layer = 0;
        for (std::size_t row = 0; row < 90; ++row) layer += voxels[row * 12 + static_cast<std::size_t>(i)];
        EXPECT_EQ(layer, i + 0.5 >= low[0] && i + 0.5 < high[0] ? 20 : 0) << i;
        before += layer;
      }
      EXPECT_EQ(before, count(voxels));
      mesh = refined(mesh, false);
    }
  }
}

/// Turned by 45 degrees, faces pass through whole diagonals of centres and edges through rows of them.
TEST(Voxels, OfATurnedCubeThroughCellCentres) {
  const Grid grid{.nx = 21, .ny = 19, .nz = 17};
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    // a square with corners on the axes through the centre of cell (10, 9, 8), extruded
    const Point c = {10.5, 9.5, 8.5};
    TriangleMesh mesh = cuboid({-1, -1, -1}, {1, 1, 1});
    for (Point& p : mesh.vertices) {
      const double u = 3 * (p[(axis + 1) % 3] - p[(axis + 2) % 3]);
      const double v = 3 * (p[(axis + 1) % 3] + p[(axis + 2) % 3]);
      const double along = 4 * p[axis];
      p[axis] = c[axis] + along;
      p[(axis + 1) % 3] = c[(axis + 1) % 3] + u;
      p[(axis + 2) % 3] = c[(axis + 2) % 3] + v;
    }
    for (int level = 0; level < 3; ++level) {
      const Voxels voxels = voxelise(mesh, grid);
      std::int64_t surface = 0;
      std::size_t at = 0;
      for (int k = 0; k < grid.nz; ++k) {
        for (int j = 0; j < grid.ny; ++j) {
          for (int i = 0; i < grid.nx; ++i, ++at) {
            const Point d = {i + 0.5 - c[0], j + 0.5 - c[1], k + 0.5 - c[2]};
            const double across = std::abs(d[(axis + 1) % 3]) + std::abs(d[(axis + 2) % 3]);
            const double along = std::abs(d[axis]);
            if (across < 6 && along < 4) {
              ASSERT_EQ(voxels[at], 1);
            } else if (across > 6 || along > 4) {
              ASSERT_EQ(voxels[at], 0);
            } else {
              surface += voxels[at];
            }
          }
        }
      }
      // half-open: of the 2 x 6^2 + 2 x 6 + 1 diamond and 9 layers, what a body of volume 72 x 8 has
      EXPECT_EQ(count(voxels), 72 * 8) << axis << ' ' << surface;
      mesh = refined(mesh, false);
    }
  }
}

/// Bodies that share a surface through centres of cells: no cell belongs to both and none to neither.
TEST(Voxels, OfNeighboursFitTogether) {
  const Grid grid{.nx = 16, .ny = 15, .nz = 14};
  const Voxels left = voxelise(cuboid({1.5, 1.5, 1.5}, {6.5, 12.5, 11.5}), grid);
  const Voxels right = voxelise(cuboid({6.5, 1.5, 1.5}, {13.5, 12.5, 11.5}), grid);
  const Voxels both = voxelise(cuboid({1.5, 1.5, 1.5}, {13.5, 12.5, 11.5}), grid);
  for (std::size_t i = 0; i < both.size(); ++i) ASSERT_EQ(left[i] + right[i], both[i]);
}

/// Vertices with small integer coordinates: most rays meet edges and vertices, in every combination.
TEST(Voxels, RaysThroughVerticesKeepParity) {
  std::mt19937 random(5);
  const Grid grid{.nx = 12, .ny = 12, .nz = 12, .origin = {-0.5, -0.5, -0.5}};
  std::int64_t inside = 0;
  for (int round = 0; round < 300; ++round) {
    TriangleMesh mesh = refined(octahedron(1), false);
    for (Point& p : mesh.vertices) {
      for (double& x : p) x = static_cast<double>(random() % 13);  // closed whatever the vertices are
    }
    inside += count(voxelise(mesh, grid));
  }
  EXPECT_GT(inside, 1000);
}

TEST(Voxels, AgreeWithTheBallForARefinedMesh) {
  const double radius = 7.3;
  TriangleMesh mesh = sphere(radius, 6);
  for (Point& p : mesh.vertices) {
    p[0] += 10.5;  // the poles of the octahedron, and its edges, on centres
    p[1] += 9.5;
    p[2] += 8.5;
  }
  const Grid grid{.nx = 20, .ny = 19, .nz = 18};
  const Voxels voxels = voxelise(mesh, grid);
  std::size_t at = 0;
  for (int k = 0; k < grid.nz; ++k) {
    for (int j = 0; j < grid.ny; ++j) {
      for (int i = 0; i < grid.nx; ++i, ++at) {
        const double r = std::hypot(i + 0.5 - 10.5, j + 0.5 - 9.5, k + 0.5 - 8.5);
        if (r < radius - 0.02 || r > radius) {
          ASSERT_EQ(voxels[at], r < radius ? 1 : 0) << i << ' ' << j << ' ' << k;
        }
      }
    }
  }
}

TEST(Voxels, BodiesMayLeaveTheGrid) {
  const Grid whole{.nx = 30, .ny = 30, .nz = 30, .origin = {-5, -5, -5}};
  const Grid part{.nx = 8, .ny = 9, .nz = 10, .origin = {3, 2, 1}};
  const TriangleMesh mesh = cuboid({-3.3, -2.2, -1.1}, {15, 7.7, 9});
  const Voxels all = voxelise(mesh, whole);
  const Voxels some = voxelise(mesh, part);
  for (std::size_t k = 0; k < 10; ++k)
    for (std::size_t j = 0; j < 9; ++j)
      for (std::size_t i = 0; i < 8; ++i) {
        ASSERT_EQ(some[i + 8 * (j + 9 * k)], all[i + 8 + 30 * (j + 7 + 30 * (k + 6))]);
      }
  EXPECT_EQ(count(voxelise(cuboid({50, 50, 50}, {60, 60, 60}), part)), 0);
  EXPECT_EQ(count(voxelise(cuboid({-50, -50, -50}, {60, 60, 60}), part)), 720);
}

TEST(Voxels, OpenSurfacesAreRefusedByRow) {
  const Grid grid{.nx = 10, .ny = 9, .nz = 8};
  TriangleMesh mesh = cuboid({2, 3, 1}, {8, 7, 6});
  mesh.triangles.erase(mesh.triangles.end() -
                       4);  // half of the face at low x: cells (y, z) = (3, 4) .. (5, 5) at least
  expect_bad_input([&] { voxelise(mesh, grid); }, {"mesh", "row y = ", "odd number", "closed surface"});
  // one triangle that one ray meets
  const TriangleMesh fin{{{5, 3.1, 4.1}, {5, 3.9, 4.2}, {5, 3.4, 4.9}}, {{0, 1, 2}}};
  expect_bad_input([&] { voxelise(fin, grid); }, {"row y = 3, z = 4", "(at 3.5, 4.5)"});
}

TEST(Voxels, DoNotDependOnThreadsOrOrientation) {
  TriangleMesh mesh = sphere(9, 4);
  place(mesh, {.degrees = {10, 20, 30}, .centre = Point{10, 70, 12}});
  const Grid grid{.nx = 20, .ny = 150, .nz = 25};
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Voxels one = voxelise(mesh, grid);
  omp_set_num_threads(7);
  EXPECT_EQ(voxelise(mesh, grid), one);
  omp_set_num_threads(threads);
  for (auto& t : mesh.triangles) std::swap(t[0], t[2]);
  EXPECT_EQ(voxelise(mesh, grid), one);
  EXPECT_GT(count(one), 2900);
}

TEST(RealMeshes, AirlinerHasItsVolume) {
  for (const std::string name : {"airliner_coarse.off.gz", "airliner_fine.off.gz"}) {
    TriangleMesh mesh = mesh::read_mesh(tests::data_file("meshes/" + name));
    for (const double degrees : {0.0, 90.0, 12.0}) {
      place(mesh, {.length = 1, .degrees = {0, degrees, 0}, .centre = Point{0.5, 0.5, 0.5}});
      const double volume = mesh::check_closed_surface(mesh).signed_volume;
      const Grid grid{.nx = 200, .ny = 210, .nz = 190, .origin = {-0.1, -0.1, -0.05}, .spacing = 1.2 / 200};
      const double found = static_cast<double>(count(voxelise(mesh, grid))) * std::pow(grid.spacing, 3);
      EXPECT_NEAR(found / volume, 1, 0.01) << name << ' ' << degrees;
    }
  }
}

}  // namespace
}  // namespace asterism::lbm
