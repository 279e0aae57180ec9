// SPDX-License-Identifier: Apache-2.0
// One of two ranks is killed at any moment of a run: the other ends too, and what they leave can be resumed from, with
// the same bits. RELIABILITY_RANKS: how often, for each method.
#include <algorithm>
#include <chrono>
#include <random>

#include "tests/clusters/run_ranks.hpp"
#include "tests/reliability/methods.hpp"

namespace {

using namespace asterism::tests;
using Clock = std::chrono::steady_clock;

class KilledRanks : public RanksTest, public testing::WithParamInterface<Method> {
 protected:
  KilledRanks() : RanksTest(std::string("asterism-") + GetParam().name, GetParam().variable, GetParam().program) {}
};

TEST_P(KilledRanks, ResumeWithTheSameBits) {
  const char* const wanted = std::getenv("RELIABILITY_RANKS");
  const int times = wanted == nullptr ? 1 : std::atoi(wanted);
  const Arguments all = GetParam().to(100, with_checkpoint("k.h5"));
  const auto begin = Clock::now();
  ASSERT_EQ(run_ranks(2, all).status, 0);
  std::chrono::duration<double> whole = Clock::now() - begin;
  const std::vector<std::string> expected = values_of(output("k.h5"));
  ASSERT_FALSE(expected.empty());
  std::mt19937 random(11);
  int killed = 0;
  int resumed = 0;
  for (int turn = 0; killed < times && turn < 3 * times + 3; ++turn) {
    fs::remove_all(output(""));
    fs::create_directories(output(""));
    const auto rank = static_cast<int>(random() % 2);
    const auto after = std::uniform_real_distribution<double>(times == 1 ? 0.7 : 0.1, 1)(random) * whole;
    SCOPED_TRACE(testing::Message() << "rank " << rank << " after " << after.count() << " s");
    const auto start = Clock::now();
    bool sent = false;
    const Ran ran = run_ranks(2, all, [&] {
      if (sent || Clock::now() - start < after) return false;
      const std::optional<pid_t> process = process_of(rank);
      sent = process && kill(*process, SIGKILL) == 0;
      return false;
    });
    if (!sent || ran.status == 0) {  // it had ended, sooner than the first run
      whole = std::min<std::chrono::duration<double>>(whole, Clock::now() - start);
      continue;
    }
    ++killed;
    EXPECT_NE(ran.status, 124) << "the other rank waits for ever";
    EXPECT_LE(lines_of(ran.err).size(), 1U) << ran.err;
    Arguments on = all;
    if (fs::exists(output("k.h5"))) {
      on.insert(on.end(), {"--restart", "k.h5"});
      ++resumed;
    }
    const Ran again = run_ranks(2, on);
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(values_of(output("k.h5")), expected);
  }
  EXPECT_EQ(killed, times);
  RecordProperty("killed", killed);
  RecordProperty("resumed", resumed);
}

INSTANTIATE_TEST_SUITE_P(Methods, KilledRanks, testing::ValuesIn(methods),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
