// SPDX-License-Identifier: Apache-2.0
// gmsh's four formats (MSH 2.2 and 4.1, text and binary) of one mesh with physical groups hold the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "io/mesh/gmsh.hpp"

namespace asterism::mesh {
namespace {

namespace fs = std::filesystem;

const std::string names = "$PhysicalNames\n2\n2 4 \"hot # side\"\n3 6 \"all\"\n$EndPhysicalNames\n";

template <class... Numbers>
std::string bytes(Numbers... numbers) {
  std::string text;
  const auto add = [&](auto number) {
    text.resize(text.size() + sizeof number);
    std::memcpy(text.data() + text.size() - sizeof number, &number, sizeof number);
  };
  (add(numbers), ...);
  return text;
}
std::uint64_t size(std::uint64_t n) {
  return n;
}

// Four nodes; a point of group 9, a line without group, a quadrangle that nobody reads, a triangle of group 4 and a
// tetrahedron of groups 6 and 7.

const std::string text_2 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + names +
    "$Nodes\n4\n11 0 0 0\n12 1.5 0 0\n13 0 1 0\n14 0 0 -2\n$EndNodes\n$Elements\n6\n1 15 2 9 1 11\n2 1 2 0 1 11 12\n"
    "3 3 2 4 1 11 12 13 14\n4 2 2 4 1 11 12 13\n5 4 2 6 1 11 13 12 14\n5 4 2 7 1 11 13 12 14\n$EndElements\n";

const std::string text_4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" + names +
    "$Entities\n1 1 1 1\n1 0 0 0 1 9\n1 0 0 0 1 0 0 0 2 1 -1\n1 0 0 0 1 1 0 1 -4 0\n1 0 0 -2 1 1 0 2 7 6 1 1\n"
    "$EndEntities\n$Nodes\n2 4 11 14\n0 1 0 1\n11\n0 0 0\n3 1 0 3\n12\n13\n14\n1.5 0 0\n0 1 0\n0 0 -2\n$EndNodes\n"
    "$Elements\n5 5 1 5\n0 1 15 1\n1 11\n1 1 1 1\n2 11 12\n2 1 3 1\n3 11 12 13 14\n2 1 2 1\n4 11 12 13\n3 1 4 1\n"
    "5 11 13 12 14\n$EndElements\n";

const std::string binary_2 = "$MeshFormat\n2.2 1 8\n" + bytes(1) + "\n$EndMeshFormat\n" + names + "$Nodes\n4\n" +
                             bytes(11, 0.0, 0.0, 0.0) + bytes(12, 1.5, 0.0, 0.0) + bytes(13, 0.0, 1.0, 0.0) +
                             bytes(14, 0.0, 0.0, -2.0) + "\n$EndNodes\n$Elements\n6\n" + bytes(15, 1, 2, 1, 9, 1, 11) +
                             bytes(1, 1, 2, 2, 0, 1, 11, 12) + bytes(3, 1, 2, 3, 4, 1, 11, 12, 13, 14) +
                             bytes(2, 1, 2, 4, 4, 1, 11, 12, 13) +
                             bytes(4, 2, 2, 5, 6, 1, 11, 13, 12, 14, 5, 7, 1, 11, 13, 12, 14) + "\n$EndElements\n";

const std::string binary_4 =
    "$MeshFormat\n4.1 1 8\n" + bytes(1) + "\n$EndMeshFormat\n" + names + "$Entities\n" +
    bytes(size(1), size(1), size(1), size(1)) + bytes(1, 0.0, 0.0, 0.0, size(1), 9) +
    bytes(1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, size(0), size(2), 1, -1) +
    bytes(1, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, size(1), -4, size(0)) +
    bytes(1, 0.0, 0.0, -2.0, 1.0, 1.0, 0.0, size(2), 7, 6, size(1), 1) + "\n$EndEntities\n$Nodes\n" +
    bytes(size(2), size(4), size(11), size(14)) + bytes(0, 1, 0, size(1), size(11), 0.0, 0.0, 0.0) +
    bytes(1, 1, 1, size(3), size(12), size(13), size(14), 1.5, 0.0, 0.0, 0.1, 0.0, 1.0, 0.0, 0.2, 0.0, 0.0, -2.0, 0.3) +
    "\n$EndNodes\n$Elements\n" + bytes(size(5), size(5), size(1), size(5)) +
    bytes(0, 1, 15, size(1), size(1), size(11)) + bytes(1, 1, 1, size(1), size(2), size(11), size(12)) +
    bytes(2, 1, 3, size(1), size(3), size(11), size(12), size(13), size(14)) +
    bytes(2, 1, 2, size(1), size(4), size(11), size(12), size(13)) +
    bytes(3, 1, 4, size(1), size(5), size(11), size(13), size(12), size(14)) + "\n$EndElements\n";

class GmshFiles : public ::testing::Test {
 protected:
  GmshMesh read(const std::string& content) const {
    std::ofstream(file_, std::ios::binary) << content;
    return read_gmsh(TextFile(file_, "a gmsh mesh"));
  }
  void TearDown() override { fs::remove(file_); }

  const fs::path file_ = fs::path(::testing::TempDir()) / ("asterism_gmsh_" + std::to_string(::getpid()) + ".msh");
};

TEST_F(GmshFiles, TextAndBinaryHoldTheSame) {
  using Groups = std::vector<std::int64_t>;
  for (const std::string& content : {text_2, text_4, binary_2, binary_4}) {
    SCOPED_TRACE(content.substr(12, 7));
    const GmshMesh mesh = read(content);
    const auto groups = [&](const auto& element) { return mesh.group_sets[static_cast<std::size_t>(element.groups)]; };
    ASSERT_EQ(mesh.nodes.size(), 4U);
    EXPECT_EQ(mesh.nodes[static_cast<std::size_t>(mesh.node_index(14, 1))], (std::array<double, 3>{0, 0, -2}));
    EXPECT_EQ(mesh.nodes[static_cast<std::size_t>(mesh.node_index(12, 1))], (std::array<double, 3>{1.5, 0, 0}));
    ASSERT_EQ(mesh.points.size(), 1U);
    EXPECT_EQ(groups(mesh.points[0]), Groups{9});
    ASSERT_EQ(mesh.lines.size(), 1U);
    EXPECT_EQ(mesh.lines[0].node, (std::array<std::int64_t, 2>{11, 12}));
    EXPECT_EQ(groups(mesh.lines[0]), Groups{});
    ASSERT_EQ(mesh.triangles.size(), 1U);
    EXPECT_EQ(mesh.triangles[0].node, (std::array<std::int64_t, 3>{11, 12, 13}));
    EXPECT_EQ(groups(mesh.triangles[0]), Groups{4});
    Groups of_tetrahedron;
    for (const auto& element : mesh.tetrahedra) {
      EXPECT_EQ(element.node, (std::array<std::int64_t, 4>{11, 13, 12, 14}));
      for (const std::int64_t tag : groups(element)) of_tetrahedron.push_back(tag);
    }
    EXPECT_EQ(of_tetrahedron, (Groups{6, 7}));
    EXPECT_EQ(mesh.group_names.size(), 2U);
    EXPECT_EQ(mesh.group_names.at({2, 4}), "hot # side");
    EXPECT_EQ(mesh.group_names.at({3, 6}), "all");
  }
}

TEST_F(GmshFiles, CutOrChangedOnesAreRefused) {
  for (const std::string& content : {binary_2, binary_4}) {
    for (const char* const section : {"Nodes", "Elements"}) {
      const std::size_t end = content.find(fmt::format("$End{}", section));
      for (std::size_t length = content.find(fmt::format("${}", section)) + 3; length < end + 6; length += 3)
        EXPECT_THROW((void)read(content.substr(0, length)), Error) << section << ' ' << length;
    }
    std::string swapped = content;
    std::swap(swapped[20], swapped[23]);
    EXPECT_THROW((void)read(swapped), Error) << "the other order of bytes";
  }
  for (const std::string& content : {text_2, text_4}) {
    std::string unnamed = content;
    unnamed.replace(unnamed.find("\"all\""), 5, "all");
    EXPECT_THROW((void)read(unnamed), Error);
    std::string fourth = content;
    fourth.replace(fourth.find("3 6 \""), 1, "4");
    EXPECT_THROW((void)read(fourth), Error);
  }
}

}  // namespace
}  // namespace asterism::mesh
