// SPDX-License-Identifier: Apache-2.0
// --help, --help-all, --version, misspelt options and the start of all programs.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>

namespace {

struct Answer {
  int status = -1;
  std::string text;  ///< both streams
};

Answer answer(const std::string& program, const std::string& arguments) {
  Answer result;
  FILE* const pipe = popen((std::string(PROGRAMS) + "/" + program + " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) result.text.append(part.data(), n);
  result.status = WEXITSTATUS(pclose(pipe));
  return result;
}

/// Options with which a line of help begins.
std::set<std::string> options_of(const std::string& help) {
  std::set<std::string> found;
  std::istringstream in(help);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    if (line.starts_with("  ") && words >> word && word.starts_with("--")) found.insert(word);
  }
  return found;
}

class Help : public testing::TestWithParam<const char*> {};

TEST_P(Help, ShowsExamplesAndWhatMattersFirst) {
  const Answer help = answer(GetParam(), "--help");
  const Answer all = answer(GetParam(), "--help-all");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(all.status, 0);
  EXPECT_NE(help.text.find(std::string("\n  ") + GetParam() + " "), std::string::npos) << "no example";
  EXPECT_NE(help.text.find("--help-all"), std::string::npos);
  const std::set<std::string> first = options_of(help.text);
  const std::set<std::string> every = options_of(all.text);
  EXPECT_GE(first.size(), 6U);
  EXPECT_LE(first.size(), 13U);
  EXPECT_GT(every.size(), first.size() + 2);
  for (const std::string& option : first) EXPECT_TRUE(every.contains(option)) << option;
}

TEST_P(Help, RefusesAnEmptyArgument) {
  const std::string line = std::string(GetParam()) +
                           ": error: the argument after the program's name is empty; expected an option or its value\n";
  const Answer empty = answer(GetParam(), "'' --no-such-option");
  EXPECT_EQ(empty.status, 2);
  EXPECT_EQ(empty.text, line);
  if (GetParam() == std::string("asterism-compare")) return;  // behind -- stands another program's command line
  const Answer behind = answer(GetParam(), "-- '' --no-such-option");
  EXPECT_EQ(behind.status, 2);
  EXPECT_NE(behind.text.find("the argument after -- is empty"), std::string::npos) << behind.text;
}

TEST_P(Help, SaysNoNumbersOfEnumerators) {
  const std::string text = answer(GetParam(), "--help-all").text;
  for (const char* what : {"->", "ENUM", "1099511627776", "INT in [", "FLOAT in ["})
    EXPECT_EQ(text.find(what), std::string::npos) << what;
}

TEST_P(Help, NamesTheNearestOption) {
  const Answer wrong = answer(GetParam(), "--jsno x");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.text,
            std::string(GetParam()) + ": error: --jsno: there is no such option; the nearest is --json (see --help)\n");
  EXPECT_EQ(answer(GetParam(), "--nothing-like-it-at-all").text.find("nearest"), std::string::npos);
}

TEST_P(Help, VersionHasCommitAndWhatWasBuiltIn) {
  const Answer version = answer(GetParam(), "--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.text.starts_with(std::string(GetParam()) + " " + VERSION)) << version.text;
  EXPECT_NE(version.text.find("\nStarPU 1."), std::string::npos) << version.text;
}

/// How long GPUs take to start is measured so.
TEST(Start, SolversStartTheirUnitsAndEnd) {
  for (const char* program : {"asterism-cg", "asterism-fmm", "asterism-lbm", "asterism-fdtd", "asterism-tdbem"}) {
    const Answer start = answer(program, "--only-start");
    EXPECT_EQ(start.status, 0) << program;
    EXPECT_EQ(start.text, "") << program;
    EXPECT_EQ(answer(program, "--only-start --quiet").status, 2) << program;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Help,
                         testing::Values("asterism-cg", "asterism-fmm", "asterism-lbm", "asterism-fdtd",
                                         "asterism-tdbem", "asterism-trace", "asterism-bounds", "asterism-compare"));

}  // namespace
