// SPDX-License-Identifier: Apache-2.0
// What checkpoints have to withstand, of any program that goes on from them.
#pragma once

#include <string>
#include <vector>

#include "tests/apps/recorded_run.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::tests {

class CheckpointTest : public RecordedTest {
 protected:
  using RecordedTest::RecordedTest;

  /// Kills runs of `problem` (options without steps and files) at any moment of the writing of a checkpoint, or between
  /// two, and goes on from what there is, until the end is that of a run that was left alone. step(path) and
  /// state(path) are those of a checkpoint.
  template <class Step, class State>
  void expect_going_on_after_kills(const Arguments& problem, int kills, const Step& step, const State& state) const {
    const auto to = [&](const std::string& name, const Arguments& more) {
      Arguments all = problem;
      all.insert(all.end(), {"--quiet", "--checkpoint", output(name)});
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    const fs::path killed = output("killed.h5");
    long last = 0;
    for (int round = 0; round < kills; ++round) {
      Arguments on = to("killed.h5", {"--steps", "1000000", "--checkpoint-every", "7"});
      if (round > 0) on.insert(on.end(), {"--restart", killed});
      const auto before = round > 0 ? fs::last_write_time(killed) : fs::file_time_type::min();
      int looks = 0;
      const auto enough = [&] {
        return fs::exists(killed) && fs::last_write_time(killed) > before && ++looks > 5 * round;
      };
      EXPECT_EQ(run(on, enough).status, 124);
      const long reached = step(killed);
      EXPECT_EQ(reached % 7, 0);
      EXPECT_GT(reached, last);
      last = reached;
    }
    const std::string end = std::to_string(last + 5);
    ASSERT_EQ(run(to("resumed.h5", {"--steps", end, "--restart", killed})).status, 0);
    ASSERT_EQ(run(to("whole.h5", {"--steps", end})).status, 0);
    EXPECT_TRUE(state(output("resumed.h5")) == state(output("whole.h5")));
  }

  /// A checkpoint that the disk has no room for: one line says so, and the one before stays.
  void expect_the_old_one_on_a_full_disk(const Arguments& problem) const {
    const auto to = [&](const char* steps) {
      Arguments all = problem;
      all.insert(all.end(), {"--steps", steps, "--quiet", "--checkpoint", output("state.h5")});
      return all;
    };
    ASSERT_EQ(run(to("4")).status, 0);
    const std::string before = contents(output("state.h5"));
    const FullDisk full(100000);
    const Ran ran = run(to("8"));
    EXPECT_EQ(ran.status, 1);
    expect_one_line(ran.err, {"state.h5", "cannot be written"});
    EXPECT_TRUE(contents(output("state.h5")) == before);
    EXPECT_EQ(outputs(), 1U);
  }
};

}  // namespace asterism::tests
