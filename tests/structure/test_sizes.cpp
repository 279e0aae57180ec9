// SPDX-License-Identifier: Apache-2.0
// Files, functions and folders at their limits and one above.
#include <gtest/gtest.h>

#include "tests/structure/small_tree.hpp"

namespace {

using namespace asterism::structure;

std::string lines(int count, const std::string& line = "  ++a;\n") {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

TEST(Sizes, FilesOf400Lines) {
  const SmallTree tree;
  for (const char* file : {"io/a.cpp", "io/b.cuh", "scripts/run", ".ci/run", "traces/page/view.js", "io/CMakeLists.txt",
                           "cmake/FindMumps.cmake", "scripts/tables.py"}) {
    tree.write(file, lines(400));
  }
  expect_complaints(check_sizes(tree.read()), {});
  tree.write("io/a.cpp", lines(401));
  tree.write("scripts/run", lines(401));
  tree.write("docs/text.md", lines(500));
  tree.write("experiments/records/run.json", lines(500));
  expect_complaints(check_sizes(tree.read()), {"io/a.cpp:401: a file of 401 lines, expected at most 400",
                                               "scripts/run:401: a file of 401 lines, expected at most 400"});
}

TEST(Sizes, FunctionsOf100Lines) {
  const SmallTree tree;
  tree.write("io/a.cpp", "void f() {\n" + lines(98) + "}\n\nvoid g() {\n" + lines(98) + "}\n");
  expect_complaints(check_sizes(tree.read()), {});
  tree.write("io/a.cpp", "void f() {\n" + lines(98) + "}\n\nvoid A::g() {\n" + lines(99) + "}\n");
  expect_complaints(check_sizes(tree.read()), {"io/a.cpp:102: A::g has 101 lines, expected at most 100"});
  EXPECT_EQ(check_sizes(tree.read()).front().exception, "io/a.cpp: A::g");
}

TEST(Sizes, FoldersOf25Sources) {
  const SmallTree tree;
  for (int i = 0; i < 25; ++i) tree.write("io/file" + std::to_string(i) + ".hpp", "\n");
  for (int i = 0; i < 5; ++i) tree.write("io/mesh/file" + std::to_string(i) + ".hpp", "\n");
  for (int i = 0; i < 30; ++i) tree.write("experiments/records/run" + std::to_string(i) + ".json", "\n");
  tree.write("io/CMakeLists.txt", "\n");
  expect_complaints(check_sizes(tree.read()), {});
  tree.write("io/one.cpp", "\n");
  expect_complaints(check_sizes(tree.read()), {"io/: a folder of 26 source files, expected at most 25"});
}

}  // namespace
