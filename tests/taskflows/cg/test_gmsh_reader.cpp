// SPDX-License-Identifier: Apache-2.0
// The reader of gmsh meshes: what it keeps of a file, plain or compressed, and what it refuses.
#include "taskflows/cg/matrix/gmsh_reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/gzip.hpp"
#include "tests/taskflows/cg/complaints.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;
using tests::gzip;
using Vector = std::array<double, 3>;

class Reader : public ::testing::Test {
 protected:
  TetMesh read(const std::string& content) {
    std::ofstream(file_, std::ios::binary) << content;
    return read_gmsh(file_);
  }
  void expect_refused(const std::string& content, const std::string& part) {
    const std::string message = message_of([&] { (void)read(content); });
    EXPECT_NE(message.find(part), std::string::npos) << "'" << message << "' should hold '" << part << "'";
    EXPECT_NE(message.find(file_.string()), std::string::npos) << message;
  }
  void TearDown() override { fs::remove(file_); }

  const fs::path file_ = fs::path(::testing::TempDir()) / ("asterism_reader_" + std::to_string(::getpid()) + ".msh");
};

const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string nodes_text =
    "$Nodes\n6\n70 0 0 0\n-3 2 0 0\n5 0 3 0\n9000000000 0 0 1e+0\n8 9 9 9\n1 2 3 4\n$EndNodes\n";
// A point, an inverted tetrahedron without tags and the same one, right, with two; nodes 8 and 1 are used by none.
const std::string elements_text =
    "$Elements\n3\n1 15 2 4 1 8\n2 4 0 70 5 -3 9000000000\n3 4 2 7 7 70 -3 5 9000000000\n";
const std::string good_text =
    head + "$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n" + nodes_text + elements_text + "$EndElements\n";

TEST_F(Reader, KeepsTetrahedraAndTheirNodes) {
  std::string dos = good_text;
  for (std::size_t at = 0; (at = dos.find('\n', at)) != std::string::npos; at += 2) dos.insert(at, "\r");
  const std::string zeros(100000, ' ');  // packs 1000 to 1: needs room to be found
  for (const std::string& text : {good_text, dos, gzip(good_text), gzip(zeros + "\n" + good_text),
                                  gzip(good_text.substr(0, 99)) + gzip(good_text.substr(99))}) {
    const TetMesh mesh = read(text);
    EXPECT_EQ(mesh.name, file_.filename());
    ASSERT_EQ(mesh.node.size(), 4U);
    EXPECT_EQ(mesh.node[1], (Vector{2, 0, 0}));
    EXPECT_EQ(mesh.node[3], (Vector{0, 0, 1}));
    EXPECT_EQ(mesh.number, (std::vector<std::int64_t>{70, -3, 5, 9000000000}));
    ASSERT_EQ(mesh.tet.size(), 1U) << "listed once for each of its groups";
    EXPECT_EQ(mesh.tet[0], (std::array<std::int32_t, 4>{0, 2, 3, 1}));
    ASSERT_EQ(mesh.group.size(), 3U);
    EXPECT_EQ(mesh.group[0].dimension, 0);
    EXPECT_EQ(mesh.group[0].foreign, 1) << "a point that no tetrahedron has";
    EXPECT_EQ(mesh.group[1].name, "body");
    EXPECT_TRUE(mesh.group[1].entry.empty());
    EXPECT_EQ(mesh.group[2].tag, 7);
    EXPECT_EQ(mesh.group[2].entry, std::vector<std::int32_t>{0});
  }
}

TEST_F(Reader, RefusesBadFiles) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = good_text;
    return text.replace(text.find(from), from.size(), to);
  };
  expect_refused("", "the file is empty; expected a gmsh mesh");
  expect_refused(
      "\x7f"
      "ELF\x01\n",
      "line 1: found \"?ELF?\"");
  expect_refused(changed("2.2 0 8", "4.0 0 8"), "line 2: found \"4.0\"; expected 2.2 or 4.1");
  expect_refused(changed("2.2 0 8", "2.2 2 8"), "line 2: found \"2\"; expected 0 (an ASCII file) or 1");
  expect_refused(changed("2.2 0 8", "2.2 1 8"), "byte 24: found another order of bytes");
  expect_refused(nodes_text, "line 1: found \"$Nodes\"; expected $MeshFormat before it");
  expect_refused(changed("$Nodes\n6", "$Nodes\nsix"), "line 9: found \"six\"; expected the number of nodes");
  expect_refused(changed("$Nodes\n6", "$Nodes\n7"), "line 16: found \"$EndNodes\"; expected the number of a node");
  expect_refused(changed("$Nodes\n6", "$Nodes\n5"), "line 15: found \"1\"; expected $EndNodes");
  expect_refused(changed("9 9 9", "9 nan 9"), "line 14: found \"nan\"; expected a finite coordinate");
  expect_refused(changed("9 9 9", "9 9,5 9"), "line 14: found \"9,5\"; expected a coordinate");
  expect_refused(changed("8 9 9 9", "8 9 9"), "line 14: found the end of the line; expected a coordinate");
  expect_refused(changed("8 9 9 9", "5 9 9 9"), "line 14: found \"5\"; expected a node number that was not used");
  expect_refused(changed("5 -3 9000000000", "5 -3"),
                 "line 20: found the end of the line; expected the number of a node");
  expect_refused(changed("70 5 -3", "70 6 -3"), "line 20: found node 6; expected a number listed in $Nodes");
  expect_refused(changed("70 5 -3", "70 -3 -3"), "line 20: found a tetrahedron of zero volume");
  expect_refused(changed("0 0 1e+0", "4 -3 0"), "line 20: found a tetrahedron of zero volume");
  expect_refused(good_text.substr(0, good_text.size() - 5), "expected $EndElements");
  expect_refused(head + nodes_text, "no element is a 4-node tetrahedron");
  expect_refused(head + nodes_text + elements_text, "line 17: the file ends; expected $EndElements");
  expect_refused(head + "$Periodic\n1\n", "line 5: the file ends; expected $EndPeriodic");
  const std::string packed = gzip(good_text);
  expect_refused(packed.substr(0, packed.size() / 2), "truncated or corrupt gzip data");
  EXPECT_NE(message_of([] { (void)read_gmsh("/no/such.msh"); }).find("/no/such.msh: cannot be read: No such file"),
            std::string::npos);
  EXPECT_NE(message_of([] { (void)read_gmsh("/tmp"); }).find("/tmp: is a directory; expected a gmsh mesh"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism::cg
