// SPDX-License-Identifier: Apache-2.0
// Joules of recordings: counted by hand, in the table and in the record.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/traces/recording_builder.hpp"
#include "traces/reports/report.hpp"

namespace {

using namespace asterism::traces;
using asterism::traces::testing::Builder;

/// Two cores and a GPU for 10 s: the cores compute 6 s and 3 s, the GPU 5 s.
Recording run() {
  Builder b;
  b.units("CPU", 2).units("CUDA", 1);
  b.task("a", 0, 0, 6);
  b.task("a", 1, 0, 3);
  b.task("b", 2, 5, 10);
  return b.finish();
}

TEST(TraceEnergy, ByHand) {
  const Recording r = run();
  const Metrics m = measure(r);
  const Energy all = energy_of(r, m, {{"CPU", {2, 7}}, {"CUDA", {50, 300}}});
  ASSERT_EQ(all.kinds.size(), 2U);
  EXPECT_NEAR(all.kinds[0].busy, 7 * 9, 1e-9);
  EXPECT_NEAR(all.kinds[0].idle, 2 * 11, 1e-9);
  EXPECT_NEAR(all.kinds[1].busy, 300 * 5, 1e-9);
  EXPECT_NEAR(all.kinds[1].idle, 50 * 5, 1e-9);
  EXPECT_NEAR(all.joules(), 63 + 22 + 1500 + 250, 1e-9);
  EXPECT_TRUE(all.unknown.empty());
  const Energy some = energy_of(r, m, {{"CUDA", {50, 300}}});
  EXPECT_NEAR(some.joules(), 1750, 1e-9);
  EXPECT_EQ(some.unknown, std::vector<std::string>{"CPU"});
}

TEST(TraceEnergy, IsReported) {
  const Recording r = run();
  const Metrics m = measure(r);
  View view{&r, &m, {}};
  EXPECT_FALSE(summary(view).contains("energy"));
  EXPECT_EQ(table(view).find("energy"), std::string::npos);
  view.energy = energy_of(r, m, {{"CPU", {2, 7}}, {"CUDA", {50, 300}}});
  EXPECT_NEAR(summary(view)["energy"]["joules"].get<double>(), 1835, 1e-9);
  EXPECT_EQ(summary(view)["energy"]["kinds"][1]["kind"], "CUDA");
  EXPECT_NE(table(view).find("energy: 1835 J: CPU 63 J in tasks, 22 J idle; CUDA 1500 J in tasks, 250 J idle"),
            std::string::npos)
      << table(view);
}

TEST(TraceEnergy, ModelsOfGpusGoBeforeTheirKind) {
  const Power power{{"CUDA", {1, 2}}, {"CUDA (fast)", {3, 4}}};
  EXPECT_EQ(power_of(power, "CUDA (fast)")->idle, 3);
  EXPECT_EQ(power_of(power, "CUDA (slow)")->idle, 1);
  EXPECT_EQ(power_of(power, "CPU"), nullptr);
}

TEST(TraceEnergy, Watts) {
  const Power power = parse_power("--watts", "CPU=3:8,CUDA=70.5:350");
  ASSERT_EQ(power.size(), 2U);
  EXPECT_EQ(power.at("CUDA").idle, 70.5);
  EXPECT_EQ(power.at("CPU").busy, 8);
  for (const char* wrong : {"", "CPU", "CPU=3", "CPU=3:", "CPU=:8", "=3:8", "CPU=8:3", "CPU=-1:3", "CPU=3:8,",
                            "CPU=3:8x", "CPU=nan:8", "CPU=3:inf", "CPU=1:2,CPU=1:2", "CPU:3=8"})
    EXPECT_THROW(parse_power("--watts", wrong), asterism::Error) << wrong;
}

}  // namespace
