// SPDX-License-Identifier: Apache-2.0
// Tables of known exceptions can only shrink.
#include <gtest/gtest.h>

#include "tests/structure/checker/complaint.hpp"

namespace {

using namespace asterism::structure;
using Messages = std::vector<std::string>;

Complaint complaint_in(const std::string& file, int line) {
  return {file, line, "found", "better", file};
}

TEST(Complaint, NamesFileAndLine) {
  EXPECT_EQ(to_string(complaint_in("io/a.cpp", 7)), "io/a.cpp:7: found, expected better");
  EXPECT_EQ(to_string(complaint_in("io/", 0)), "io/: found, expected better");
}

TEST(Judge, WhatIsNotKnownIsReported) {
  EXPECT_EQ(judge({}, {}, "table"), Messages{});
  EXPECT_EQ(judge({complaint_in("a", 1), complaint_in("b", 2)}, {{"a", 1}}, "table"),
            Messages{"b:2: found, expected better"});
}

TEST(Judge, MoreThanKnownAreReportedWithTheirNumber) {
  EXPECT_EQ(judge({complaint_in("a", 1), complaint_in("a", 2)}, {{"a", 1}}, "table"),
            (Messages{"a:1: found, expected better", "a:2: found, expected better",
                      "table: \"a\": 2 found, expected at most 1"}));
}

TEST(Judge, ExceptionsNoLongerNeededAreReported) {
  EXPECT_EQ(judge({complaint_in("a", 1)}, {{"a", 1}}, "table"), Messages{});
  EXPECT_EQ(judge({complaint_in("a", 1)}, {{"a", 3}, {"b", 1}}, "table"),
            (Messages{"table: \"a\": 3 known, 1 found: write 1", "table: \"b\": 1 known, 0 found: remove the row"}));
}

}  // namespace
