// SPDX-License-Identifier: Apache-2.0
// The text of orders and of rules of the scheduler "hprio", and what is said about mistakes in it.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/hprio/order.hpp"

namespace asterism::schedulers::hprio {
namespace {

TEST(HprioTable, TheFastMultipoleMethodOfThePaper) {
  const Table table = parse_table(
      "# name match CPU GPU   (Table 3)\n"
      "p2m codelet=fmm_p2m 0 -\n"
      "\n"
      "m2l codelet=fmm_m2l* per-priority 3 2 # one per level\n"
      "  p2p\tcodelet=fmm_p2p priority=-2..5 split large 7 0 small 4 1\n"
      "odd priority=-3 - 9");
  ASSERT_EQ(table.error, "");
  ASSERT_EQ(table.lines.size(), 4U);
  EXPECT_EQ(table.lines[0].name, "p2m");
  EXPECT_EQ(table.lines[0].codelet, "fmm_p2m");
  EXPECT_EQ(table.lines[0].ranks, (Ranks{0, std::nullopt}));
  EXPECT_FALSE(table.lines[0].per_priority);
  EXPECT_FALSE(table.lines[0].small);
  EXPECT_TRUE(table.lines[1].per_priority);
  EXPECT_EQ(table.lines[1].ranks, (Ranks{3, 2}));
  EXPECT_EQ(table.lines[2].ranks, (Ranks{7, 0}));
  EXPECT_EQ(table.lines[2].small, (Ranks{4, 1}));
  EXPECT_TRUE(table.lines[2].covers(-2) && table.lines[2].covers(5));
  EXPECT_FALSE(table.lines[2].covers(-3) || table.lines[2].covers(6));
  EXPECT_EQ(table.lines[3].codelet, "*");
  EXPECT_EQ(table.lines[3].ranks, (Ranks{std::nullopt, 9}));
  EXPECT_TRUE(table.lines[3].covers(-3));
  EXPECT_FALSE(table.lines[3].covers(-2));
}

TEST(HprioTable, PatternsMatchTheModelOrTheName) {
  const Line line = parse_table("m2l codelet=m2l_?_* 0 0").lines.at(0);
  EXPECT_TRUE(line.names("m2l_d_7", ""));
  EXPECT_TRUE(line.names("other", "m2l_s_"));
  EXPECT_FALSE(line.names("m2l_7", "xm2l_d_7"));
  EXPECT_FALSE(line.names("", ""));
  EXPECT_TRUE(parse_table("all codelet=* 0 0").lines.at(0).names("", ""));
}

TEST(HprioTable, EveryMistakeIsNamedWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "line 1: expected a bucket, found none"},
      {"# nothing\n\n", "line 1: expected a bucket, found none"},
      {"codelet=a 0 0", "line 1: expected a bucket's name before 'codelet=a', found 'codelet=a'"},
      {"a codelet=a 0 0\na codelet=b 1 1", "line 2: expected a name of its own for every bucket, found 'a' again"},
      {"\n\na 0 0", "line 3: expected codelet=NAME or priority=N or priority=LOWEST..HIGHEST, found '0'"},
      {"a", "line 1: expected codelet=NAME or priority=N or priority=LOWEST..HIGHEST, found the end of the line"},
      {"a per-priority 0 0", "line 1: expected codelet=NAME or priority=N or priority=LOWEST..HIGHEST, found '0'"},
      {"a codelet= 0 0", "line 1: expected a name or pattern after codelet=, found nothing"},
      {"a codelet=x codelet=y 0 0", "line 1: expected codelet= once, found 'codelet=y'"},
      {"a priority=1 priority=2 0 0", "line 1: expected priority= once, found 'priority=2'"},
      {"a priority=x 0 0",
       "line 1: expected priority=N or priority=LOWEST..HIGHEST with whole numbers, found 'priority=x'"},
      {"a priority=2..1 0 0",
       "line 1: expected priority=N or priority=LOWEST..HIGHEST with whole numbers, found 'priority=2..1'"},
      {"a priority=1.. 0 0",
       "line 1: expected priority=N or priority=LOWEST..HIGHEST with whole numbers, found 'priority=1..'"},
      {"a codelet=x", "line 1: expected the CPU priority (0, 1, 2, ... or -), found the end of the line"},
      {"a codelet=x 0", "line 1: expected the GPU priority (0, 1, 2, ... or -), found the end of the line"},
      {"a codelet=x 0 high", "line 1: expected the GPU priority (0, 1, 2, ... or -), found 'high'"},
      {"a codelet=x -1 0", "line 1: expected the CPU priority (0, 1, 2, ... or -), found '-1'"},
      {"a codelet=x 1.5 0", "line 1: expected the CPU priority (0, 1, 2, ... or -), found '1.5'"},
      {"a codelet=x - -", "line 1: expected a priority for one kind of unit at least, found '- -'"},
      {"a codelet=x 0 0 0", "line 1: expected the end of the line, found '0'"},
      {"a codelet=x per-priority split large 0 0 small 0 0",
       "line 1: expected split or per-priority, not both, found 'split' after 'per-priority'"},
      {"a codelet=x split small 0 0 large 0 0", "line 1: expected 'large', found 'small'"},
      {"a codelet=x split large 0 0", "line 1: expected 'small', found the end of the line"},
      {"a codelet=x split large 0 0 small 1",
       "line 1: expected the GPU priority (0, 1, 2, ... or -), found the end of the line"},
  };
  for (const auto& [text, error] : wrong) {
    const Table table = parse_table(text);
    EXPECT_EQ(table.error, error) << text;
    EXPECT_TRUE(table.lines.empty()) << text;
  }
}

TEST(HprioTable, AFileOrTheTextItself) {
  EXPECT_EQ(text_or_file("a codelet=b 0 0").text, "a codelet=b 0 0");
  EXPECT_EQ(text_or_file("a\n").text, "a\n");
  const std::string file = testing::TempDir() + "hprio-order.txt";
  std::ofstream(file) << "x priority=1 2 3\n";
  EXPECT_EQ(text_or_file(file).text, "x priority=1 2 3\n");
  std::remove(file.c_str());
  EXPECT_EQ(text_or_file(file).error, file + ": expected a file that can be read, or the table itself");
}

TEST(HprioRules, EachIsSwitchedOffByItsOwnWord) {
  const auto on = [](const char* text) {
    const Rules r = parse_rules(text).rules;
    return std::array{r.termination, r.backlog, r.split, r.priorities, r.prefetch, r.locality, r.speedup};
  };
  EXPECT_EQ(on(""), (std::array{true, true, true, true, true, true, true}));
  EXPECT_EQ(on("-termination"), (std::array{false, true, true, true, true, true, true}));
  EXPECT_EQ(on("-backlog"), (std::array{true, false, true, true, true, true, true}));
  EXPECT_EQ(on("-split"), (std::array{true, true, false, true, true, true, true}));
  EXPECT_EQ(on("-priorities"), (std::array{true, true, true, false, true, true, true}));
  EXPECT_EQ(on("-prefetch"), (std::array{true, true, true, true, false, true, true}));
  EXPECT_EQ(on("-speedup"), (std::array{true, true, true, true, true, true, false}));
  EXPECT_EQ(on("-locality"), (std::array{true, true, true, true, true, false, true}));
  EXPECT_EQ(on(" -split , -prefetch,"), (std::array{true, true, false, true, false, true, true}));
  EXPECT_EQ(parse_rules("-split").error, "");
  for (const std::string word : {"split", "+split", "-spilt", "--split", "-"}) {
    const ParsedRules parsed = parse_rules("-termination," + word + ",-prefetch");
    EXPECT_EQ(parsed.error,
              "expected -termination, -backlog, -split, -priorities, -prefetch, -locality or -speedup, separated by "
              "commas; found '" +
                  word + "'");
    EXPECT_FALSE(parsed.rules.termination || parsed.rules.prefetch);
    EXPECT_TRUE(parsed.rules.split);
  }
}

}  // namespace
}  // namespace asterism::schedulers::hprio
