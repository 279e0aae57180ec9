// SPDX-License-Identifier: Apache-2.0
// Comments that only the line above them explains.
#include <gtest/gtest.h>

#include "tests/structure/small_tree.hpp"

namespace {

using namespace asterism::structure;

void expect(const std::string& text, const std::vector<std::string>& complaints) {
  const SmallTree tree;
  tree.write("io/a.hpp", text);
  tree.write("io/a.txt", "// Likewise.\n");
  expect_complaints(check_comments(tree.read()), complaints);
}

TEST(Comments, ThatNameNoSubject) {
  expect("/// Rows of A.\nint a;\n/// Likewise for columns.\nint b;\n",
         {"io/a.hpp:3: a comment begins with \"Likewise\""});
  expect("int a;  ///< The same, in bytes\nint b;\n", {"io/a.hpp:1: a comment begins with \"The same,\""});
  expect("// The same.\n", {"io/a.hpp:1: a comment begins with \"The same.\""});
  expect("int a;\n\n/// Of all ranks.\nint b;\n", {"io/a.hpp:3: a comment is a phrase"});
  expect("/// Of a tile, in columns:\n/// one thread for each.\n", {"io/a.hpp:1: a comment is a phrase"});
}

TEST(Comments, ThatEndInAnEllipsis) {
  expect("// and so on...\n", {"io/a.hpp:1: a comment ends in an ellipsis"});
  expect("int a;  // many\n        // more \u2026\n", {"io/a.hpp:1: a comment ends in an ellipsis"});
  expect("// ...\n", {"io/a.hpp:1: a comment ends in an ellipsis"});
}

TEST(Comments, ThatStandByThemselves) {
  expect("/// The same rows of A and b.\n", {});
  expect("/// Rows of A. Likewise the columns.\n", {});
  expect("/// Rows of A.\n/// Of all ranks.\n", {});
  expect("/// Of the 36 operations, 12 are products. The others are additions.\n", {});
  expect("/// Offsets of rows.\n", {});
  expect("/// The steps first, first + 1, ...\n", {});
  expect("/// Steps 0, 1, ... of all.\n", {});
  expect("const char* a = \"// Likewise.\";\n", {});
}

}  // namespace
