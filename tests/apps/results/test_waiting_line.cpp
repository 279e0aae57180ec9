// SPDX-License-Identifier: Apache-2.0
// The line of a program that waits for something without parts.
#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <string>
#include <thread>

#include "apps/common/program.hpp"

namespace asterism::apps {
namespace {

using std::chrono::milliseconds;

std::string lines_while_asleep(bool enabled, milliseconds interval, milliseconds asleep) {
  testing::internal::CaptureStderr();
  {
    const WaitingLine line(enabled, "verifying", interval);
    std::this_thread::sleep_for(asleep);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(WaitingLine, SaysWhatIsWaitedForOverAndOver) {
  const std::string text = lines_while_asleep(true, milliseconds(20), milliseconds(300));
  EXPECT_TRUE(std::regex_match(text, std::regex("(verifying: 0 s\n){2,15}"))) << text;
}

TEST(WaitingLine, SaysNothingOfWhatIsShortNorWhenQuiet) {
  EXPECT_EQ(lines_while_asleep(true, milliseconds(60000), milliseconds(10)), "");
  EXPECT_EQ(lines_while_asleep(false, milliseconds(5), milliseconds(50)), "");
}

}  // namespace
}  // namespace asterism::apps
