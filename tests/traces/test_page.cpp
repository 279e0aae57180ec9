// SPDX-License-Identifier: Apache-2.0
// The HTML report, without a browser: its structure, and its columns read back by a decoder that shares no code with
// the writer. The pages left in ASTERISM_PAGE_FOLDER are what page_in_browser.mjs opens.
#include <cmath>
#include <random>

#include "base/error.hpp"
#include "bounds/bounds.hpp"
#include "tests/traces/page_fixture.hpp"
#include "tests/traces/recording_builder.hpp"
#include "traces/readers/read.hpp"

namespace asterism::traces {
namespace {

using testing::Builder;

/// Two kinds, a barrier that nobody executed, iterations, data with names, bounds: everything the page shows.
Recording small(const std::string& name, double slowness) {
  Builder b(name);
  b.units("CPU", 2).units("CUDA", 1);
  const std::uint32_t x = b.handle("x[0]", 1 << 20), y = b.handle("y[0]", 1 << 18);
  const double s = slowness;
  const auto t0 = b.task("potrf", 0, 0, 2 * s, {}, 0xabcdef, 4e9, 0, {{x, Mode::read_write}});
  const auto t1 = b.task("trsm", 1, 1 * s, 4 * s, {}, 1, 3e9, 0, {{y, Mode::write}});
  const auto barrier = b.task("", none, 0, 0, {t0, t1});
  const auto t2 = b.task("gemm", 2, 4.5 * s, 6 * s, {barrier}, 2, 6e10, 1, {{x, Mode::read}, {y, Mode::read_write}});
  const auto t3 = b.task("gemm", 2, 6 * s, 7.5 * s, {t0, t2}, 2, 6e10, 1, {{y, Mode::read_write}});
  b.task("trsm", 0, 7.5 * s, 10 * s, {t3}, 1, 3e9, 2);
  b.state(0, State::scheduling, 2 * s, 3 * s).state(1, State::runtime, 4 * s, 5 * s);
  b.transfer(0, 1, 4 * s, 4.5 * s, 1 << 20, x).transfer(1, 0, 7.5 * s, 7.6 * s, 1 << 18, y);
  Recording r = b.finish();
  r.markers.push_back({5 * s, "half"});
  for (int i = 0; i <= 10; ++i) {
    r.ready.add(i * s, i % 3);
    r.submitted.add(i * s, 10 - i);
  }
  r.texts.push_back("block 3");
  r.tasks[t2].parameters = 0;
  r.tasks[t2].priority = 7;
  return r;
}

/// As many tasks as asked for, with gaps, over a simulated iteration each thousand.
Recording large(std::size_t tasks, int cpus, int gpus) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> real(0, 1);
  Builder b("random");
  b.units("CPU", cpus).units("CUDA", gpus);
  std::vector<std::uint32_t> handles;
  for (int i = 0; i < 1000; ++i) handles.push_back(b.handle("block " + std::to_string(i), 1 << 16));
  const auto units = static_cast<std::size_t>(cpus + gpus);
  std::vector<double> free(units, 0.0), ends;
  const char* names[] = {"P2P", "M2L", "M2M", "L2L", "P2M", "L2P"};
  for (std::size_t i = 0; i < tasks; ++i) {
    std::size_t unit = random() % units;
    for (int k = 0; k < 8; ++k) {
      const std::size_t other = random() % units;
      if (free[other] < free[unit]) unit = other;
    }
    std::vector<std::uint32_t> after;
    for (std::size_t k = 0; k < random() % 3 && i > 200; ++k)
      after.push_back(static_cast<std::uint32_t>(i - 1 - random() % 200));
    double start = free[unit] + (random() % 4 == 0 ? real(random) * 4e-4 : 0);
    for (const std::uint32_t p : after) start = std::max(start, ends[p]);
    const double end = start + 1e-4 + real(random) * 2e-3;
    free[unit] = end;
    ends.push_back(end);
    b.task(names[random() % 6], static_cast<std::uint32_t>(unit), start, end, after,
           static_cast<std::uint32_t>(random() % 50), 1e6 * real(random), static_cast<std::int32_t>(i / 1000),
           {{handles[random() % 1000], Mode::read}, {handles[random() % 1000], Mode::read_write}});
    if (i % 8 == 0 && gpus > 0) {
      const auto gpu = static_cast<std::uint32_t>(1 + random() % static_cast<std::uint64_t>(gpus));
      const bool in = random() % 2 == 0;
      b.transfer(in ? 0 : gpu, in ? gpu : 0, start, start + 3e-4 * real(random), 1 << 16);
    }
  }
  Recording r = b.finish();
  for (double t = 0; t < r.end; t += r.end / 20000) {
    r.ready.add(t, std::floor(200 * real(random)));
    r.submitted.add(t, std::floor(static_cast<double>(tasks) * (1 - t / r.end)));
  }
  return r;
}

TEST_F(PageTest, TwoRecordingsOnOneTimeAxis) {
  const Recording slow = small("dmdas", 1.0), fast = small("lws", 0.8);
  const Metrics a = measure(slow), b = measure(fast);
  const std::vector<View> views = {
      {&slow,
       &a,
       {{"LP", 6.25, "No schedule of these tasks on these units is shorter."},
        {"critical path", a.critical_path.length, "The longest chain of dependent tasks."}},
       {{"Verdict", "cannot be told apart from the best"}},
       {{Fault::slow_tasks, "a task is slow", "warm up", 1.5, slow.begin + 4.5, slow.begin + 6, {3}, {2}},
        {Fault::impossible_link, "a link is slow", "measure again", 0, slow.begin + 1, slow.begin + 2}}},
      {&fast, &b, {{"LP", 5.0, "No schedule of these tasks on these units is shorter."}}}};
  const std::string text = write("small.html", views, "Cholesky, two schedulers");
  save(folder() / "small.json", expected(views, 3, 100));
  EXPECT_NE(text.find("<title>Cholesky, two schedulers</title>"), std::string::npos);
  EXPECT_EQ(text.find("http:"), std::string::npos);
  EXPECT_EQ(text.find("https:"), std::string::npos);
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(text.find("{{"), std::string::npos);
  expect_equal(Page(text, 0), slow);
  expect_equal(Page(text, 1), fast);
  const Page page(text, 0);
  EXPECT_EQ(page.header()["views"].size(), 2u);
  EXPECT_DOUBLE_EQ(page.view()["metrics"]["makespan"].get<double>(), 10.0);
  EXPECT_EQ(page.view()["bounds"][0]["name"], "LP");
  EXPECT_EQ(page.view()["facts"][0]["text"], "cannot be told apart from the best");
  EXPECT_TRUE(Page(text, 1).view()["facts"].empty());
  EXPECT_EQ(page.view()["findings"][0]["fault"], "slow tasks");
  EXPECT_EQ(page.view()["findings"][0]["task"], 3);
  EXPECT_TRUE(page.view()["findings"][1]["task"].is_null());
  EXPECT_TRUE(Page(text, 1).view()["findings"].empty());
  EXPECT_EQ(page.bytes("handle.name.text"), "x[0]y[0]");
  EXPECT_EQ(page.bytes("access.mode"), std::string("\2\1\0\2\2", 5));
  EXPECT_EQ(page.integers("task.priority")[3], 7);
}

TEST_F(PageTest, HostileNamesStayText) {
  const std::string hostile = "</script><script>alert(1)</script>{{script}}<!-- \"'& \xff";
  Builder b(hostile);
  b.units(hostile, 1);
  b.handle(hostile);
  b.task(hostile, 0, 0, 1, {}, 1, 0, -1, {{0, Mode::read}});
  b.task("<img src=x onerror=alert(2)>", 0, 1, 2, {0});
  Recording r = b.finish();
  r.texts.push_back(hostile);
  r.tasks[0].parameters = 0;
  const Metrics m = measure(r);
  const std::vector<View> views = {
      {&r, &m, {{hostile, 1, hostile}}, {}, {{Fault::slow_tasks, hostile, hostile, 1, 1, 1.5, {0}, {0}}}}};
  const std::string text = write("hostile.html", views, hostile);
  save(folder() / "hostile.json", expected(views, 0, 100));
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  EXPECT_EQ(text.find("<img"), std::string::npos);
  // data, header and module: three elements, each closed once
  std::size_t closed = 0;
  for (std::size_t at = 0; (at = text.find("</script", at)) != std::string::npos; ++at) ++closed;
  EXPECT_EQ(closed, 3u);
  const Page page(text);
  EXPECT_EQ(page.bytes("handle.name.text"), hostile);
  EXPECT_EQ(page.view()["codelets"][1]["name"], "<img src=x onerror=alert(2)>");
}

TEST_F(PageTest, TwoHundredThousandTasks) {
  const Recording r = large(200000, 60, 4);
  const Metrics m = measure(r);
  const std::vector<View> views = {{&r, &m, {{"LP", 0.8 * m.makespan, "A lower bound."}}}};
  const std::string text = write("large.html", views, "200,000 tasks");
  save(folder() / "large.json", expected(views, 150000, 100));
  EXPECT_LT(text.size(), 8u << 20);
  EXPECT_GT(text.size(), 1u << 20);
  expect_equal(Page(text), r);
  RecordProperty("bytes", static_cast<int>(text.size()));
}

TEST_F(PageTest, OnlyTasksWereRecorded) {
  Builder b("bare");
  b.units("CPU", 1);
  const auto t = b.task("axpy", 0, 0, 1);
  b.task("axpy", 0, 2, 3);
  Recording r = b.finish();
  r.has_states = r.has_dependencies = false;
  const Metrics m = measure(r);
  const std::vector<View> views = {{&r, &m, {}}};
  const std::string text = write("bare.html", views, "bare");
  save(folder() / "bare.json", expected(views, t, 100));
  expect_equal(Page(text), r);
  EXPECT_EQ(Page(text).view()["has_states"], false);
}

TEST_F(PageTest, NanosecondsAfterAThousandSeconds) {
  Builder b;
  b.units("CPU", 1);
  b.task("long", 0, 0, 1000);
  b.task("short", 0, 1000.000000123, 1000.000000987);
  const Recording r = b.finish();
  const Metrics m = measure(r);
  const Page page(write("long.html", {{&r, &m, {}}}, "long"));
  EXPECT_EQ(page.integers("task.start")[1], 1000000000123.0);
  EXPECT_EQ(page.integers("task.length")[1], 864.0);
}

TEST_F(PageTest, NothingIsLeftOfAFileThatCannotBeWritten) {
  const Recording r = small("x", 1);
  const Metrics m = measure(r);
  try {
    write_html(folder() / "no" / "such" / "folder" / "page.html", {{&r, &m, {}}}, "x");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_NE(std::string(error.what()).find("page.html"), std::string::npos);
  }
  fs::create_directories(folder() / "taken.html" / "inside");
  EXPECT_THROW(write_html(folder() / "taken.html", {{&r, &m, {}}}, "x"), Error);
  for (const auto& entry : fs::directory_iterator(folder()))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

/// CPUs and four H200 GPUs under dmdas, as recorded: what the page shows is compared with metrics and bounds by the
/// browser test.
TEST_F(PageTest, OfARealRecording) {
  ReadOptions options;
  options.window = Window::parse("iterations");
  const Recording r = read({ASTERISM_SOURCE_DIR "/experiments/records/recordings/cg-11pts-128-h200x4-dmdas"}, options);
  const Metrics m = measure(r);
  bounds::Durations durations;
  durations.add(r, bounds::Source::recording);
  const bounds::Bounds b = bounds::compute(r, durations);
  ASSERT_TRUE(b.critical_path.has_value());
  const std::vector<View> views{{&r,
                                 &m,
                                 {{"LP", b.area.solution.seconds, "area bound"},
                                  {"LP where tasks fit", b.fitting, "LP with whole tasks that fit"},
                                  {"critical path", b.critical_path->length, "longest chain"}}}};
  write_html(folder() / "real.html", views, "CG on four H200");
  std::size_t task = r.tasks.size() / 2;
  while (!r.tasks[task].executed() || r.predecessors(task).size() < 2) ++task;
  save(folder() / "real.json", expected(views, task, 100));
  EXPECT_LT(fs::file_size(folder() / "real.html"), 1000000U);
}

}  // namespace
}  // namespace asterism::traces
