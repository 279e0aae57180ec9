// SPDX-License-Identifier: Apache-2.0
// Triangle meshes: the same body in every format; files that are broken in every way; defects of surfaces; real bodies.
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "io/mesh/mesh.hpp"
#include "io/mesh/surface.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/io/pyramid.hpp"

namespace asterism::mesh {
namespace {

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
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, off.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor, off.data(), off.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  EXPECT_EQ(read_mesh(file("mesh.off.gz", packed)).triangles.size(), 6U);
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
      {"a.msh", replaced(gmsh_4, "4.1 0 8", "4.1 2 8"), {"line 2", "\"2\"", "ASCII", "binary"}},
      {"a.msh", replaced(gmsh_4, "4.1 0 8", "4.1 1 8"), {"byte", "another order of bytes"}},
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

}  // namespace
}  // namespace asterism::mesh
