// SPDX-License-Identifier: Apache-2.0
// asterism-cg --model as its user runs it: a mesh from examples/cg/structured_mesh.py, the summary, the record, and the
// file as VTK's own reader has it.
#include <nlohmann/json.hpp>

#include <cmath>

#include "tests/apps/run_program.hpp"

namespace asterism::tests {
namespace {

using nlohmann::json;

const fs::path examples = fs::path(ASTERISM_SOURCE_DIR) / "examples" / "cg";

class AsterismCgModels : public ProgramTest {
 protected:
  AsterismCgModels() : ProgramTest("asterism-cg", "ASTERISM_CG", ASTERISM_CG, {"--output", "part.vtu"}) {}

  static int shell(const std::string& command) { return WEXITSTATUS(std::system(command.c_str())); }
  fs::path mesh(const std::string& shape) const {
    const fs::path path = output("..") / "part.msh";
    EXPECT_EQ(shell((examples / "structured_mesh.py").string() + " " + shape + " > " + path.string()), 0);
    return path;
  }
  json record(const std::string& name) const { return json::parse(contents(output(name))); }
  /// What VTK reads; null where its Python modules are missing.
  json read_vtu(const std::string& name) const {
    const std::string script = std::string(ASTERISM_SOURCE_DIR) + "/tests/apps/cg/read_vtu.py";
    const int status = shell(script + " " + output(name).string() + " > " + output("read.json").string());
    if (status == 77) return nullptr;
    EXPECT_EQ(status, 0);
    return record("read.json");
  }
};

/// 2 m x 0.3 m x 0.5 m, pulled by 3 MPa, without lateral effects: exact with both elements.
std::string bar(const std::string& element, const std::string& more = "") {
  return "[mesh]\nfile = \"part.msh\"\nunit = \"cm\"\nelement = \"" + element +
         "\"\n[[materials]]\nyoung = 2e9\npoisson = 0\n[[supports]]\ngroup = \"x0\"\nfixed = \"xyz\"\n"
         "[[loads]]\nname = \"pull\"\ngroup = \"x1\"\ntraction = [3e6, 0, 0]\n" +
         more;
}

void expect_near(const json& tuple, const std::vector<double>& exact, double tolerance) {
  ASSERT_EQ(tuple.size(), exact.size());
  for (std::size_t c = 0; c < exact.size(); ++c) EXPECT_NEAR(tuple[c].get<double>(), exact[c], tolerance) << c;
}

TEST_F(AsterismCgModels, ResultsAreThoseOfTheBar) {
  mesh("beam 200 30 50 4 2 3");
  for (const std::string element : {"p1", "p2"}) {
    SCOPED_TRACE(element);
    const Ran ran = run({"--model", file(bar(element), "part.toml"), "--output", "part.vtu", "--json", "run.json",
                         "--tolerance", "1e-12", "--verify", "--quiet", "--preconditioner", "jacobi"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    for (const char* row :
         {"load                  pull: (450000, 0, 0) N", "reaction              x0: (-450000, 0, 0) N",
          "strain energy         675 J", "largest displacement  0.003 m", "equilibrium"})
      EXPECT_TRUE(contains(ran.out, row)) << row << "\n" << ran.out;
    const json structure = record("run.json")["structure"];
    expect_near(structure["reactions"][0]["force_N"], {-450000, 0, 0}, 1e-3);
    expect_near(structure["loads"][0]["moment_Nm"], {0, 450000 * 0.25, -450000 * 0.15}, 1e-6);
    EXPECT_NEAR(structure["strain_energy_J"].get<double>(), 675, 1e-6);
    EXPECT_NEAR(structure["volume_m3"].get<double>(), 0.3, 1e-12);
    EXPECT_NEAR(structure["largest_von_mises_stress_Pa"]["value"].get<double>(), 3e6, 1);

    const json read = read_vtu("part.vtu");
    if (read.is_null()) GTEST_SKIP() << "VTK's Python modules are missing: install python3-vtk9";
    EXPECT_EQ(read["cell"], element == "p1" ? "vtkTetra" : "vtkQuadraticTetra");
    EXPECT_EQ(read["cells"], 4 * 2 * 3 * 6);
    EXPECT_NEAR(read["volume"].get<double>(), 0.3, 1e-9);
    const json& nodes = read["at_nodes"];
    const json& cells = read["in_cells"];
    ASSERT_EQ(nodes["displacement"]["values"].size(), read["points"].size());
    for (std::size_t i = 0; i < read["points"].size(); ++i) {
      const json& x = read["points"][i];
      expect_near(nodes["displacement"]["values"][i], {1.5e-3 * x[0].get<double>(), 0, 0}, 1e-11);
      expect_near(nodes["stress"]["values"][i], {3e6, 0, 0, 0, 0, 0}, 0.1);
      expect_near(nodes["von_mises_stress"]["values"][i], {3e6}, 0.1);
      if (x[0].get<double>() > 0) expect_near(nodes["reaction"]["values"][i], {0, 0, 0}, 0);
    }
    for (const json& tensor : cells["cell_stress"]["values"]) expect_near(tensor, {3e6, 0, 0, 0, 0, 0}, 0.1);
    EXPECT_EQ(nodes["displacement"]["unit"], "m");
    EXPECT_EQ(nodes["reaction"]["unit"], "N");
    EXPECT_EQ(nodes["stress"]["unit"], "Pa");
    EXPECT_EQ(cells["cell_von_mises_stress"]["unit"], "Pa");
    EXPECT_TRUE(contains(read["units"].dump(), "displacement: m"));
    // nodes of the file come first and in its order: (0, 0, 0), (0, 0, 50 / 3 cm), ...
    EXPECT_EQ(nodes["mesh_node"]["values"][1][0], 2);
    expect_near(read["points"][1], {0, 0, 0.5 / 3}, 1e-12);
    EXPECT_EQ(nodes["mesh_node"]["values"].back()[0], element == "p1" ? 5 * 3 * 4 : 0);
  }
}

TEST_F(AsterismCgModels, ThoseThatAreRefused) {
  mesh("beam 200 30 50 4 2 3");
  const auto refused = [&](const std::string& text, const Arguments& words) {
    expect_bad_input({"--model", file(text, "part.toml")}, words);
  };
  refused(bar("p3"), {"line 4", "mesh.element", "p3", "p1"});
  refused(bar("p1", "colour = 3\n"), {"line 15", "colour", "unknown key"});
  refused(bar("p1", "[[loads]]\ngroup = \"x11\"\npressure = 1\n"), {"line 15", "x11", "the nearest is \"x1\""});
  refused("[mesh]\nfile = \"none.msh\"\n" + bar("p1").substr(bar("p1").find("[[")), {"none.msh", "cannot be read"});
  expect_bad_input({"--model", file(bar("p1"), "part.toml"), "--output", "part.vtk"}, {"part.vtk", ".vtu"}, false);
  expect_bad_input({"--model", file(bar("p1"), "part.toml"), "--rhs", "ones"}, {"--rhs", "--model"});
  expect_bad_input({"--stencil", "7pts-4"}, {"--output", "--model"});
}

}  // namespace
}  // namespace asterism::tests
