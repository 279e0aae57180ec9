// SPDX-License-Identifier: Apache-2.0
// Models in TOML files: what is read, and what is refused in one line that names file, line and key.
#include "taskflows/cg/structure/model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/taskflows/cg/complaints.hpp"
#include "tests/taskflows/cg/solved_structure.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;

const std::string mesh_text = "[mesh]\nfile = \"part.msh\"\n";                                      // lines 1, 2
const std::string steel = "[[materials]]\nyoung = 210e9\npoisson = 0.3\n";                          // lines 3 to 5
const std::string wall = "[[supports]]\ngroup = \"wall\"\nfixed = \"xyz\"\n";                       // lines 6 to 8
const std::string pull = "[[loads]]\nname = \"pull\"\ngroup = \"tip\"\ntraction = [1, 0, -2.5]\n";  // lines 9 to 12

class Models : public ::testing::Test {
 protected:
  Model read(const std::string& text) const {
    std::ofstream(file_) << text;
    return read_model(file_);
  }
  void expect_refused(const std::string& text, const std::vector<std::string>& parts) const {
    const std::string message = message_of([&] { (void)read(text); });
    EXPECT_EQ(message.rfind(file_.string() + ": line ", 0), 0U) << message;
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << "\n" << part;
  }
  void TearDown() override { fs::remove(file_); }

  const fs::path file_ = fs::path(::testing::TempDir()) / ("asterism_model_" + std::to_string(::getpid()) + ".toml");
};

TEST_F(Models, EverythingIsRead) {
  const Model model =
      read("[mesh]\nfile = \"meshes/part.msh.gz\"\nunit = \"mm\"\nelement = \"p1\"\n" + steel +
           "group = 3\ndensity = 7850\n"
           "[[supports]]\ngroup = \"wall\"\nfixed = \"xz\"\ndisplacement = { y = -0.002 }\n"
           "[[supports]]\nname = \"plane\"\nwhere = { x = 0, y = [1, 2.5] }\nfixed = \"x\"\n" +
           pull +
           "[[loads]]\nwhere = { cylinder = { axis = \"y\", centre = [215, 0, 1], radius = 15 } }\nforce = [0, 0, 5]\n"
           "[[loads]]\ngroup = \"lid\"\npressure = 1e5\n[[loads]]\ngravity = [0, 0, -9.81]\n");
  EXPECT_EQ(model.mesh, file_.parent_path() / "meshes/part.msh.gz");
  EXPECT_EQ(model.unit, 1e-3);
  EXPECT_EQ(model.element, Element::p1);
  ASSERT_EQ(model.materials.size(), 1U);
  EXPECT_EQ(model.materials[0].part.tag, 3);
  EXPECT_EQ(model.materials[0].density, 7850);
  ASSERT_EQ(model.supports.size(), 2U);
  EXPECT_EQ(model.supports[0].name, "wall");
  EXPECT_EQ(model.supports[0].displacement, (std::array<std::optional<double>, 3>{0.0, -0.002, 0.0}));
  EXPECT_EQ(model.supports[1].name, "plane");
  EXPECT_EQ(model.supports[1].displacement, (std::array<std::optional<double>, 3>{0.0, {}, {}}));
  EXPECT_EQ(model.supports[1].part.region->range[0], (std::array<double, 2>{0, 0}));
  EXPECT_EQ(model.supports[1].part.region->range[1], (std::array<double, 2>{1, 2.5}));
  EXPECT_FALSE(model.supports[1].part.region->range[2]);
  ASSERT_EQ(model.loads.size(), 4U);
  EXPECT_EQ(model.loads[0].kind, LoadKind::traction);
  EXPECT_EQ(model.loads[0].vector, (std::array<double, 3>{1, 0, -2.5}));
  EXPECT_EQ(model.loads[1].part.region->cylinder->axis, 1U);
  EXPECT_EQ(model.loads[1].part.region->cylinder->radius, 15);
  EXPECT_EQ(model.loads[1].name, "force 2");
  EXPECT_EQ(model.loads[2].pressure, 1e5);
  EXPECT_EQ(model.loads[3].kind, LoadKind::gravity);
}

TEST_F(Models, RefusesBadFiles) {
  const std::string good = mesh_text + steel + wall;
  expect_refused(mesh_text + wall, {"line 1", "no material", "[[materials]]"});
  expect_refused(mesh_text + steel, {"line 1", "no support", "[[supports]]"});
  expect_refused("[mesh]\nunit = \"m\"\n" + steel + wall, {"line 1: mesh.file", "a gmsh file"});
  expect_refused(mesh_text + "unit = \"km\"\n" + steel + wall, {"line 3: mesh.unit", "\"km\"", "\"mm\""});
  expect_refused(mesh_text + "[[materials]]\nyuong = 1\npoisson = 0.3\n", {"line 4", "\"yuong\"", "young"});
  expect_refused(good + pull + "[[lodas]]\n", {"line 13", "\"lodas\"", "unknown key", "the nearest is loads"});
  expect_refused(good + "[[loads]]\ngroup = \"a\"\npresure = 3\n", {"line 9", "no load", "pressure"});
  expect_refused(good + pull + "pressure = 3\n", {"line 9: loads[0]", "several loads"});
  expect_refused(good + "[[loads]]\nforce = [1, 2, 3]\n", {"line 9: loads[0]", "neither group nor where"});
  expect_refused(good + "[[loads]]\ngroup = \"a\"\ngravity = [1, 2, 3]\n", {"line 9", "gravity on a part"});
  expect_refused(good + "[[loads]]\ngroup = \"a\"\nforce = 5\n", {"line 11: loads[0].force", "3 numbers"});
  expect_refused(mesh_text + "[[materials]]\nyoung = -1\npoisson = 0.3\n", {"line 4: materials[0].young", "positive"});
  expect_refused(mesh_text + "[[materials]]\nyoung = 1\npoisson = 0.5\n", {"line 5", "between -1 and 0.5"});
  expect_refused(mesh_text + steel + "[[supports]]\ngroup = \"a\"\n", {"line 6: supports[0]", "neither fixed nor"});
  expect_refused(mesh_text + steel + "[[supports]]\nfixed = \"x\"\n", {"line 6", "neither group nor where"});
  expect_refused(mesh_text + steel + "[[supports]]\ngroup = \"a\"\nfixed = \"xw\"\n", {"line 8", "x, y and z"});
  expect_refused(mesh_text + steel + "[[supports]]\ngroup = \"a\"\nfixed = \"x\"\ndisplacement = { x = 1 }\n",
                 {"line 9", "fixed as well"});
  expect_refused(mesh_text + steel + "[[supports]]\nwhere = { x = [2, 1] }\nfixed = \"x\"\n", {"line 7", "lowest"});
  expect_refused(mesh_text + steel + "[[supports]]\nwhere = {}\nfixed = \"x\"\n", {"line 7", "cylinder"});
  expect_refused(mesh_text + steel + "[[supports]]\nwhere = { x = 1 }\ngroup = \"a\"\nfixed = \"x\"\n",
                 {"line 7", "group as well"});
}

// ---- models that do not fit their mesh -------------------------------------------------------------------------

Model good_model() {
  Model model = model_of(Element::p2, 1, 0.3);
  model.supports = {{.name = "held", .part = group_named("x0"), .displacement = {0, 0, 0}}};
  model.loads = {{.name = "pull", .part = group_named("x1"), .kind = LoadKind::traction, .vector = {1, 0, 0}}};
  return model;
}

TEST(ModelOnMesh, IsRefusedWhereItDoesNotFit) {
  const auto expect = [](const Model& model, const std::vector<std::string>& parts, TetMesh mesh) {
    const std::string message = message_of([&] { (void)make_structure(model, mesh); });
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << "\n" << part;
  };
  const TetMesh mesh = box_with_groups({2, 2, 2}, {1, 1, 1});
  EXPECT_EQ(message_of([&] { (void)make_structure(good_model(), mesh); }), "no error");
  Model model = good_model();
  model.loads[0].part.name = "x2";
  expect(model, {"test: found group \"x2\"", "\"y1\" (triangles)", "the nearest is \"x0\""}, mesh);
  model = good_model();
  model.materials[0].part = group_named("steel");
  expect(model, {"found group \"steel\"", "has none of this kind"}, mesh);
  model = good_model();
  model.materials[0].part = region({{{{0, 0.5}}, {}, {}}});
  expect(model, {"24 of the 48 tetrahedra", "no material"}, mesh);
  model.materials.push_back(good_model().materials[0]);
  expect(model, {"has materials[0] already"}, mesh);
  model = good_model();
  model.supports[0].displacement = {0, 0, {}};
  expect(model, {"25 supported nodes", "5 of its 6 rigid motions"}, mesh);
  model = good_model();
  model.supports.push_back({.name = "other", .part = group_named("y0"), .displacement = {1, {}, {}}});
  expect(model, {"other gives x = 1 m where held gives 0 m"}, mesh);
  model = good_model();
  model.supports[0].part = region({{{{5, 6}}, {}, {}}});
  expect(model, {"found no node of box in where"}, mesh);
  model = good_model();
  model.loads[0] = {.name = "weight", .part = {.place = "test"}, .kind = LoadKind::gravity, .vector = {0, 0, -9.81}};
  expect(model, {"materials[0] has no density"}, mesh);
  model = good_model();
  model.loads.clear();
  expect(model, {"nothing loads the body"}, mesh);

  TetMesh inner = mesh;
  add_face_group(inner, "middle", [](const Vector& x) { return std::abs(x[0] - 0.5) < 1e-9; });
  model = good_model();
  model.loads[0].part.name = "middle";
  EXPECT_EQ(message_of([&] { (void)make_structure(model, inner); }), "no error") << "a traction may act inside";
  model.loads[0].kind = LoadKind::pressure;
  expect(model, {"between two tetrahedra", "no outside"}, inner);
  inner.group.back().entry = {0, 1, 26};
  expect(model, {"nodes 7, 17 and 267 is no face"}, inner);
  inner.group.back() = {.dimension = 2, .tag = 9, .name = "middle", .entry = {}, .foreign = 2};
  expect(model, {"2 of its elements are on no tetrahedron"}, inner);
}

}  // namespace
}  // namespace asterism::cg
