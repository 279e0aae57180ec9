// SPDX-License-Identifier: Apache-2.0
// The material of every cell: each shape against its volume and its formula, order, parts, meshes, voxel files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "taskflows/fdtd/scene/voxelise.hpp"
#include "tests/taskflows/fdtd/scene_fixture.hpp"

namespace asterism::fdtd::scene {
namespace {

using Materials = std::vector<std::uint16_t>;

const std::string materials = "[materials]\na.eps_r = 2\nb.eps_r = 3\n";
constexpr std::uint16_t vacuum = 0, a = 2, b = 3;  // vacuum, pec, then by name

class GeometryTests : public SceneTests {
 protected:
  Materials fill(const std::string& geometry) const { return Geometry(read(with(materials + geometry))).fill(); }

  /// Volume of the cells of a material, m^3, in a cube of 2 m around the origin with about n cells along each edge.
  double volume(const std::string& geometry, int n) const {
    const std::string grid = fmt::format(
        "steps = 1\n[grid]\ncells = [{}, {}, {}]\nspacing = [{}, {}, {}]\n"
        "origin = [-1, -1, -1]\n",
        n, n + 3, n + 5, 2.0 / n, 2.0 / (n + 3), 2.0 / (n + 5));
    std::int64_t count = 0;
    const Materials all = Geometry(read(grid + materials + "[[geometry]]\nmaterial = \"a\"\n" + geometry)).fill();
    for (const std::uint16_t m : all) count += m == a ? 1 : 0;
    return static_cast<double>(count) * 8 / (1.0 * n * (n + 3) * (n + 5));
  }

  /// The whole grid of with(): `a` where inside(x, y, z) of the centre holds.
  static Materials expected(const std::function<bool(double, double, double)>& inside) {
    Materials result;
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 16; ++j)
        for (int k = 0; k < 12; ++k)
          result.push_back(inside(0.1 * (i + 0.5), 0.2 * (j + 0.5), 0.25 * (k + 0.5)) ? a : vacuum);
    return result;
  }
};

TEST_F(GeometryTests, ShapesHoldTheirCells) {
  EXPECT_EQ(fill(""), expected([](double, double, double) { return false; }));
  EXPECT_EQ(
      fill("[[geometry]]\nshape = \"box\"\nmaterial = \"a\"\nlow = [0.32, 0.7, -1]\nhigh = [1.4, 2.9, 1.2]\n"),
      expected([](double x, double y, double z) { return x >= 0.32 && x < 1.4 && y >= 0.7 && y < 2.9 && z < 1.2; }));
  EXPECT_EQ(fill("[[geometry]]\nshape = \"sphere\"\nmaterial = \"a\"\ncentre = [0.9, 1.5, 1.7]\nradius = 0.83\n"),
            expected([](double x, double y, double z) { return std::hypot(x - 0.9, y - 1.5, z - 1.7) < 0.83; }));
  EXPECT_EQ(fill("[[geometry]]\nshape = \"ellipsoid\"\nmaterial = \"a\"\ncentre = [0.9, 1.5, 1.7]\n"
                 "semi_axes = [0.4, 1.3, 0.9]\n"),
            expected([](double x, double y, double z) {
              return std::hypot((x - 0.9) / 0.4, (y - 1.5) / 1.3, (z - 1.7) / 0.9) < 1;
            }));
  EXPECT_EQ(fill("[[geometry]]\nshape = \"cylinder\"\nmaterial = \"a\"\naxis = \"y\"\ncentre = [0.9, 1.5, 1.7]\n"
                 "radius = 0.6\nheight = 1.46\n"),
            expected([](double x, double y, double z) {
              return std::hypot(x - 0.9, z - 1.7) < 0.6 && std::abs(y - 1.5) < 0.73;
            }));
  EXPECT_EQ(fill("[[geometry]]\nshape = \"cylinder\"\nmaterial = \"a\"\nfrom = [0.3, 0.5, 0.4]\nto = [1.6, 2.4, 2.1]\n"
                 "radius = 0.41\n"),
            expected([](double x, double y, double z) {
              const double d[3] = {1.3, 1.9, 1.7};
              const double p[3] = {x - 0.3, y - 0.5, z - 0.4};
              const double cross[3] = {p[1] * d[2] - p[2] * d[1], p[2] * d[0] - p[0] * d[2], p[0] * d[1] - p[1] * d[0]};
              const double along = (p[0] * d[0] + p[1] * d[1] + p[2] * d[2]) / std::hypot(d[0], d[1], d[2]);
              return std::hypot(cross[0], cross[1], cross[2]) / std::hypot(d[0], d[1], d[2]) < 0.41 && along > 0 &&
                     along < std::hypot(d[0], d[1], d[2]);
            }));
  EXPECT_EQ(
      fill("[[geometry]]\nshape = \"half_space\"\nmaterial = \"a\"\npoint = [1, 1.61, 1.2]\nnormal = [1, 2, -3]\n"),
      expected([](double x, double y, double z) { return (x - 1) + 2 * (y - 1.61) - 3 * (z - 1.2) < 0; }));
}

TEST_F(GeometryTests, VolumesConverge) {
  struct Body {
    const char* text;
    double volume;
    double slope = 0.9;  ///< of the relative error over 1 / n
  };
  const std::vector<Body> bodies = {
      {"shape = \"sphere\"\ncentre = [0.01, 0.02, -0.03]\nradius = 0.9", 4 * std::numbers::pi / 3 * 0.729},
      {"shape = \"ellipsoid\"\ncentre = [0.01, 0.02, -0.03]\nsemi_axes = [0.9, 0.5, 0.7]",
       4 * std::numbers::pi / 3 * 0.9 * 0.5 * 0.7},
      {"shape = \"cylinder\"\naxis = \"x\"\ncentre = [0.01, 0.02, -0.03]\nradius = 0.6\nheight = 1.51",
       std::numbers::pi * 0.36 * 1.51},
      {"shape = \"cylinder\"\naxis = \"z\"\ncentre = [0.01, 0.02, -0.03]\nradius = 0.9\nheight = 0.53",
       std::numbers::pi * 0.81 * 0.53,
       2 / 0.53},  // flat ends along the axis: a whole layer, where curved surfaces average
      {"shape = \"cylinder\"\nfrom = [-0.6, -0.5, -0.4]\nto = [0.5, 0.55, 0.3]\nradius = 0.35",
       std::numbers::pi * 0.1225 * std::sqrt(1.1 * 1.1 + 1.05 * 1.05 + 0.7 * 0.7)},
      {"shape = \"half_space\"\npoint = [0.1, 0, 0]\nnormal = [1, 0.2, 0]", 4.4},
  };
  for (const Body& body : bodies) {
    SCOPED_TRACE(body.text);
    for (const int n : {24, 48, 96, 192}) {
      EXPECT_NEAR(volume(body.text, n) / body.volume, 1, body.slope / n) << n;
    }
  }
}

TEST_F(GeometryTests, LaterBodiesOverrideEarlierOnes) {
  const std::string ball = "[[geometry]]\nshape = \"sphere\"\nmaterial = \"a\"\ncentre = [1, 1.6, 1.5]\nradius = 0.8\n";
  const std::string box = "[[geometry]]\nshape = \"box\"\nmaterial = \"b\"\nlow = [0, 0, 0]\nhigh = [1, 3.2, 3]\n";
  const std::string hole =
      "[[geometry]]\nshape = \"sphere\"\nmaterial = \"vacuum\"\ncentre = [1, 1.6, 1.5]\nradius = 0.4\n";
  const Materials only_ball = fill(ball);
  const Materials only_box = fill(box);
  const Materials ball_then_box = fill(ball + box);
  const Materials box_then_ball = fill(box + ball);
  const Materials with_hole = fill(box + ball + hole);
  int both = 0;
  for (std::size_t i = 0; i < only_ball.size(); ++i) {
    both += only_ball[i] == a && only_box[i] == b ? 1 : 0;
    ASSERT_EQ(ball_then_box[i], only_box[i] == b ? b : only_ball[i]);
    ASSERT_EQ(box_then_ball[i], only_ball[i] == a ? a : only_box[i]);
  }
  EXPECT_GT(both, 50);
  EXPECT_EQ(with_hole[(10 * 16 + 8) * 12 + 6], vacuum);
  EXPECT_EQ(with_hole[0], b);
  const Scene filled = read("background = \"b\"\nsteps = 1\n[grid]\ncells = [2, 2, 2]\nspacing = 1\n" + materials);
  EXPECT_EQ(Geometry(filled).fill(), Materials(8, b));
}

/// An octahedron with its six corners on the axes, as a file.
std::string octahedron() {
  return "OFF\n6 8 0\n1 0 0\n-1 0 0\n0 1 0\n0 -1 0\n0 0 1\n0 0 -1\n"
         "3 0 2 4\n3 2 1 4\n3 1 3 4\n3 3 0 4\n3 2 0 5\n3 1 2 5\n3 3 1 5\n3 0 3 5\n";
}

TEST_F(GeometryTests, MeshesAreScaledAndPlaced) {
  file("o.off", octahedron());
  EXPECT_EQ(fill("[[geometry]]\nshape = \"mesh\"\nmaterial = \"a\"\nfile = \"o.off\"\nscale = 0.9\n"
                 "translation = [0.93, 1.57, 1.41]\n"),
            expected([](double x, double y, double z) {
              return std::abs(x - 0.93) + std::abs(y - 1.57) + std::abs(z - 1.41) < 0.9;
            }));
  const double two = 2;
  EXPECT_EQ(fill("[[geometry]]\nshape = \"mesh\"\nmaterial = \"a\"\nfile = \"o.off\"\nlength = 1.3\n"
                 "degrees = [0, 0, 45]\ncentre = [0.93, 1.57, 1.41]\n"),
            expected([&](double x, double y, double z) {
              // turned about z: a square of half the diagonal in x and y
              return std::max(std::abs(x - 0.93), std::abs(y - 1.57)) * std::sqrt(two) + std::abs(z - 1.41) < 0.65;
            }));
  file("open.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  const std::string mesh = "[[geometry]]\nshape = \"mesh\"\nmaterial = \"a\"\nfile = ";
  expect_bad_input([&] { fill(mesh + "\"open.off\""); }, {"line 9: geometry[0]", "open.off", "open edge", "closed"});
  expect_bad_input([&] { fill(mesh + "\"none.off\""); }, {"none.off"});
  expect_bad_input([&] { fill(mesh + "\"o.off\"\ntranslation = [-5, 0, 0]"); },
                   {"line 9: geometry[0]: found", "outside"});
}

template <class T>
void write_voxels(const fs::path& path, const std::vector<T>& values, const std::vector<hsize_t>& shape, hid_t type) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t group = H5Gcreate2(file, "sample", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t dataset = H5Dcreate2(group, "data", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(dataset);
  H5Gclose(group);
  H5Sclose(space);
  H5Fclose(file);
}

std::string voxels(const std::string& more) {
  return "[[geometry]]\nshape = \"box\"\nmaterial = \"b\"\nlow = [0, 0, 0]\nhigh = [2, 3.2, 1.5]\n"
         "[[geometry]]\nshape = \"voxels\"\nfile = \"v.h5\"\ndataset = \"sample/data\"\n" +
         more;
}

/// Every type and both orders, at offsets inside and across the faces of the grid.
TEST_F(GeometryTests, VoxelFilesFillTheirCells) {
  constexpr int n[3] = {7, 5, 9};
  const auto value = [](int i, int j, int k) { return (5 * i + 3 * j + 2 * k) % 4; };
  const std::uint16_t meaning[] = {0xffff, a, vacuum, 1};  // 0: unchanged
  const auto check = [&](const std::string& order, const std::array<int, 3>& offset) {
    const Materials found =
        fill(voxels(fmt::format("materials = {{ 1 = \"a\", 2 = \"vacuum\", 3 = \"pec\" }}\nunchanged = 0\n"
                                "order = \"{}\"\noffset = [{}]\n",
                                order, fmt::join(offset, ", "))));
    std::size_t at = 0;
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 16; ++j)
        for (int k = 0; k < 12; ++k, ++at) {
          std::uint16_t expected = k < 6 ? b : vacuum;
          const int v[3] = {i - offset[0], j - offset[1], k - offset[2]};
          if (v[0] >= 0 && v[0] < n[0] && v[1] >= 0 && v[1] < n[1] && v[2] >= 0 && v[2] < n[2] &&
              value(v[0], v[1], v[2]) != 0) {
            expected = meaning[value(v[0], v[1], v[2])];
          }
          ASSERT_EQ(found[at], expected) << order << ' ' << i << ' ' << j << ' ' << k;
        }
  };
  const auto values = [&]<class T>(T, bool z_fastest) {
    std::vector<T> result(7 * 5 * 9);
    for (int i = 0; i < n[0]; ++i)
      for (int j = 0; j < n[1]; ++j)
        for (int k = 0; k < n[2]; ++k)
          result[static_cast<std::size_t>(z_fastest ? (i * n[1] + j) * n[2] + k : (k * n[1] + j) * n[0] + i)] =
              static_cast<T>(value(i, j, k));
    return result;
  };
  for (const std::array<int, 3>& offset :
       {std::array<int, 3>{0, 0, 0}, std::array<int, 3>{6, 3, 2}, std::array<int, 3>{-3, 14, 8}}) {
    write_voxels(folder_ / "v.h5", values(std::uint8_t{}, true), {7, 5, 9}, H5T_NATIVE_UINT8);
    check("xyz", offset);
    write_voxels(folder_ / "v.h5", values(std::uint16_t{}, false), {9, 5, 7}, H5T_NATIVE_UINT16);
    check("zyx", offset);
    write_voxels(folder_ / "v.h5", values(std::uint32_t{}, true), {7, 5, 9}, H5T_NATIVE_UINT32);
    check("xyz", offset);
  }
}

TEST_F(GeometryTests, WrongVoxelFilesAreRefused) {
  const std::string both = "materials = { 0 = \"a\", 4000000000 = \"pec\" }\n";
  expect_bad_input([&] { fill(voxels(both)); }, {"v.h5", "cannot be read"});
  write_voxels(folder_ / "v.h5", std::vector<std::uint32_t>{0, 4000000000, 0, 7, 0, 0}, {1, 2, 3}, H5T_NATIVE_UINT32);
  expect_bad_input([&] { fill(voxels(both)); },
                   {"scene.toml: line 14: geometry[1]", "v.h5", "found the value 7", "one of 0, 4000000000"});
  expect_bad_input([&] { fill(voxels(both + "offset = [20, 0, 0]")); }, {"line 14: geometry[1]", "outside"});
  expect_bad_input([&] { fill(voxels("materials = { 0 = \"glass\" }")); }, {"geometry[1].materials.0", "defined"});
  // the 7 lies outside
  EXPECT_EQ(fill(voxels(both + "offset = [0, -1, 0]\nunchanged = 7"))[0], b);
  write_voxels(folder_ / "v.h5", std::vector<std::uint32_t>(6), {2, 3}, H5T_NATIVE_UINT32);
  expect_bad_input([&] { fill(voxels(both)); }, {"v.h5", "found 2 x 3", "three dimensions"});
  write_voxels(folder_ / "v.h5", std::vector<float>(6), {1, 2, 3}, H5T_NATIVE_FLOAT);
  expect_bad_input([&] { fill(voxels(both)); }, {"v.h5", "no integers"});
  expect_bad_input([&] { fill(voxels("materials = {}\n[faces]\n")); }, {"v.h5"});
}

/// Whatever box cells are filled with, by however many threads, they are the same.
TEST_F(GeometryTests, PartsAreThoseOfTheWhole) {
  file("o.off", octahedron());
  write_voxels(folder_ / "v.h5", std::vector<std::uint8_t>(6 * 6 * 6, 1), {6, 6, 6}, H5T_NATIVE_UINT8);
  const Scene scene = read(with(
      materials +
      // faces, edges and corners through centres of cells
      "[[geometry]]\nshape = \"mesh\"\nmaterial = \"a\"\nfile = \"o.off\"\ntranslation = [0.95, 1.5, 1.375]\n" +
      "[[geometry]]\nshape = \"cylinder\"\nmaterial = \"pec\"\nfrom = [0, 0, 0]\nto = [2, 3.2, 3]\nradius = 0.3\n" +
      "[[geometry]]\nshape = \"voxels\"\nfile = \"v.h5\"\ndataset = \"sample/data\"\nmaterials = { 1 = \"b\" }\n"
      "offset = [12, 9, 5]\n"));
  const Geometry geometry(scene);
  const Materials whole = geometry.fill();
  const int threads = omp_get_max_threads();
  for (const Box& part :
       {Box{0, 7, 0, 16, 0, 12}, Box{7, 20, 3, 11, 2, 12}, Box{9, 10, 7, 8, 5, 6}, Box{5, 18, 5, 14, 3, 9}}) {
    omp_set_num_threads(part.x0 % 4 + 1);
    Materials found(static_cast<std::size_t>(part.cells()), 77);
    geometry.fill({part, found.data()});
    std::size_t at = 0;
    for (int i = part.x0; i < part.x1; ++i)
      for (int j = part.y0; j < part.y1; ++j)
        for (int k = part.z0; k < part.z1; ++k, ++at)
          ASSERT_EQ(found[at], whole[static_cast<std::size_t>((i * 16 + j) * 12 + k)]) << i << ' ' << j << ' ' << k;
  }
  omp_set_num_threads(threads);
  int count[4] = {};
  for (const std::uint16_t m : whole) ++count[m];
  for (const int n : count) EXPECT_GT(n, 20);
}

TEST_F(GeometryTests, BodiesOutsideAreRefused) {
  const std::string tail = "material = \"a\"\n[[probes]]\nposition = [0, 0, 0]\n";
  for (const std::string body : {"shape = \"box\"\nlow = [2, 0, 0]\nhigh = [3, 1, 1]\n",
                                 "shape = \"box\"\nlow = [0, 0, 0.3]\nhigh = [1, 1, 0.35]\n",
                                 "shape = \"sphere\"\ncentre = [-1, 0, 0]\nradius = 1\n",
                                 "shape = \"ellipsoid\"\ncentre = [1, -2, 1]\nsemi_axes = [9, 2, 9]\n",
                                 "shape = \"cylinder\"\naxis = \"z\"\ncentre = [1, 1, -3]\nradius = 1\nheight = 6\n",
                                 "shape = \"cylinder\"\nfrom = [1, 1, 5]\nto = [1, 2, 5]\nradius = 2\n",
                                 "shape = \"half_space\"\npoint = [0, 0, 0]\nnormal = [1, 1, 1]\n"}) {
    SCOPED_TRACE(body);
    expect_bad_input([&] { fill("\n[[geometry]]\n" + body + tail); },
                     {"scene.toml: line 10: geometry[0]: found", "outside", "expected"});
  }
}

}  // namespace
}  // namespace asterism::fdtd::scene
