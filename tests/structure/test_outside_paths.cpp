// SPDX-License-Identifier: Apache-2.0
// Files that name folders of one person's machine.
#include <gtest/gtest.h>

#include "tests/structure/small_tree.hpp"

namespace {

using namespace asterism::structure;

/// Put together here, as this file is one of those that are read.
const std::string slash = "/";
const std::string root = slash + "root/", home = slash + "home/", shared = ".." + slash + "shared";

TEST(OutsidePaths, AreComplainedAbout) {
  const SmallTree tree;
  tree.write("CMakeLists.txt", "# data\nset(ASTERISM_DATA \"${PROJECT_SOURCE_DIR}/" + shared + "/data\")\n");
  tree.write("scripts/run", "cd " + home + "main\n" + root + "a " + root + "b\n");
  tree.write("experiments/records/run.json", "{\n\"command\": \"" + root + "bin/asterism-cg\"\n}\n");
  tree.write("docs/data.md", "in `" + home + "someone/data`\n");
  expect_complaints(check_outside_paths(tree.read()),
                    {"CMakeLists.txt:2: names " + shared, "scripts/run:1: names " + home,
                     "scripts/run:2: names " + root, "scripts/run:2: names " + root,
                     "experiments/records/run.json:2: names " + root, "docs/data.md:1: names " + home});
}

TEST(OutsidePaths, PartsOfOtherPathsAreNot) {
  const SmallTree tree;
  tree.write("docs/a.md", "https://asterism.org" + home + "a.html and some" + root + "x, $ENV{PREFIX}" + home + "y\n");
  tree.write("docs/b.md", "/usr/share/asterism, shared/data, /tmp\n");
  tree.write("picture.png", std::string("\0", 1) + root);
  expect_complaints(check_outside_paths(tree.read()), {});
}

}  // namespace
