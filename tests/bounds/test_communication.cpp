// SPDX-License-Identifier: Apache-2.0
// Bounds that count the data that units need, on small cases solved by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/bounds/compute_bounds.hpp"
#include "tests/traces/recording_builder.hpp"

namespace {

using namespace asterism::bounds;
using asterism::traces::Access;
using asterism::traces::Mode;
using asterism::traces::none;
using asterism::traces::PlatformRec;
using asterism::traces::Recording;
using asterism::traces::testing::Builder;

/// Two products, each with its own matrix of 1e9 bytes; CPU 4 s, CUDA 1 s after 2 s of transfer.
Recording with_links(bool transfers, Mode first = Mode::read) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  const auto m0 = b.handle("m0", 1000000000);
  const auto m1 = b.handle("m1", 1000000000);
  b.task("mm", 0, 0, 4, {}, 1, 0, -1, {{m0, first}});
  b.task("mm", 1, 2.5, 3.5, {}, 1, 0, -1, {{m1, first}});
  if (transfers) {
    b.transfer(0, 1, 0.5, 2.5, 1000000000, m1);
    b.transfer(0, 1, 3.6, 3.7, 50000000, m0);  // prefetched, never used: shows where m0 was
  }
  return b.finish();
}

TEST(Communication, ByHand) {
  Options options;
  options.communication = true;
  const Recording r = with_links(true);
  const Bounds bounds = bounds_of(r, options);
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 1.6);
  ASSERT_TRUE(bounds.links);
  // B = 1.05e9 bytes in 2.1 s; (2 - n) 4 = 2 n
  EXPECT_NEAR(bounds.links->solution.seconds, 8.0 / 3, 1e-9);
  EXPECT_NEAR(bounds.best, 8.0 / 3, 1e-9);
  EXPECT_TRUE(bounds.inconsistencies.empty());

  PlatformRec platform;  // 1000 MB/s: (2 - n) 4 = n
  platform.memory_performance.push_back({0, 1, 1000, 0});
  platform.memory_performance.push_back({1, 0, 1, 0});
  options.links = &platform;
  EXPECT_NEAR(bounds_of(r, options).links->solution.seconds, 1.6, 1e-9);
  platform.memory_performance[0].bandwidth = 250;  // 4 n = (2 - n) 4
  EXPECT_NEAR(bounds_of(r, options).links->solution.seconds, 4, 1e-9);
}

TEST(Communication, EveryMemoryHasItsOwnLink) {
  // Three tasks with their own data of 1e9 bytes, only on two devices, 1 s each; 2 s per transfer.
  Builder b;
  b.units("CPU", 1).units("CUDA", 2);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto h = b.handle("h" + std::to_string(i), 1000000000);
    const std::uint32_t unit = 1 + i % 2;
    const double start = i < 2 ? 2.5 : 4.5;
    b.transfer(0, unit, start - 2, start, 1000000000, h);
    b.task("mm", unit, start, start + 1, {}, 1, 0, -1, {{h, Mode::read}});
  }
  b.task("start", 0, 0, 0.1);
  Recording r = b.finish();
  Options options;
  options.communication = true;
  EXPECT_NEAR(bounds_of(r, options).links->solution.seconds, 3, 1e-9);  // 3e9 bytes at 2 * 5e8 per second
  PlatformRec platform;
  platform.memory_performance.push_back({0, 1, 500, 0});
  platform.memory_performance.push_back({2, 1, 100000, 0});  // between devices of one kind: brings nothing in
  options.links = &platform;
  EXPECT_NEAR(bounds_of(r, options).links->solution.seconds, 3, 1e-9);
  r.units[2].node = r.units[1].node;  // two workers on one memory
  r.nodes.pop_back();
  platform.memory_performance.pop_back();
  r.transfers.clear();
  EXPECT_DOUBLE_EQ(communication(r, &platform).memories[1], 0.5);
  EXPECT_NEAR(bounds_of(r, options).links->solution.seconds, 6, 1e-9);
  options.units = {{"CPU", 1}, {"CUDA", 8}};  // four memories
  EXPECT_NEAR(bounds_of(r, options).links->solution.seconds, 1.5, 1e-9);
}

TEST(Communication, OnlyMainMemory) {
  Builder b;
  b.units("CPU", 2);
  b.task("a", 0, 0, 1, {}, 1, 0, -1, {{b.handle("h", 1000), Mode::read}});
  Options options;
  options.communication = true;
  const Bounds bounds = bounds_of(b.finish(), options);
  EXPECT_DOUBLE_EQ(bounds.links->solution.seconds, 0.5);
  EXPECT_EQ(bounds.notes, std::vector<std::string>{"all units work in main memory: links limit nothing"});
}

TEST(Communication, ObservedBandwidthIsThatFromOutsideTheKind) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 2);
  const auto h = b.handle("h", 1000);
  b.task("start", 0, 0, 10);
  b.transfer(0, 1, 1, 3, 1000, h);
  b.transfer(1, 2, 4, 4.001, 1000, h);
  EXPECT_DOUBLE_EQ(communication(b.finish()).bandwidth[1], 500);
}

TEST(Communication, ObservedBandwidthCountsCountsConcurrentTransfers) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  const auto h = b.handle("h", 1000);
  b.task("start", 0, 0, 10);
  b.transfer(0, 1, 1, 3, 1000, h);
  b.transfer(0, 1, 1, 3, 1000);
  EXPECT_DOUBLE_EQ(communication(b.finish()).bandwidth[1], 1000);  // 2000 bytes in 2 s
}

TEST(Communication, AssumesMainMemoryWhenNothingShowsIt) {
  PlatformRec platform;
  platform.memory_performance.push_back({0, 1, 500, 0});
  const Communication c = communication(with_links(false), &platform);
  EXPECT_TRUE(c.assumed);
  EXPECT_EQ(c.handles, 2U);
  EXPECT_DOUBLE_EQ(c.bandwidth[1], 5e8);
  EXPECT_EQ(c.bandwidth[0], 0);
  EXPECT_FALSE(c.notes.empty());
}

TEST(Communication, OnlyFirstContentThatIsReadCounts) {
  PlatformRec platform;
  platform.memory_performance.push_back({0, 1, 500, 0});
  const Communication written = communication(with_links(false, Mode::write), &platform);
  EXPECT_EQ(written.handles, 0U);
  EXPECT_EQ(communication(with_links(false, Mode::read_write), &platform).handles, 2U);
  EXPECT_EQ(communication(with_links(false, Mode::other), &platform).handles, 0U);
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  const auto h = b.handle("x", 600);
  b.task("r", 0, 0, 1, {}, 1, 0, -1, {{h, Mode::read}, {h, Mode::read}});
  b.task("r", 0, 1, 2, {}, 1, 0, -1, {{h, Mode::read}});
  b.task("w", 0, 2, 3, {}, 1, 0, -1, {{h, Mode::read_write}});
  b.task("r", 0, 3, 4, {}, 1, 0, -1, {{h, Mode::read}});
  const Communication c = communication(b.finish(), &platform);
  EXPECT_EQ(c.bytes, (std::vector<double>{200, 200, 200, 0}));
}

TEST(Communication, DataThatWereElsewhereDoNotCount) {
  Recording r = with_links(true);
  EXPECT_EQ(communication(r).handles, 2U);
  r.transfers[0].start = -1;  // before the first task
  EXPECT_EQ(communication(r).handles, 1U);
  EXPECT_EQ(communication(r).left_out, 1U);
  r = with_links(true);
  r.transfers[1].from = 1;  // m0 comes back from the device
  r.transfers[1].to = 0;
  EXPECT_EQ(communication(r).handles, 1U);
  r = with_links(true);
  r.tasks[1].start = 2.4;  // used before it arrived
  EXPECT_EQ(communication(r).handles, 1U);
  Options options;
  options.communication = true;
  EXPECT_TRUE(bounds_of(r, options).inconsistencies.empty());
}

}  // namespace
