// SPDX-License-Identifier: Apache-2.0
// Which files of a folder belong to the source tree, and what is in them.
#include <gtest/gtest.h>

#include "tests/structure/checker/source_text.hpp"
#include "tests/structure/small_tree.hpp"

namespace {

using namespace asterism::structure;

std::vector<std::string> names(const SourceTree& tree) {
  std::vector<std::string> names;
  for (const auto& [file, text] : tree) names.push_back(file);
  return names;
}

TEST(SourceTree, BuildFoldersAndBinaryFilesAreLeftOut) {
  const SmallTree tree;
  for (const char* path : {"build/ci/a.cpp", "build-debug/a.cpp", "bundle.tmp/a.cpp", "install/a.cpp", "out/a.cpp",
                           ".git/config", ".cache/a.cpp", "scripts/__pycache__/a", "CMakeUserPresets.json"}) {
    tree.write(path, "text\n");
  }
  tree.write("experiments/run.gz", std::string("\x1f\x8b\0\0", 4));
  const std::vector<std::string> kept = {".ci/run",      ".clang-format", "CMakeLists.txt",
                                         "io/out/a.cpp", "scripts/build", "taskflows/cg/flow.cpp"};
  for (const std::string& path : kept) tree.write(path, "text\n");
  EXPECT_EQ(names(tree.read()), kept);
  EXPECT_EQ(tree.read().at("io/out/a.cpp"), "text\n");
}

TEST(SourceTree, GitFileOfAWorktreeIsLeftOut) {
  const SmallTree tree;
  tree.write(".git", "gitdir: elsewhere\n");
  EXPECT_TRUE(tree.read().empty());
}

TEST(SourceTree, LongFilesAreReadToTheirEnd) {
  const SmallTree tree;
  const std::string text = std::string(9999, 'x') + "\nend";
  tree.write("a.txt", text);
  EXPECT_EQ(tree.read().at("a.txt"), text);
  EXPECT_EQ(count_lines(text), 2);
}

TEST(SourceTree, MethodsAreTheFoldersOfTaskflows) {
  const SourceTree tree = {{"taskflows/CMakeLists.txt", ""},
                           {"taskflows/lbm/a.cpp", ""},
                           {"taskflows/lbm/fields/b.cpp", ""},
                           {"taskflows/cg/a.cpp", ""}};
  EXPECT_EQ(methods(tree), (std::vector<std::string>{"cg", "lbm"}));
}

TEST(SourceText, CodeIsToldFromCommentsAndStrings) {
  const std::vector<Line> lines = split_lines(
      "int a = 1'000;  ///< of b\n"
      "auto s = \"no // comment \\\" here\"; char c = '\"';  // one\n"
      "/* { */ f(R\"x(\n"
      "}  // no comment )\"\n"
      ")x\");\n");
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].code, "int a = 1'000;           ");
  EXPECT_EQ(lines[0].comment, "of b");
  EXPECT_EQ(lines[1].code.substr(0, 32), "auto s = \"                     \"");
  EXPECT_EQ(lines[1].comment, "one");
  EXPECT_EQ(lines[2].code, "        f(R\"  ");
  EXPECT_EQ(lines[3].indent(), std::string::npos);
  EXPECT_EQ(lines[3].slashes, 0U);
  EXPECT_EQ(lines[4].code, "  \");");
}

TEST(SourceText, LinesOfACommentAreJoined) {
  const std::vector<Comment> found =
      comments(split_lines("// First\n// second.\n\n/// Third\n///\n/// fourth.\n"
                           "int a;  // fifth\n        // sixth\nint b;  // seventh\n"));
  std::vector<std::string> texts;
  std::vector<int> begin;
  for (const Comment& comment : found) {
    texts.push_back(comment.text);
    begin.push_back(comment.line);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"First second.", "Third fourth.", "fifth sixth", "seventh"}));
  EXPECT_EQ(begin, (std::vector<int>{1, 4, 7, 9}));
}

TEST(SourceText, IncludesInCommentsAndStringsAreNone) {
  const std::vector<Include> found = includes(
      split_lines("#include <map>\n  #  include \"a/b.hpp\"  // why\n// #include \"c\"\n/*\n#include \"d\"\n*/\n"
                  "auto s = R\"(\n#include \"e\"\n)\";\n"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "map");
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].name, "a/b.hpp");
  EXPECT_TRUE(found[1].quoted);
  EXPECT_EQ(found[1].line, 2);
}

}  // namespace
