// Triangle meshes: the same body in every format; files that are broken in every way; defects of surfaces.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "io/mesh/mesh.hpp"
#include "io/mesh/orientation.hpp"
#include "io/mesh/placement.hpp"
#include "io/mesh/surface.hpp"
#include "tests/gzip.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::mesh {
namespace {

using Point = std::array<double, 3>;

/// A pyramid over a rectangle: two triangles and the base in one polygon of a file; 6 triangles, volume 2 x 3 x 5 / 3.
const std::vector<Point> pyramid = {{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 0}, {0.5, 1.25, 5}};
const std::vector<std::array<std::int32_t, 3>> pyramid_triangles = {{0, 3, 2}, {0, 2, 1}, {0, 1, 4},
                                                                    {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};

const std::string obj =
    "# a pyramid\r\nmtllib none.mtl\no pyramid\nv 0 0 0\nv 2.0 0 0 1.0\nv 2 3 0 0.1 0.2 0.3\nv 0 3 0\nvt 0 0\nvn 0 0 "
    "1\n\n"
    "v 5e-1 +1.25 5\ng base\ns off\nf 1/1/1 4/1/1 3/1/1 2/1/1\nusemtl x\nf 1 2 5\nf -4//1 -3//1 -1//1\nf 3/1 4/1 5/1\n"
    "f 4 1 5 # last\n";
const std::string off =
    "OFF # a pyramid\n# comment\n5 5 8\n0 0 0\n2 0 0\n\n2 3 0 # third\n0 3 0\n.5 1.25 5\n4 0 3 2 1\n3 0 1 4 255 0 0\n"
    "3 1 2 4\n3 2 3 4\n  3 3 0 4\n";
const std::string ply_ascii =
    "ply\nformat ascii 1.0\ncomment a pyramid\nelement sensor 1\nproperty list uchar int values\nproperty float gain\n"
    "element vertex 5\nproperty uchar red\nproperty float z\nproperty double x\nproperty float y\nelement face 5\n"
    "property uchar flag\nproperty list uchar int vertex_indices\nproperty list uchar float weights\nend_header\n"
    "3 1 2 3 0.5\n7 0 0 0\n7 0 2 0\n7 0 2 3\n7 0 0 3\n7 5 0.5 1.25\n"
    "0 4 0 3 2 1 0\n0 3 0 1 4 1 0.5\n0 3 1 2 4 0\n0 3 2 3 4 0\n0 3 3 0 4 0\n";
const std::string gmsh_2 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"wall\"\n$EndPhysicalNames\n$Nodes\n6\n"
    "10 0 0 0\n20 2 0 0\n99 7 7 7\n30 2 3 0\n40 0 3 0\n50 0.5 1.25 5\n$EndNodes\n$Elements\n8\n1 15 2 0 1 99\n"
    "2 1 2 0 1 10 20\n3 2 2 0 1 10 40 30\n4 2 2 0 1 10 30 20\n5 2 2 0 1 10 20 50\n6 2 0 20 30 50\n7 2 2 0 1 30 40 50\n"
    "8 2 2 0 1 40 10 50\n$EndElements\n";
const std::string gmsh_4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n$Nodes\n2 6 10 99\n0 1 0 1\n99\n7 7 7\n"
    "2 1 0 5\n10\n20\n30\n40\n50\n0 0 0\n2 0 0\n2 3 0\n0 3 0\n0.5 1.25 5 0.1 0.2\n$EndNodes\n$Elements\n2 7 1 7\n"
    "1 1 1 1\n1 10 20\n2 1 2 6\n2 10 40 30\n3 10 30 20\n4 10 20 50\n5 20 30 50\n6 30 40 50\n7 40 10 50\n$EndElements\n";

std::string stl_ascii(const std::string& end = "\n") {
  std::string text;
  for (std::size_t t = 0; t < 6; ++t) {
    if (t % 3 == 0) text += "solid part " + std::to_string(t) + end;
    text += "  facet normal 0 0 1" + end + "    OUTER loop" + end;
    for (const std::int32_t corner : pyramid_triangles[t]) {
      const Point& p = pyramid[static_cast<std::size_t>(corner)];
      text += fmt::format("      vertex {:e} {} {}", corner == 0 && t % 2 == 0 ? -0.0 : p[0], p[1], p[2]) + end;
    }
    text += "    endloop" + end + "  endfacet" + end;
    if (t % 3 == 2) text += "endsolid" + end;
  }
  return text;
}

template <class T>
void put(std::string& bytes, T value, bool big = false) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (big) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}

std::string stl_binary(const std::string& head = "solid that is binary") {
  std::string bytes = head;
  bytes.resize(80, ' ');
  put(bytes, static_cast<std::uint32_t>(pyramid_triangles.size()));
  for (const auto& triangle : pyramid_triangles) {
    for (int c = 0; c < 3; ++c) put(bytes, 0.0F);
    for (const std::int32_t corner : triangle) {
      for (const double x : pyramid[static_cast<std::size_t>(corner)]) put(bytes, static_cast<float>(x));
    }
    put(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::string ply_binary(bool big) {
  std::string bytes = fmt::format(
      "ply\r\nformat binary_{}_endian 1.0\nelement vertex 5\nproperty double y\nproperty short label\nproperty float "
      "x\n"
      "property float z\nelement face 5\nproperty list ushort uint vertex_index\nproperty int8 flag\nend_header\n",
      big ? "big" : "little");
  for (const Point& p : pyramid) {
    put(bytes, p[1], big);
    put(bytes, std::int16_t{-7}, big);
    put(bytes, static_cast<float>(p[0]), big);
    put(bytes, static_cast<float>(p[2]), big);
  }
  const auto face = [&](const std::vector<std::uint32_t>& corners) {
    put(bytes, static_cast<std::uint16_t>(corners.size()), big);
    for (const std::uint32_t corner : corners) put(bytes, corner, big);
    put(bytes, std::int8_t{-1}, big);
  };
  face({0, 3, 2, 1});
  for (std::size_t t = 2; t < 6; ++t) face({pyramid_triangles[t].begin(), pyramid_triangles[t].end()});
  return bytes;
}

/// Triangles as points: independent of the order of the vertices.
std::vector<std::array<Point, 3>> corners(const TriangleMesh& mesh) {
  std::vector<std::array<Point, 3>> result;
  for (const auto& t : mesh.triangles) {
    std::array<Point, 3> p;
    for (std::size_t c = 0; c < 3; ++c) p[c] = mesh.vertices.at(static_cast<std::size_t>(t[c]));
    result.push_back(p);
  }
  return result;
}

class MeshFiles : public FileTests {
 protected:
  const std::vector<std::pair<std::string, std::string>> formats_ = {{"p.obj", obj},
                                                                     {"p.off", off},
                                                                     {"p.ply", ply_ascii},
                                                                     {"b.ply", ply_binary(true)},
                                                                     {"l.PLY", ply_binary(false)},
                                                                     {"p.msh", gmsh_2},
                                                                     {"4.msh", gmsh_4},
                                                                     {"a.stl", stl_ascii()},
                                                                     {"dos.stl", stl_ascii("\r\n")},
                                                                     {"b.STL", stl_binary()},
                                                                     {"c.stl", stl_binary("exported")}};
};

TEST_F(MeshFiles, EveryFormatIsTheSameMesh) {
  for (const auto& [name, text] : formats_) {
    const TriangleMesh mesh = read_mesh(file(name, text));
    EXPECT_EQ(mesh.vertices.size(), 5U) << name;
    EXPECT_EQ(corners(mesh), corners({pyramid, pyramid_triangles})) << name;
    const SurfaceReport report = check_closed_surface(mesh);
    EXPECT_TRUE(report.closed()) << name;
    EXPECT_EQ(report.describe(), "") << name;
    EXPECT_NEAR(report.signed_volume, 10, 1e-14) << name;
    EXPECT_EQ(report.low, (Point{0, 0, 0}));
    EXPECT_EQ(report.high, (Point{2, 3, 5}));
  }
}

TEST_F(MeshFiles, ContentsTellWhatExtensionsDoNot) {
  for (const std::string& text : {off, ply_ascii, gmsh_2, stl_ascii()}) {
    EXPECT_EQ(read_mesh(file("mesh.dat", text)).triangles.size(), 6U);
  }
  EXPECT_EQ(read_mesh(file("mesh.off.gz", tests::gzip(off))).triangles.size(), 6U);
  expect_bad_input([&] { read_mesh(file("mesh.xyz", "1 2 3\n")); }, {"mesh.xyz", "\".xyz\"", ".stl"});
  expect_bad_input([&] { read_mesh(folder_ / "none.stl"); }, {"none.stl", "No such file"});
  expect_bad_input([&] { read_mesh(folder_); }, {"is a directory"});
  expect_bad_input([&] { read_mesh(file("empty.stl", "")); }, {"empty.stl", "empty"});
}

TEST_F(MeshFiles, CutFilesAreRefused) {
  for (const auto& [name, text] : formats_) {
    // the last bytes of a text may be missing without loss
    for (std::size_t length = 0; length + 9 < text.size(); length += 3) {
      const std::string cut = text.substr(0, length);
      try {
        const TriangleMesh mesh = read_mesh(file(name, cut));
        // OBJ has no end, and STL may end after a solid
        const bool may_end = name == "p.obj" || (name.ends_with(".stl") && cut.find("endsolid") != std::string::npos);
        EXPECT_TRUE(may_end) << name << " cut at " << length << ": " << mesh.triangles.size();
      } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_EQ(error.kind(), Error::Kind::bad_input);
        EXPECT_NE(message.find(name), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      }
    }
  }
}

/// Any byte of any file may be wrong: a mesh that is in range, or one line.
TEST_F(MeshFiles, DamagedFilesNeverLeadAstray) {
  std::mt19937 random(1);
  int refused = 0;
  for (const auto& [name, text] : formats_) {
    for (int round = 0; round < 150; ++round) {
      std::string damaged = text;
      for (int i = 0; i < 2; ++i) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      try {
        const TriangleMesh mesh = read_mesh(file(name, damaged));
        for (const Point& p : mesh.vertices) {
          for (const double x : p) ASSERT_TRUE(std::isfinite(x));
        }
        for (const auto& t : mesh.triangles) {
          for (const std::int32_t c : t) ASSERT_TRUE(c >= 0 && static_cast<std::size_t>(c) < mesh.vertices.size());
        }
      } catch (const Error& error) {
        ++refused;
        ASSERT_EQ(error.kind(), Error::Kind::bad_input) << error.what();
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(refused, 200);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(MeshFiles, BrokenFilesAreNamedByLine) {
  struct Broken {
    std::string name, text;
    std::vector<std::string> words;
  };
  std::string nan_stl = stl_binary();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(nan_stl.data() + 84 + 50 + 12 + 4, &nan, 4);
  std::string many = stl_binary("exported");
  many[83] = 1;
  std::string wrong_index = ply_binary(false);
  wrong_index[wrong_index.size() - 5] = 9;
  std::string empty_stl = std::string(84, '\0');
  const std::vector<Broken> cases = {
      {"a.obj", replaced(obj, "v 0 0 0", "v 0 0"), {"a.obj: line 4", "end of the line", "a coordinate"}},
      {"a.obj", replaced(obj, "v 0 0 0", "v 0 x 0"), {"line 4", "\"x\"", "a coordinate"}},
      {"a.obj", replaced(obj, "v 0 0 0", "v 0 inf 0"), {"line 4", "\"inf\"", "a finite coordinate"}},
      {"a.obj", replaced(obj, "f 1 2 5", "f 1 2 6"), {"line 16", "\"6\"", "vertex above"}},
      {"a.obj", replaced(obj, "f 1 2 5", "f 0 2 5"), {"line 16", "\"0\""}},
      {"a.obj", replaced(obj, "f 1 2 5", "f 1 2 -6"), {"line 16", "\"-6\""}},
      {"a.obj", replaced(obj, "f 1 2 5", "f 1 2"), {"line 16", "three vertices"}},
      {"a.obj", replaced(obj, "f 1 2 5", "f 1 2 5a"), {"line 16", "\"5a\""}},
      {"a.obj", "hello world\n", {"line 1", "\"hello\"", "OBJ"}},
      {"a.obj", "v 1 2 3\n", {"no triangles"}},
      {"a.off", replaced(off, "5 5 8", "5 5000 8"), {"\"5000\"", "number of faces"}},
      {"a.off", replaced(off, "5 5 8", "-5 5 8"), {"line 3", "\"-5\""}},
      {"a.off", replaced(off, "5 5 8", "5 6 8"), {"line 14", "the file ends", "a face"}},
      {"a.off", replaced(off, "5 5 8", "5 4 8"), {"line 14", "\"3\"", "end of the file"}},
      {"a.off", replaced(off, "3 1 2 4", "3 1 2 5"), {"line 12", "\"5\"", "index of a vertex"}},
      {"a.off", replaced(off, "3 1 2 4", "3 1 2 -1"), {"line 12", "\"-1\""}},
      {"a.off", replaced(off, "3 1 2 4", "2 1 2"), {"line 12", "three vertices"}},
      {"a.off", replaced(off, "2 0 0", "2 nan 0"), {"line 5", "\"nan\"", "finite"}},
      {"a.off", replaced(off, "OFF #", "OFF BINARY #"), {"line 1", "BINARY", "ASCII"}},
      {"a.off", "solid x\n", {"line 1", "\"solid\"", "OFF"}},
      {"a.ply", replaced(ply_ascii, "property float z", "property float w"), {"\"vertex\"", "z"}},
      {"a.ply", replaced(ply_ascii, "vertex_indices", "indices"), {"\"face\"", "vertex_indices"}},
      {"a.ply", replaced(ply_ascii, "element vertex 5", "element vertex 500000"), {"line 7", "\"500000\""}},
      {"a.ply", replaced(ply_ascii, "property float z", "property quad z"), {"line 9", "\"quad\"", "a type"}},
      {"a.ply", replaced(ply_ascii, "ascii", "text"), {"line 2", "\"text\"", "binary_little_endian"}},
      {"a.ply", replaced(ply_ascii, "format ascii 1.0\n", ""), {"no format"}},
      {"a.ply", replaced(ply_ascii, "element vertex", "element point"), {"no element \"vertex\""}},
      {"a.ply", replaced(ply_ascii, "0 3 1 2 4 0", "0 3 1 2 5 0"), {"line 25", "5", "index of a vertex"}},
      {"a.ply", replaced(ply_ascii, "0 3 1 2 4 0", "0 3 1 2 1.5 0"), {"line 25", "1.5", "index of a vertex"}},
      {"a.ply", replaced(ply_ascii, "7 0 2 0", "7 0 inf 0"), {"line 19", "inf", "finite"}},
      {"a.ply", replaced(ply_ascii, "7 0 2 0", "7 0 x 0"), {"line 19", "\"x\""}},
      {"a.ply", ply_ascii + "1\n", {"line 28", "end of the file"}},
      {"a.ply", ply_binary(true) + "x", {"1 bytes more", "end of the file"}},
      {"a.ply", wrong_index, {"byte", "index of a vertex"}},
      {"a.msh", replaced(gmsh_2, "2.2 0 8", "4.0 0 8"), {"line 2", "\"4.0\"", "2.2 or 4.1"}},
      {"a.msh", replaced(gmsh_4, "4.1 0 8", "4.1 1 8"), {"line 2", "\"1\"", "ASCII"}},
      {"a.msh", replaced(gmsh_2, "20 2 0 0", "10 2 0 0"), {"line 11", "\"10\"", "not used before"}},
      {"a.msh", replaced(gmsh_2, "20 30 50", "20 31 50"), {"line 24", "node 31", "$Nodes"}},
      {"a.msh", replaced(gmsh_4, "5 20 30 50", "5 20 31 50"), {"node 31", "$Nodes"}},
      {"a.msh", replaced(gmsh_2, "40 0 3 0", "40 0 nan 0"), {"line 14", "\"nan\""}},
      {"a.msh", replaced(gmsh_2, "$EndNodes", "$EndElements"), {"line 16", "$EndNodes"}},
      {"a.msh", replaced(gmsh_2, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", ""), {"$Nodes", "$MeshFormat before"}},
      {"a.stl", replaced(stl_ascii(), "vertex", "corner"), {"line 4", "\"corner\"", "vertex"}},
      {"a.stl", replaced(stl_ascii(), "endloop", "vertex 1 2 3\nendloop"), {"line 7", "endloop"}},
      {"a.stl", replaced(stl_ascii(), "facet", "face"), {"line 2", "\"face\"", "facet or endsolid"}},
      {"a.stl", replaced(stl_ascii(), "endsolid\n", ""), {"line 23", "\"solid\""}},
      {"a.stl", replaced(stl_ascii(), "3 0\n", "3 inf\n"), {"\"inf\"", "finite"}},
      {"a.stl", "solid x\nendsolid\n", {"no triangles"}},
      {"a.stl", empty_stl, {"no triangles"}},
      {"a.stl", nan_stl, {"byte 150", "triangle 2", "nan"}},
      {"a.stl", many, {"byte 80", "16777222 triangles", "the file has 384"}},
      {"a.stl",
       "\x7f"
       "ELF",
       {"4 bytes", "STL"}},
      {"a.stl", stl_binary() + "x", {"a.stl"}}};
  for (const Broken& broken : cases) {
    SCOPED_TRACE(broken.name + testing::PrintToString(broken.words));
    expect_bad_input([&] { read_mesh(file(broken.name, broken.text)); }, broken.words);
  }
}

// ---- surfaces -------------------------------------------------------------------------------------------

TEST(Surface, FindsEveryDefect) {
  const TriangleMesh good{pyramid, pyramid_triangles};
  TriangleMesh open = good;
  open.triangles.pop_back();
  SurfaceReport report = check_closed_surface(open);
  EXPECT_FALSE(report.closed());
  EXPECT_EQ(report.open_edges.count, 3);
  EXPECT_EQ(report.open_edges.first, "edge 0-3 of triangle 0 only");
  EXPECT_EQ(report.crowded_edges.count + report.inconsistent_edges.count, 0);

  TriangleMesh turned = good;
  std::swap(turned.triangles[4][0], turned.triangles[4][1]);
  report = check_closed_surface(turned);
  EXPECT_FALSE(report.closed());
  EXPECT_EQ(report.inconsistent_edges.count, 3);
  EXPECT_EQ(report.inconsistent_edges.first, "edge 2-3 of triangles 0 and 4, which turn in opposite ways");
  EXPECT_EQ(report.open_edges.count + report.crowded_edges.count, 0);

  TriangleMesh inward = good;
  for (auto& t : inward.triangles) std::swap(t[0], t[1]);
  EXPECT_TRUE(check_closed_surface(inward).closed());
  EXPECT_NEAR(check_closed_surface(inward).signed_volume, -10, 1e-14);

  TriangleMesh fin = good;
  fin.vertices.push_back({9, 9, 9});
  fin.triangles.push_back({0, 1, 5});
  report = check_closed_surface(fin);
  EXPECT_EQ(report.crowded_edges.count, 1);
  EXPECT_EQ(report.crowded_edges.first, "edge 0-1 of 3 triangles, such as 1, 2 and 6");
  EXPECT_EQ(report.open_edges.count, 2);
  EXPECT_NE(report.describe().find("2 open edges (edge 0-5 of triangle 6 only); 1 edges of more"), std::string::npos)
      << report.describe();

  TriangleMesh flat = good;
  flat.triangles.push_back({2, 2, 1});
  flat.vertices.push_back({1, 0, 0});
  flat.triangles[2] = {0, 5, 4};
  flat.triangles.push_back({5, 1, 4});
  flat.triangles.push_back({0, 1, 5});
  report = check_closed_surface(flat);
  EXPECT_TRUE(report.closed()) << report.describe();
  EXPECT_EQ(report.degenerate_triangles.count, 2);
  EXPECT_EQ(report.degenerate_triangles.first, "triangle 6 of vertices 2, 2 and 1");
  EXPECT_NEAR(report.signed_volume, 10, 1e-14);

  TriangleMesh split = good;
  split.vertices.push_back(split.vertices[4]);
  split.vertices.push_back(split.vertices[1]);
  split.vertices.push_back(split.vertices[4]);
  split.triangles[2] = {0, 1, 5};
  report = check_closed_surface(split);
  EXPECT_EQ(report.duplicate_vertices.count, 3);
  EXPECT_EQ(report.duplicate_vertices.first, "vertex 5 where vertex 4 is");
  EXPECT_EQ(report.open_edges.count, 4);
}

TEST(Surface, VolumeIsThatOfTheBodyFarFromTheOrigin) {
  TriangleMesh mesh{pyramid, pyramid_triangles};
  for (Point& p : mesh.vertices) {
    for (double& x : p) x += 1048576;
  }
  EXPECT_NEAR(check_closed_surface(mesh).signed_volume, 10, 1e-8);
}

TEST(Placement, ScalesTurnsAndMoves) {
  TriangleMesh mesh{{{0, 0, 0}, {4, 0, 0}, {0, 2, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  const double volume = check_closed_surface(mesh).signed_volume;
  place(mesh, {.length = 8, .degrees = {0, 0, 90}, .centre = Point{10, 20, 30}, .translation = {0, 0, 1}});
  // x becomes y, and y becomes -x: exactly
  EXPECT_EQ(mesh.vertices[0], (Point{12, 16, 30}));
  EXPECT_EQ(mesh.vertices[1], (Point{12, 24, 30}));
  EXPECT_EQ(mesh.vertices[2], (Point{8, 16, 30}));
  EXPECT_EQ(mesh.vertices[3], (Point{12, 16, 32}));
  EXPECT_DOUBLE_EQ(check_closed_surface(mesh).signed_volume, 8 * volume);
  TriangleMesh other{mesh};
  place(other, {.degrees = {30, 40, 50}});
  EXPECT_NEAR(check_closed_surface(other).signed_volume, 8 * volume, 1e-12);
  TriangleMesh segment{{{3, 5, 7}, {5, 5, 7}}, {}};
  place(segment, {.length = 4});
  EXPECT_EQ(segment.vertices[0], (Point{2, 5, 7})) << "the centre of the bounding box stays";
  EXPECT_EQ(segment.vertices[1], (Point{6, 5, 7}));
  // x first, then z: (0, 1, 0) -> (0, 0, 1) -> (0, 0, 1); the other order would give (-1, 0, 0)
  TriangleMesh axes{{{0, -1, 0}, {0, 1, 0}}, {}};
  place(axes, {.degrees = {90, 0, 90}});
  EXPECT_EQ(axes.vertices[1], (Point{0, 0, 1}));
  expect_bad_input([&] { place(mesh, {.length = 0}); }, {"length", "positive"});
  expect_bad_input([&] { place(mesh, {.degrees = {0, NAN, 0}}); }, {"rotation", "nan"});
  TriangleMesh point{{{1, 1, 1}}, {}};
  expect_bad_input([&] { place(point, {.length = 1}); }, {"no extent"});
}

TEST(Orientation, IsExactWhereRoundingIsNot) {
  // points of a line with slope 1 and their neighbours: the classic failure of rounded determinants
  const double ulp = std::ldexp(1.0, -53);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      const std::array<double, 2> p = {0.5 + i * ulp, 0.5 + j * ulp};
      const int expected = j > i ? 1 : j < i ? -1 : 0;
      EXPECT_EQ(orientation({12.0, 12.0}, {24.0, 24.0}, p), expected);
      EXPECT_EQ(orientation({24.0, 24.0}, {12.0, 12.0}, p), -expected);
      EXPECT_EQ(orientation({12.0, 12.0, 1.0}, {24.0, 24.0, 2.0}, {24.0, 24.0, 5.0}, {p[0], p[1], 0.3}), -expected);
    }
  }
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-300}), 1);
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {7, 3, 0}), 0);
  // points of a plane through three others, and beside it by one unit in the last place
  std::mt19937 random(3);
  const auto integer = [&] { return static_cast<double>(random() % 2000001) - 1000000; };
  for (int round = 0; round < 1000; ++round) {
    std::array<Point, 4> p;
    for (Point& q : p) q = {integer(), integer(), integer()};
    for (std::size_t d = 0; d < 3; ++d) p[3][d] = p[0][d] + 3 * (p[1][d] - p[0][d]) - 5 * (p[2][d] - p[0][d]);
    EXPECT_EQ(orientation(p[0], p[1], p[2], p[3]), 0);
    const double normal_z = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    p[3][2] = std::nextafter(p[3][2], INFINITY);
    EXPECT_EQ(orientation(p[0], p[1], p[2], p[3]), normal_z > 0 ? 1 : -1);
  }
}

}  // namespace
}  // namespace asterism::mesh
