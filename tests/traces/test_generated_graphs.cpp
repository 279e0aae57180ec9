// SPDX-License-Identifier: Apache-2.0
// Task graphs made by a rule: their shapes counted by hand, and the same for the same seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/generated/graphs.hpp"

namespace {

using namespace asterism::traces;

Recording graph(Shape shape, std::uint64_t tasks, std::uint64_t seed = 1) {
  return generate({shape, tasks, seed}).recording;
}

/// Number of tasks by how many they wait for.
std::map<std::size_t, std::size_t> degrees(const Recording& r) {
  std::map<std::size_t, std::size_t> count;
  for (std::size_t t = 0; t < r.tasks.size(); ++t) ++count[r.predecessors(t).size()];
  return count;
}

TEST(GeneratedGraphs, WavefrontIsASquareGrid) {
  const Recording r = graph(Shape::wavefront, 30);
  EXPECT_EQ(r.tasks.size(), 25U);
  EXPECT_EQ(degrees(r), (std::map<std::size_t, std::size_t>{{0, 1}, {1, 8}, {2, 16}}));
  EXPECT_EQ(r.tasks.front().priority, 9);  // 5 + 5 - 1 tasks on the longest path
  EXPECT_EQ(r.tasks.back().priority, 1);
}

TEST(GeneratedGraphs, TreeGoesToItsLeavesAndBack) {
  const Recording r = graph(Shape::tree, 24);  // 7 inner nodes twice and 8 leaves are 22; 15 twice and 16 are too many
  EXPECT_EQ(r.tasks.size(), 22U);
  EXPECT_EQ(degrees(r), (std::map<std::size_t, std::size_t>{{0, 1}, {1, 14}, {2, 7}}));
  EXPECT_EQ(r.tasks.front().priority, 7);
  const auto ends = std::count_if(r.tasks.begin(), r.tasks.end(), [](const Task& t) { return t.priority == 1; });
  EXPECT_EQ(ends, 1);
  // each task but the last is waited for: nothing is left over
  std::vector<int> waited(r.tasks.size(), 0);
  for (const std::uint32_t b : r.dependencies.item) ++waited[b];
  EXPECT_EQ(std::count(waited.begin(), waited.end(), 0), 1);
}

TEST(GeneratedGraphs, ForkJoinHasOneTaskBetweenItsStages) {
  const Recording r = graph(Shape::fork_join, 300);
  EXPECT_LE(r.tasks.size(), 300U);
  EXPECT_GE(r.tasks.size(), 299U);
  std::size_t stage = 0;  // tasks since the last join
  for (std::size_t t = 1; t < r.tasks.size(); ++t) {
    if (r.predecessors(t).size() == 1 && stage < 48) {
      ++stage;
      continue;
    }
    EXPECT_EQ(r.predecessors(t).size(), stage);
    stage = 0;
  }
}

TEST(GeneratedGraphs, DataOfManyTasksAreSmaller) {
  const auto bytes = [](const Recording& r) {
    double sum = 0;
    for (const Handle& handle : r.handles) sum += static_cast<double>(handle.bytes);
    return sum;
  };
  const Recording few = graph(Shape::layered, 2000);
  EXPECT_NEAR(bytes(few), 2000 * 1.3526e6, 0.05 * 2000 * 1.3526e6);
  const auto by_size = [](const Handle& a, const Handle& b) { return a.bytes < b.bytes; };
  const auto [least, most] = std::minmax_element(few.handles.begin(), few.handles.end(), by_size);
  EXPECT_GE(least->bytes, 250000U);
  EXPECT_LE(most->bytes, 4000000U);
  EXPECT_NEAR(bytes(graph(Shape::layered, 30000)), 4e9, 0.02 * 4e9);
}

TEST(GeneratedGraphs, LayersWaitForFormerLayers) {
  const Recording r = graph(Shape::layered, 400);
  ASSERT_EQ(r.tasks.size(), 400U);
  EXPECT_EQ(degrees(r)[0], 20U);
  std::size_t from_before = 0;
  for (std::size_t t = 20; t < 400; ++t) {
    EXPECT_LE(r.predecessors(t).size(), 4U);
    for (const std::uint32_t b : r.predecessors(t)) {
      EXPECT_LT(b / 20, t / 20);
      from_before += b / 20 + 1 == t / 20 ? 1U : 0U;
    }
  }
  // nine of ten edges; and the tenth now and then
  const double share = static_cast<double>(from_before) / static_cast<double>(r.dependencies.item.size());
  EXPECT_NEAR(share, 0.91, 0.04);
}

TEST(GeneratedGraphs, CholeskyUpdatesTheTilesOfATriangle) {
  const Recording r = graph(Shape::cholesky, 55);  // 5 tiles in a row make 35 tasks, 6 make 56
  ASSERT_EQ(r.tasks.size(), 35U);
  EXPECT_EQ(r.handles.size(), 15U);
  std::map<std::string, std::size_t> of_codelet;
  for (const Task& task : r.tasks) ++of_codelet[r.codelet_name(task)];
  EXPECT_EQ(of_codelet,
            (std::map<std::string, std::size_t>{
                {"generated_potrf", 5}, {"generated_trsm", 10}, {"generated_syrk", 10}, {"generated_gemm", 10}}));
  // factor, solve and square of each of the first four steps follow each other; then the last factorisation
  EXPECT_EQ(r.tasks.front().priority, 13);
  EXPECT_EQ(r.tasks.back().priority, 1);
  std::vector<std::uint32_t> writer(r.handles.size(), none);
  for (std::size_t t = 0; t < r.tasks.size(); ++t) {
    std::vector<std::uint32_t> expected;  // those that wrote what it reads
    std::size_t written = 0;
    for (const Access& access : r.data(t)) {
      if (writer[access.handle] != none) expected.push_back(writer[access.handle]);
      if (access.mode == Mode::read) {
        EXPECT_NE(writer[access.handle], none);
        continue;
      }
      EXPECT_EQ(access.mode, Mode::read_write);
      writer[access.handle] = static_cast<std::uint32_t>(t);
      ++written;
    }
    EXPECT_EQ(written, 1U);
    const auto waits = r.predecessors(t);
    EXPECT_EQ(std::vector<std::uint32_t>(waits.begin(), waits.end()), expected);
  }
}

TEST(GeneratedGraphs, DataAndDurations) {
  const GeneratedGraph made = generate({Shape::layered, 2000, 3});
  const Recording& r = made.recording;
  ASSERT_EQ(made.durations.timings.size(), 8U);
  for (std::size_t c = 0; c < 4; ++c) {
    const double core = made.durations.timings[2 * c].mean, gpu = made.durations.timings[2 * c + 1].mean;
    EXPECT_GE(core, 1e3);
    EXPECT_LE(core, 1e4);
    EXPECT_GE(core / gpu, 0.5);
    EXPECT_LE(core / gpu, 32);
  }
  double end = 0;
  for (std::size_t t = 0; t < r.tasks.size(); ++t) {
    EXPECT_DOUBLE_EQ(r.tasks[t].start, end);  // one core, task by task
    end = r.tasks[t].end;
    EXPECT_NEAR(1e6 * r.tasks[t].duration() / made.durations.timings[2 * r.tasks[t].codelet].mean, 1, 1e-9);
    const auto data = r.data(t);
    ASSERT_EQ(data.size(), r.predecessors(t).size() + 1);
    EXPECT_EQ(data[data.size() - 1].mode, Mode::write);
    EXPECT_EQ(data[data.size() - 1].handle, t);
    for (std::size_t i = 0; i + 1 < data.size(); ++i) EXPECT_EQ(data[i].handle, r.predecessors(t)[i]);
    EXPECT_GE(r.handles[t].bytes, 249999U);
    EXPECT_LE(r.handles[t].bytes, 4000000U);
  }
  EXPECT_DOUBLE_EQ(r.makespan(), end);
}

TEST(GeneratedGraphs, SeedsDecide) {
  const auto edges = [](std::uint64_t seed) { return graph(Shape::layered, 200, seed).dependencies.item; };
  EXPECT_EQ(edges(7), edges(7));
  EXPECT_NE(edges(7), edges(8));
}

TEST(GeneratedGraphs, Rules) {
  const GraphRule rule = GraphRule::parse("fork-join:600:42");
  EXPECT_EQ(rule.shape, Shape::fork_join);
  EXPECT_EQ(rule.tasks, 600U);
  EXPECT_EQ(rule.seed, 42U);
  EXPECT_EQ(GraphRule::parse("tree:1").tasks, 1U);
  for (const char* wrong : {"", "tree", "tree:", "tree:0", "tree:x", "tree:5:", "tree:5:x", "tree:5:1:", "bush:5", ":5",
                            "tree:99999999999", "tree:-1", "tree:5 "})
    EXPECT_THROW(GraphRule::parse(wrong), asterism::Error) << wrong;
  for (const Shape shape : {Shape::layered, Shape::fork_join, Shape::wavefront, Shape::tree, Shape::cholesky})
    EXPECT_EQ(graph(shape, 1).tasks.size(), 1U);
}

}  // namespace
