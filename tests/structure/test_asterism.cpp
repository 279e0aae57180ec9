// SPDX-License-Identifier: Apache-2.0
// The source tree of Asterism keeps the rules of its house, but for the known exceptions.
#include <gtest/gtest.h>

#include "tests/structure/checker/checks.hpp"
#include "tests/structure/known_exceptions.hpp"

namespace {

using namespace asterism::structure;

const SourceTree& asterism_tree() {
  static const SourceTree tree = read_tree(ASTERISM_SOURCE_DIR);
  return tree;
}

void expect_good(const std::vector<Complaint>& complaints, const KnownExceptions& known, const std::string& table) {
  for (const std::string& message : judge(complaints, known, table)) ADD_FAILURE() << message;
}

TEST(Asterism, TreeIsRead) {
  EXPECT_TRUE(asterism_tree().contains("tests/structure/test_asterism.cpp"));
  EXPECT_TRUE(asterism_tree().contains("CMakeLists.txt"));
  for (const char* method : {"cg", "fdtd", "fmm", "lbm", "tdbem"}) {
    EXPECT_TRUE(has_folder(asterism_tree(), std::string("taskflows/") + method + "/")) << method;
  }
}

TEST(Asterism, IncludesPointDownwards) {
  expect_good(check_floors(asterism_tree()), {}, "");
}

TEST(Asterism, MethodsFulfilTheContract) {
  expect_good(check_contract(asterism_tree()), known_contract, "known_contract");
}

TEST(Asterism, FilesFunctionsAndFoldersAreSmall) {
  expect_good(check_sizes(asterism_tree()), known_sizes, "known_sizes");
}

TEST(Asterism, NothingOutsideIsNamed) {
  expect_good(check_outside_paths(asterism_tree()), known_outside_paths, "known_outside_paths");
}

TEST(Asterism, CommentsStandByThemselves) {
  expect_good(check_comments(asterism_tree()), known_comments, "known_comments");
}

TEST(Asterism, SourcesNameTheirLicence) {
  expect_good(check_licences(asterism_tree()), {}, "");
}

}  // namespace
