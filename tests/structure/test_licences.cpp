// SPDX-License-Identifier: Apache-2.0
// Sources that do not say under which licence they are.
#include <gtest/gtest.h>

#include "tests/structure/small_tree.hpp"

namespace {

using namespace asterism::structure;

const std::string licence = "SPDX-License-Identifier: Apache-2.0\n";

TEST(Licences, AreNamedAtTheTop) {
  const SmallTree tree;
  tree.write("a.cpp", "// " + licence + "int a;\n");
  tree.write("b.css", "/* " + licence + " */\n");
  tree.write("c", "#!/bin/sh\n# " + licence);
  tree.write("CMakeLists.txt", "# " + licence);
  tree.write("d.md", "Text.\n");
  expect_complaints(check_licences(tree.read()), {});
}

TEST(Licences, AreMissed) {
  const SmallTree tree;
  tree.write("a.cpp", "int a;\n// " + licence);
  tree.write("b.cu", "");
  tree.write("c", "#!/bin/sh\necho\n");
  tree.write("CMakeLists.txt", "project(a)\n");
  expect_complaints(check_licences(tree.read()), {"CMakeLists.txt:1: names no licence", "a.cpp:1: names no licence",
                                                  "b.cu:1: names no licence", "c:1: names no licence"});
}

}  // namespace
