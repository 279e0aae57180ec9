// SPDX-License-Identifier: Apache-2.0
// A method of empty files that fulfils the contract, and what is missed when one of them is not there.
#include <gtest/gtest.h>

#include "tests/structure/small_tree.hpp"

namespace {

using namespace asterism::structure;

class Contract : public testing::Test {
 protected:
  Contract() {
    for (const char* file : {"codelets/heat/kernels/kernels.hpp",
                             "codelets/heat/kernels/costs.hpp",
                             "codelets/heat/codelets.hpp",
                             "codelets/heat/codelets.cpp",
                             "codelets/heat/codelets_cuda.cpp",
                             "taskflows/heat/problem.hpp",
                             "taskflows/heat/cases.hpp",
                             "taskflows/heat/cases.cpp",
                             "taskflows/heat/decomposition.hpp",
                             "taskflows/heat/simulation.hpp",
                             "taskflows/heat/simulation.cpp",
                             "taskflows/heat/flow.hpp",
                             "taskflows/heat/flow.cpp",
                             "taskflows/heat/checkpoint.hpp",
                             "taskflows/heat/checkpoint.cpp",
                             "taskflows/heat/verify.hpp",
                             "taskflows/heat/verify.cpp",
                             "taskflows/heat/reference.hpp",
                             "taskflows/heat/reference.cpp",
                             "apps/heat/arguments.hpp",
                             "apps/heat/arguments.cpp",
                             "apps/heat/main.cpp",
                             "tests/codelets/heat/test_kernels.cpp",
                             "tests/taskflows/heat/test_flow.cpp"}) {
      tree_.write(file, "\n");
      files_.emplace_back(file);
    }
  }

  std::vector<Complaint> check() const { return check_contract(tree_.read()); }

  SmallTree tree_;
  std::vector<std::string> files_;
};

TEST_F(Contract, IsFulfilled) {
  expect_complaints(check(), {});
}

TEST_F(Contract, EachFileIsMissed) {
  for (const std::string& file : files_) {
    tree_.remove(file);
    const std::string missed = file.starts_with("tests/") ? file.substr(0, file.rfind('/') + 1) : file;
    expect_complaints(check(), {missed + ": is missing, expected by the contract of a method: "});
    tree_.write(file, "\n");
  }
}

TEST_F(Contract, ReferenceMayBeAFolder) {
  tree_.remove("taskflows/heat/reference.hpp");
  tree_.remove("taskflows/heat/reference.cpp");
  tree_.write("taskflows/heat/reference/reference.hpp", "\n");
  expect_complaints(check(), {"taskflows/heat/reference.cpp: is missing"});
  tree_.write("taskflows/heat/reference/reference.cpp", "\n");
  expect_complaints(check(), {});
}

TEST_F(Contract, EveryFolderOfTaskflowsIsAMethod) {
  tree_.write("taskflows/wave/flow.cpp", "\n");
  EXPECT_EQ(check().size(), files_.size() - 1);
}

TEST_F(Contract, MainIsShort) {
  std::string main;
  for (int i = 0; i < 60; ++i) main += "\n";
  tree_.write("apps/heat/main.cpp", main);
  expect_complaints(check(), {});
  tree_.write("apps/heat/main.cpp", main + "}");
  expect_complaints(check(), {"apps/heat/main.cpp:61: a main.cpp of 61 lines, expected at most 60"});
}

}  // namespace
