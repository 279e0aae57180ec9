// SPDX-License-Identifier: Apache-2.0
// The line that names long work whose parts cannot be counted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
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
  EXPECT_TRUE(std::regex_match(text, std::regex("(verifying: \\d+ s\n){2,}"))) << text;
}

/// What is written to stderr while it is a terminal.
std::string on_terminal(const std::function<void()>& body) {
  int reader = -1;
  int terminal = -1;
  if (openpty(&reader, &terminal, nullptr, nullptr, nullptr) != 0) return "no terminal";
  const int before = dup(STDERR_FILENO);
  dup2(terminal, STDERR_FILENO);
  body();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::array<char, 4096> text{};
  fcntl(reader, F_SETFL, O_NONBLOCK);
  const ssize_t bytes = read(reader, text.data(), text.size());
  close(terminal);
  close(reader);
  return {text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
}

TEST(WaitingLine, LeavesTheTerminalToWorkThatIsCounted) {
  const std::string both = on_terminal([] {
    const WaitingLine line(true, "verifying", milliseconds(1500));
    ProgressLine counted(true);
    for (int part = 1; part <= 20; ++part) {
      std::this_thread::sleep_for(milliseconds(110));
      counted.show(part / 20.0, "direct summation");
    }
  });
  EXPECT_NE(both.find("direct summation"), std::string::npos) << both;
  EXPECT_EQ(both.find("verifying"), std::string::npos) << both;
  const std::string alone = on_terminal([] {
    const WaitingLine line(true, "verifying", milliseconds(400));
    std::this_thread::sleep_for(milliseconds(1000));
  });
  EXPECT_NE(alone.find("verifying: "), std::string::npos) << alone;
  EXPECT_TRUE(alone.ends_with("\r\033[K")) << alone;
}

TEST(WaitingLine, SaysNothingOfWhatIsShortNorWhenQuiet) {
  EXPECT_EQ(lines_while_asleep(true, milliseconds(60000), milliseconds(10)), "");
  EXPECT_EQ(lines_while_asleep(false, milliseconds(5), milliseconds(50)), "");
}

}  // namespace
}  // namespace asterism::apps
