// SPDX-License-Identifier: Apache-2.0
// asterism-reproduce as its users meet it: figures come out, differences follow from what the paper's file says.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/apps/egg_mesh.hpp"
#include "tests/apps/reproduced_figures.hpp"
#include "tests/apps/run_program.hpp"
#include "tests/gzip.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

/// Beside the program.
fs::path folder_of_papers() {
  const char* const other = std::getenv("ASTERISM_REPRODUCE");
  return fs::path(other != nullptr ? other : ASTERISM_REPRODUCE).parent_path().parent_path() / "share" / "asterism" /
         "papers";
}
const fs::path papers = folder_of_papers();

class AsterismReproduce : public ProgramTest {
 protected:
  AsterismReproduce()
      : ProgramTest("asterism-reproduce", "ASTERISM_REPRODUCE", ASTERISM_REPRODUCE,
                    {"--json", "run.json", "--csv", "run.csv"}) {}

  json record(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--json", output("run.json"), "--csv", output("run.csv")});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.status == 0 ? json::parse(contents(output("run.json"))) : json();
  }
  /// A folder with the papers' files, one of them altered.
  [[nodiscard]] fs::path altered(const std::string& name, const std::string& from, const std::string& to) const {
    const fs::path folder = folder_ / "papers";
    fs::remove_all(folder);
    fs::copy(papers, folder);
    std::string text = contents(papers / name);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(folder / name) << text;
    return folder;
  }
};

const Arguments table1 = {"tdbem-table1", "--elements", "600", "--iterations", "12"};
const std::string by_workers = "Extra cost over the exact optimum, by heterogeneity of the workers";

TEST_F(AsterismReproduce, ListsItsExperiments) {
  const Ran ran = run({"--list"});
  EXPECT_EQ(ran.status, 0);
  for (const char* word :
       {"tdbem-table1",   "Table 1",     "tdbem-table4",     "Table 4",        "Parallel Computing 49",
        "tdbem-figure15", "cg-table2",   "cg-table3",        "cg-table4",      "cg-figure4",
        "RR-8192",        "fmm-figure9", "fmm-figure13",     "fmm-figure17",   "RR-8513",
        "lbm-figure9",    "lbm-table3",  "Computation 5(4)", "fdtd-figure4.4", "fdtd-figure4.8"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
  const Ran help = run({"tdbem-table4", "--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* word : {"--mesh", "--unknowns", "--json", "--csv"}) EXPECT_TRUE(contains(help.out, word)) << word;
}

TEST_F(AsterismReproduce, TableOne) {
  const json r = record(table1);
  const json row = figure(r, by_workers, "Up, largest");
  EXPECT_EQ(row["paper"], 0.2);
  double largest = 0, smallest = 1e9;
  for (const char* work : {"Up-Down", "Up-Up", "Up", "Random", "Stable"}) {
    const json cell = figure(r, "Extra cost, workers: work", "Up: " + std::string(work));
    EXPECT_TRUE(cell["paper"].is_null());
    EXPECT_TRUE(cell["ours"][0]["points"].is_null());
    largest = std::max(largest, cell["ours"][0]["value"].get<double>());
    smallest = std::min(smallest, cell["ours"][0]["value"].get<double>());
    EXPECT_GE(cell["ours"][0]["value"], -1e-9);
  }
  EXPECT_EQ(row["ours"][0]["value"], largest);
  EXPECT_EQ(figure(r, by_workers, "Up, smallest")["ours"][0]["value"], smallest);
  // percentages are compared in points
  EXPECT_NEAR(row["ours"][0]["points"], largest - 0.2, 1e-12);
  EXPECT_TRUE(row["ours"][0]["difference"].is_null());
  const std::string shown = run(table1).out;
  for (const char* nonsense : {"inf", "nan"}) EXPECT_FALSE(contains(shown, std::string(nonsense) + " %")) << shown;
  // a line per figure and column, and the names
  EXPECT_EQ(lines_of(contents(output("run.csv"))).size(), 1U + 2 * (10 + 25));
}

TEST_F(AsterismReproduce, AnotherPaperMakesAnotherDifference) {
  const double before = figure(record(table1), by_workers, "Up, largest")["ours"][0]["points"];
  Arguments other = table1;
  other.insert(other.end(),
               {"--papers", altered("tdbem-table1.toml", "[\"Up, largest\", 0.2]", "[\"Up, largest\", 0.4]")});
  const json row = figure(record(other), by_workers, "Up, largest");
  EXPECT_EQ(row["paper"], 0.4);
  EXPECT_NEAR(row["ours"][0]["points"].get<double>(), before - 0.2, 1e-12);
}

TEST_F(AsterismReproduce, SaysWhyOursDiffers) {
  Arguments other = table1;
  for (const auto& [number, shown] : {std::pair("0.2", false), std::pair("60", true)}) {
    const std::string figure_with = "[\"Up, largest\", " + std::string(number) + ", \"it rained\"]";
    other.resize(table1.size());
    other.insert(other.end(), {"--papers", altered("tdbem-table1.toml", "[\"Up, largest\", 0.2]", figure_with)});
    EXPECT_EQ(contains(run(other).out, "it rained"), shown) << number;
    EXPECT_EQ(figure(record(other), by_workers, "Up, largest")["why"], "it rained");
  }
}

TEST_F(AsterismReproduce, SaysOnceWhyASectionDiffers) {
  const std::string figures = "figures = [\n  [\"Up-Down, smallest\", 0.0]", next = ",\n  [\"Up-Down, largest\", 0.1]";
  const std::string why = "why = \"it rained\"\nfigures = [\n  ";
  Arguments other = table1;
  const auto times = [&](const std::string& first) {
    other.resize(table1.size());
    const std::string text = why + first + ",\n  [\"Up-Down, largest\", 60]";
    other.insert(other.end(), {"--papers", altered("tdbem-table1.toml", figures + next, text)});
    const std::vector<std::string> lines = lines_of(run(other).out);
    return std::ranges::count_if(lines, [](const std::string& line) { return contains(line, "it rained"); });
  };
  EXPECT_EQ(times("[\"Up-Down, smallest\", 60]"), 1);
  EXPECT_EQ(figure(record(other), by_workers, "Up-Down, smallest")["why"], "it rained");
  EXPECT_EQ(times("[\"Up-Down, smallest\", 60, \"it snowed\"]"), 1);
  EXPECT_EQ(figure(record(other), by_workers, "Up-Down, smallest")["why"], "it snowed");
}

/// The airliner, beside the program or in the folder that ASTERISM_DATA names.
TEST_F(AsterismReproduce, FindsTheMeshItself) {
  const fs::path name = "meshes/airliner_fine.off.gz";
  EXPECT_TRUE(fs::exists(papers.parent_path() / "data" / name));
  const char* const named = std::getenv("ASTERISM_DATA");
  const std::string before = named == nullptr ? "" : named;
  setenv("ASTERISM_DATA", folder_.c_str(), 1);
  const Ran refused = run({"tdbem-table4", "--unknowns", "150"});
  fs::create_directories(folder_ / "meshes");
  std::ofstream(folder_ / name) << gzip(egg_mesh());
  const json r = record({"tdbem-table4", "--unknowns", "150"});
  named == nullptr ? unsetenv("ASTERISM_DATA") : setenv("ASTERISM_DATA", before.c_str(), 1);
  EXPECT_NE(refused.status, 0);
  EXPECT_TRUE(contains(refused.err, (folder_ / name).string())) << refused.err;
  EXPECT_EQ(r["settings"]["mesh"], "airliner_fine.off.gz");
  EXPECT_EQ(r["settings"]["unknowns"], 150);
}

/// A number that a paper prints without its fraction stands for all that begin with it.
TEST_F(AsterismReproduce, RoundedDown) {
  const Arguments egg = {"tdbem-table4", "--mesh", file(egg_mesh(), "egg.off"), "--unknowns", "150"};
  const std::string before =
      "title = \"Blocks, Hilbert\"\nunit = \"10^6\"\nsays = \"Table 4: number of blocks (NBB)\"\n"
      "rounded_down = true\nfigures = [\n  [\"32 x 16\", 36],";
  for (const auto& [printed, difference] : {std::pair(0.0, 0.0), std::pair(-1.5, 1.0), std::pair(2.0, -1.0)}) {
    std::string after = before;
    after.replace(after.rfind("36"), 2, std::to_string(printed));
    Arguments other = egg;
    other.insert(other.end(), {"--papers", altered("tdbem-table4.toml", before, after)});
    const json ours = figure(record(other), "Blocks, Hilbert", "32 x 16")["ours"][0];
    EXPECT_NEAR(ours["difference"].get<double>(), difference, 0.05) << printed;
  }
}

/// An ellipsoid's mesh in a file: two numberings of the same surface have the same matrices.
TEST_F(AsterismReproduce, TableFour) {
  const json r = record({"tdbem-table4", "--mesh", file(egg_mesh(), "egg.off"), "--unknowns", "150"});
  EXPECT_EQ(r["settings"]["unknowns"], 150);
  const auto value = [&](const std::string& section, const std::string& name, int column = 0) {
    return figure(r, section, name)["ours"][column]["value"].get<double>();
  };
  EXPECT_EQ(value("The airplane", "unknowns N"), 150);
  EXPECT_NEAR(figure(r, "The airplane", "unknowns N")["ours"][0]["difference"], 150 / 23962.0 - 1, 1e-12);
  EXPECT_TRUE(figure(r, "The airplane", "unknowns N")["ours"][0]["points"].is_null());
  const double values = value("The airplane", "values, k >= 1");
  EXPECT_NEAR(values, 150 * 150 * value("The airplane", "mean row-vector"), 1e-6 * values);
  EXPECT_GT(value("Score of the numbering", "Hilbert"), value("Score of the numbering", "no ordering"));
  for (const char* numbering : {"no ordering", "Morton", "Hilbert"}) {
    const std::string of = std::string(", ") + numbering;
    // blocks of 32 rows by 64 lags: their number times their size times the share of values
    const double blocks = 1e6 * value("Blocks" + of, "64 x 32");
    EXPECT_NEAR(blocks * 64 * 32 * value("Non-zeros in blocks" + of, "64 x 32") / 100, values, 1e-6 * values);
    // Table 2: 95 GFlop/s
    EXPECT_NEAR(value("Estimated time E" + of, "64 x 32"), 2 * 64 * 32 * blocks / 95e9, 1e-12);
    // no block has more rows than b_c: 150 columns need 5 blocks of 32 rows at least in a slice, 2 of 128
    EXPECT_GE(1e6 * value("Blocks" + of, "128 x 32"), 150 * 5);
    EXPECT_GE(1e6 * value("Blocks" + of, "32 x 128"), 150 * 2);
  }
  EXPECT_NE(value("Blocks, Hilbert", "128 x 32"), value("Blocks, Hilbert", "32 x 128"));
}

TEST_F(AsterismReproduce, SaysWhatIsWrong) {
  expect_bad_input({"tdbem-table9"}, {"tdbem-table9", "tdbem-table1", "tdbem-table4"});
  expect_bad_input({}, {"--list"}, false);
  expect_bad_input({"tdbem-table1", "--elements", "0"}, {"--elements"});
  expect_bad_input({"tdbem-table4", "--mesh", "nowhere.off"}, {"nowhere.off"});
  expect_bad_input({"tdbem-table1", "--papers", "nowhere"}, {"tdbem-table1.toml"});
  const auto papers_with = [&](const char* from, const char* to) {
    return Arguments{"tdbem-table1", "--papers", altered("tdbem-table1.toml", from, to)};
  };
  expect_bad_input(papers_with("[\"Up, largest\", 0.2]", "[\"Up, largest\", \"two\"]"), {"two", "not given"});
  expect_bad_input(papers_with("[\"Up, largest\", 0.2]", "[\"Up, smallest\", 0.2]"), {"Up, smallest"});
  expect_bad_input(papers_with("[\"Up, largest\", 0.2]", "[\"Up, largest\", 0.2, \"why\", 3]"), {"why ours differs"});
  expect_bad_input(papers_with("place =", "plaice ="), {"place"});
  // a figure that nobody computes is no input of the user's
  Arguments unknown = papers_with("[\"Up, largest\", 0.2]", "[\"Up, nicest\", 0.2]");
  const Ran ran = run(unknown);
  EXPECT_EQ(ran.status, 1);
  expect_one_line(ran.err, {"Up, nicest"});
}

}  // namespace
