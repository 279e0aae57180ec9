// SPDX-License-Identifier: Apache-2.0
// asterism-fdtd plot as its users meet it: tables and pictures.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/run_program.hpp"
#include "tests/io/picture_reader.hpp"

namespace {

using namespace asterism::tests;
using nlohmann::json;

class AsterismFdtdPlot : public ProgramTest {
 protected:
  AsterismFdtdPlot()
      : ProgramTest("asterism-fdtd plot", "ASTERISM_FDTD", ASTERISM_FDTD, {"--output", "plot", "--json", "run.json"}) {}

  /// Lines of the table, after a look at the picture and the record.
  std::vector<std::string> table(Arguments arguments) const {
    arguments.insert(arguments.begin(), "plot");
    arguments.insert(arguments.end(), {"--quiet", "--json", output("run.json"), "--output", output("rates")});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(outputs(), 3U);
    if (ran.status != 0) return {};
    const std::string png = contents(output("rates.png"));
    EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
    const asterism::Picture picture = asterism::read_png(output("rates.png"));
    EXPECT_EQ(picture.width, 960U);
    EXPECT_EQ(picture.height, 600U);
    const auto blue = std::count(picture.pixels.begin(), picture.pixels.end(), asterism::Pixel{0, 114, 178});
    EXPECT_GT(blue, 100);  // the first line with its points
    return lines_of(contents(output("rates.csv")));
  }
};

/// line, x, repetitions, median, least, largest, GFlop/s
std::vector<double> numbers(const std::string& row) {
  EXPECT_TRUE(row.starts_with('"'));
  std::vector<double> values;
  std::istringstream stream(row.substr(row.find('"', 1) + 2));
  for (std::string value; std::getline(stream, value, ',');) values.push_back(std::stod(value));
  return values;
}

void expect_rates(const std::vector<std::string>& table, const std::vector<double>& x, double repetitions) {
  ASSERT_EQ(table.size(), 1 + x.size());
  for (std::size_t p = 0; p < x.size(); ++p) {
    const std::vector<double> row = numbers(table[p + 1]);
    ASSERT_EQ(row.size(), 6U);
    EXPECT_EQ(row[0], x[p]);
    EXPECT_EQ(row[1], repetitions);
    EXPECT_GT(row[3], 0);
    EXPECT_LE(row[3], row[2]);
    EXPECT_LE(row[2], row[4]);
    EXPECT_GT(row[5], 0.025 * row[2]);  // 36 operations per cell, fewer in small domains
    EXPECT_LT(row[5], 0.036 * row[2]);
  }
}

TEST_F(AsterismFdtdPlot, Sizes) {
  const std::vector<std::string> rows = table({"size", "--sizes", "10:30:10", "--repetitions", "3"});
  expect_rates(rows, {10, 20, 30}, 3);
  EXPECT_EQ(rows.at(0), "line,edge,repetitions,mcells_median,mcells_least,mcells_largest,gflops_median");
  EXPECT_TRUE(rows.at(1).starts_with("\"one core"));
  const json r = json::parse(contents(output("run.json")));
  ASSERT_EQ(r["points"].size(), 3U);
  EXPECT_EQ(r["points"][0]["cells_per_second"].size(), 3U);
  EXPECT_EQ(r["plot"]["plotter"], "size");
}

TEST_F(AsterismFdtdPlot, Shares) {
  const std::vector<std::string> rows = table({"mix", "--size", "24x16x18", "--shares", "0", "--repetitions", "2"});
  expect_rates(rows, {0}, 2);
  EXPECT_TRUE(rows.at(0).starts_with("line,gpu_share_percent,"));
  EXPECT_TRUE(rows.at(1).starts_with("\"2 cores, 0 GPUs\""));
}

TEST_F(AsterismFdtdPlot, Units) {
  const std::vector<std::string> rows =
      table({"units", "--size", "16", "--cpu-workers", "2,1", "--domains", "7", "--repetitions", "2", "--precision",
             "single", "--scheduler", "assignment"});
  expect_rates(rows, {2, 1}, 2);
  EXPECT_TRUE(rows.at(0).starts_with("line,cpu_workers,"));
  EXPECT_TRUE(rows.at(1).starts_with("\"no GPU\""));
  EXPECT_EQ(json::parse(contents(output("run.json")))["starpu"]["scheduler"], "assignment");
}

TEST_F(AsterismFdtdPlot, HelpTeaches) {
  const Ran ran = run({"plot", "--help"});
  EXPECT_EQ(ran.status, 0);
  for (const char* word : {"size", "mix", "units"}) EXPECT_TRUE(contains(ran.out, word)) << word;
  const Ran size = run({"plot", "size", "--help"});
  EXPECT_EQ(size.status, 0);
  for (const char* word : {"--sizes", "--repetitions", "--output"}) EXPECT_TRUE(contains(size.out, word)) << word;
}

TEST_F(AsterismFdtdPlot, SaysWhatIsWrong) {
  expect_bad_input({"plot"}, {"subcommand"}, false);
  expect_bad_input({"plot", "shape"}, {"subcommand"}, false);
  expect_bad_input({"plot", "size", "--sizes", "10,"}, {"--sizes", "10,"});
  expect_bad_input({"plot", "size", "--size", "10"}, {"--size"});
  expect_bad_input({"plot", "size", "--repetitions", "0"}, {"--repetitions"});
  expect_bad_input({"plot", "mix", "--shares", "0.5,1.5"}, {"--shares", "1.5"});
  expect_bad_input({"plot", "mix", "--size", "8", "--shares", "0.5"}, {"GPUs", "none"});
  expect_bad_input({"plot", "units", "--size", "8", "--cpu-workers", "-1"}, {"--cpu-workers", "-1"});
  expect_bad_input({"plot", "units", "--size", "8", "--cpu-workers", "0"}, {"nothing to measure"});
  expect_bad_input({"plot", "units", "--size", "8", "--cpu-workers", "1", "--gpu-streams", "1"}, {"GPU"});
  expect_bad_input({"plot", "units", "--scheduler", "none"}, {"none"});
  expect_bad_input({"plot", "size", "--output", "nowhere/plot"}, {"nowhere"}, false);
  expect_bad_input({"plot", "size", "--json", "nowhere/run.json"}, {"nowhere"}, false);
}

}  // namespace
