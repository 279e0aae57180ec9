// SPDX-License-Identifier: Apache-2.0
// Recordings with one fault each, built in by hand: it is found, with its seconds and tasks, and nothing else is.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/traces/recording_builder.hpp"
#include "traces/diagnosis/finding.hpp"
#include "traces/readers/read.hpp"

namespace asterism::traces {
namespace {

using testing::Builder;
using Numbers = std::vector<std::uint32_t>;

std::vector<Finding> findings_of(const Recording& r, const PlatformRec* models = nullptr) {
  return diagnose(r, measure(r), models);
}

std::string names(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings)
    text += std::string(fault_names[static_cast<std::size_t>(f.fault)]) + ": " + f.what + "\n";
  return text;
}

/// The only finding.
Finding only(const Recording& r, Fault fault, const PlatformRec* models = nullptr) {
  const std::vector<Finding> findings = findings_of(r, models);
  EXPECT_EQ(findings.size(), 1U) << names(findings);
  if (findings.empty()) return {};
  EXPECT_EQ(findings[0].fault, fault) << names(findings);
  EXPECT_FALSE(findings[0].what.empty());
  EXPECT_FALSE(findings[0].advice.empty());
  EXPECT_GE(findings[0].begin, r.begin);
  EXPECT_LE(findings[0].end, r.end);
  return findings[0];
}

/// `rows` tasks of a second on each of two CPUs, one after the other; task i of unit u takes lengths(u, i).
template <class Length>
Recording two_cpus(int rows, const Length& length) {
  Builder b;
  b.units("CPU", 2);
  for (std::uint32_t u = 0; u < 2; ++u) {
    double now = 0;
    std::uint32_t last = none;
    for (int i = 0; i < rows; ++i) {
      const double end = now + length(u, i);
      last = b.task("work", u, now, end, last == none ? Numbers{} : Numbers{last});
      now = end;
    }
  }
  return b.finish();
}

TEST(Diagnosis, NothingOddWhereAllIsWell) {
  EXPECT_EQ(names(findings_of(two_cpus(20, [](std::uint32_t, int) { return 1.0; }))), "");
  // durations that spread by a tenth, as on any machine
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(1, 0.1);
  EXPECT_EQ(names(findings_of(two_cpus(400, [&](std::uint32_t, int) { return normal(random); }))), "");
  // one task only, and tasks without graph or states
  Builder single;
  single.units("CPU", 1);
  single.task("work", 0, 0, 1);
  EXPECT_EQ(names(findings_of(single.finish())), "");
}

TEST(Diagnosis, SlowTasks) {
  // unit 1: tasks 7 and 12 take 4 s and 6 s instead of 1 s; unit 0 works as long with more tasks of another class
  Builder b;
  b.units("CPU", 2);
  double now = 0;
  for (int i = 0; i < 28; ++i) b.task("even", 0, i, i + 1);
  Numbers tasks;
  for (int i = 0; i < 20; ++i) {
    const double length = i == 7 ? 4 : i == 12 ? 6 : 1;
    tasks.push_back(b.task("work", 1, now, now + length));
    now += length;
  }
  const Finding f = only(b.finish(), Fault::slow_tasks);
  EXPECT_NEAR(f.seconds, 3 + 5, 1e-9);
  EXPECT_EQ(f.tasks, (Numbers{tasks[12], tasks[7]}));
  EXPECT_EQ(f.units, Numbers{1});
  EXPECT_NEAR(f.begin, 15, 1e-9);
  EXPECT_NEAR(f.end, 21, 1e-9);
  EXPECT_NE(f.advice.find("one unit"), std::string::npos);
}

TEST(Diagnosis, SlowFirstTasksNeedAWarmUp) {
  const Recording r = two_cpus(20, [](std::uint32_t, int i) { return i == 0 ? 5.0 : 1.0; });
  const Finding f = only(r, Fault::slow_tasks);
  EXPECT_NEAR(f.seconds, 8, 1e-9);
  EXPECT_EQ(f.tasks.size(), 2U);
  EXPECT_NE(f.advice.find("run once"), std::string::npos);
}

TEST(Diagnosis, OtherSizesAreOtherClasses) {
  Builder b;
  b.units("CPU", 1);
  for (int i = 0; i < 20; ++i) b.task("work", 0, i, i + 1, {}, 1);
  b.task("work", 0, 20, 40, {}, 2);
  EXPECT_EQ(names(findings_of(b.finish())), "");
}

/// A GPU reads x [0,1), computes with it [1,2), with others [2,8), reads it again [8,10), uses it [10,12).
Recording read_again(bool written, bool acquired) {
  Builder b;
  b.units("CUDA", 1);
  const std::uint32_t x = b.handle("x", 1000), y = b.handle("y", 1000);
  const auto first = b.task("use", 0, 1, 2, {}, 1, 0, -1, {{x, Mode::read}});
  const auto other =
      b.task("other", 0, 2, 8, {first}, 2, 0, -1, {{y, Mode::read_write}, {x, written ? Mode::write : Mode::read}});
  const auto host = acquired ? b.node(0, {other}) : other;
  b.task("use", 0, 10, 12, {host}, 1, 0, -1, {{x, Mode::read}});
  b.transfer(0, 1, 0, 1, 1000, x).transfer(0, 1, 8, 10, 1000, x);
  return b.finish();
}

TEST(Diagnosis, DataReadAgain) {
  const Finding f = only(read_again(false, false), Fault::data_read_again);
  EXPECT_NEAR(f.seconds, 2, 1e-9);
  EXPECT_EQ(f.tasks, Numbers{2});
  EXPECT_EQ(f.units, Numbers{0});
  EXPECT_NEAR(f.begin, 8, 1e-9);
  EXPECT_NEAR(f.end, 10, 1e-9);
  EXPECT_NE(f.what.find("(transfers: 1, pieces of data: 1)"), std::string::npos) << f.what;
}

TEST(Diagnosis, DataThatChangedAreNotReadAgain) {
  EXPECT_EQ(names(findings_of(read_again(true, false))), "");
  EXPECT_EQ(names(findings_of(read_again(false, true))), "");  // the program may have written them
}

TEST(Diagnosis, NothingIsSaidOfDataWithoutRecordedUsers) {
  Recording r = read_again(false, false);
  r.accesses = {};
  for (std::size_t t = 0; t < r.tasks.size(); ++t) r.accesses.close();
  EXPECT_EQ(names(findings_of(r)), "");
}

/// GPU 0 makes x [0,4); its copy goes to main memory [4,5), after `pause` on to GPU 1 in 1 s, which then works 4 s.
Recording through_memory(double pause, bool direct) {
  Builder b;
  b.units("CUDA", 2);
  const std::uint32_t x = b.handle("x", 1000);
  const auto made = b.task("make", 0, 0, 4, {}, 1, 0, -1, {{x, Mode::write}});
  b.task("more", 0, 4, 10 + pause);
  b.task("less", 1, 0, 4 + pause);
  b.task("use", 1, 6 + pause, 10 + pause, {made}, 1, 0, -1, {{x, Mode::read}});
  if (direct) return b.transfer(1, 2, 4 + pause, 6 + pause, 1000, x).finish();
  return b.transfer(1, 0, 4, 5, 1000, x).transfer(0, 2, 5 + pause, 6 + pause, 1000, x).finish();
}

TEST(Diagnosis, TransfersThroughMemory) {
  const Finding f = only(through_memory(0, false), Fault::through_memory);
  EXPECT_NEAR(f.seconds, 1, 1e-9);  // the first half, which a direct transfer would save
  EXPECT_EQ(f.tasks, Numbers{3});
  EXPECT_EQ(f.units, Numbers{1});
  EXPECT_NEAR(f.begin, 4, 1e-9);
  EXPECT_NEAR(f.end, 5, 1e-9);
}

TEST(Diagnosis, DirectTransfersAndDataKeptInMemoryAreNoDetour) {
  EXPECT_EQ(names(findings_of(through_memory(0, true))), "");
  EXPECT_EQ(names(findings_of(through_memory(2, false))), "");
}

/// Three GPUs that each receive eight blocks of 4 MB while they compute, at `rate` for the last, else at 20 GB/s.
Recording links(double rate) {
  Builder b;
  b.units("CUDA", 3);
  constexpr std::uint64_t bytes = 4 << 20;
  const double slowest = bytes / std::min(rate, 20e9);
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) {
    const double length = static_cast<double>(bytes) / (gpu == 2 ? rate : 20e9);
    for (int i = 0; i < 8; ++i) {
      const double begin = i * 2 * slowest;
      const std::uint32_t x = b.handle("x", bytes);
      b.task("work", gpu, begin + slowest, begin + 2 * slowest, {}, 1, 0, -1, {{x, Mode::read}});
      b.transfer(0, gpu + 1, begin + slowest - length, begin + slowest, bytes, x);
    }
  }
  Recording r = b.finish();
  r.has_dependencies = false;  // not the subject
  return r;
}

TEST(Diagnosis, LinksThatCannotBe) {
  EXPECT_EQ(names(findings_of(links(20e9))), "");
  EXPECT_EQ(names(findings_of(links(8e9))), "");  // across sockets
  const Finding slow = only(links(2e9), Fault::impossible_link);
  // the recording begins with the first task: seven waits of the link's time, nine tenths of them too many
  EXPECT_NEAR(slow.seconds, 7 * (4 << 20) / 2e9 * 0.9, 1e-9);
  EXPECT_EQ(slow.units, Numbers{2});
  EXPECT_NE(slow.what.find("RAM -> CUDA 2 reach 2 GB/s at most; links of the same sort reach 20 GB/s"),
            std::string::npos)
      << slow.what;
  const Finding fast = only(links(5e12), Fault::impossible_link);
  EXPECT_EQ(fast.seconds, 0);
  EXPECT_NE(fast.what.find("no link is faster"), std::string::npos) << fast.what;
}

TEST(Diagnosis, BusModelsThatCannotBe) {
  const Recording r = two_cpus(20, [](std::uint32_t, int) { return 1.0; });
  PlatformRec models;
  models.memory_workers = {{0, "RAM", -1, {}}, {1, "CUDA 0", -1, {}}, {2, "CUDA 1", -1, {}}};
  models.memory_performance = {{0, 1, 24e3, 5}, {0, 2, 25e3, 5}, {1, 0, 26e3, 5}, {2, 0, 22e3, 5}};
  EXPECT_EQ(names(findings_of(r, &models)), "");
  models.memory_performance[1].bandwidth = 300;
  EXPECT_NE(only(r, Fault::impossible_link, &models).what.find("RAM -> CUDA 1 0.3 GB/s"), std::string::npos);
  models.memory_performance[1].bandwidth = -1;
  EXPECT_NE(only(r, Fault::impossible_link, &models).what.find("no link has"), std::string::npos);
}

/// A chain of ten seconds on one CPU, and three more CPUs with `width` seconds of work each at its begin.
Recording narrow(double width, double submitted) {
  Builder b;
  b.units("CPU", 4);
  Numbers last;
  for (int i = 0; i < 10; ++i) last = {b.task("chain", 0, i, i + 1, last)};
  for (std::uint32_t u = 1; u < 4; ++u) {
    b.task("wide", u, 0, width);
    if (submitted > 0) b.task("wide", u, submitted, 10);
  }
  Recording r = b.finish();
  if (submitted > 0)
    for (Task& t : r.tasks)
      if (t.start == submitted && t.unit > 0) t.submitted = submitted;
  return r;
}

TEST(Diagnosis, TooFewReadyTasks) {
  const Finding f = only(narrow(2, 0), Fault::too_few_ready);
  EXPECT_NEAR(f.seconds, 3 * 8, 1e-9);
  EXPECT_NEAR(f.begin, 2, 1e-9);
  EXPECT_NEAR(f.end, 10, 1e-9);
  EXPECT_EQ(f.units, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(f.tasks, (Numbers{2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_NE(f.what.find("60 %"), std::string::npos) << f.what;
  EXPECT_NE(f.what.find("1.6 tasks run"), std::string::npos) << f.what;
  EXPECT_EQ(names(findings_of(narrow(9, 0))), "");
}

TEST(Diagnosis, LateSubmission) {
  const Finding f = only(narrow(1, 7), Fault::late_submission);
  EXPECT_NEAR(f.seconds, 3 * 6, 1e-9);
  EXPECT_NEAR(f.begin, 1, 1e-9);
  EXPECT_NEAR(f.end, 7, 1e-9);
}

TEST(Diagnosis, UnitsThatIdleWhileTasksAreReadyAreNotStarved) {
  Recording r = narrow(1, 7);
  for (Task& t : r.tasks) t.submitted = 0;  // the scheduler kept them
  EXPECT_EQ(names(findings_of(r)), "");
}

/// `length` of computing, then a second of StarPU's, twenty times.
Recording fine(double length) {
  Builder b;
  b.units("CPU", 1);
  double now = 0;
  for (int i = 0; i < 20; ++i) {
    b.task("work", 0, now, now + length);
    if (i < 19) b.state(0, i % 2 == 0 ? State::scheduling : State::runtime, now + length, now + length + 1);
    now += length + 1;
  }
  return b.finish();
}

TEST(Diagnosis, TasksTooSmall) {
  const Finding f = only(fine(0.25), Fault::small_tasks);
  EXPECT_NEAR(f.seconds, 19, 1e-9);
  EXPECT_EQ(f.tasks.size(), 20U);
  EXPECT_NE(f.what.find("950.000 ms (METG)"), std::string::npos) << f.what;
  EXPECT_NE(f.what.find("21 %"), std::string::npos) << f.what;
  EXPECT_EQ(names(findings_of(fine(2))), "");
  Recording r = fine(0.25);
  r.has_states = false;
  EXPECT_EQ(names(findings_of(r)), "");
}

/// A head [0,1) makes a critical task ready, which CPU 0 starts at 6 after five others; then it runs [6,16).
Recording inversion(std::int32_t critical, bool ready_late) {
  Builder b;
  b.units("CPU", 2);
  const auto head = b.task("head", 1, 0, ready_late ? 5 : 1);
  for (int i = 0; i < 6; ++i) b.task("other", 0, i, i + 1);
  const auto late = b.task("critical", 0, 6, 16, {head});
  for (int i = ready_late ? 5 : 1; i < 16; ++i) b.task("fill", 1, i, i + 1);
  Recording r = b.finish();
  r.tasks[late].priority = critical;
  return r;
}

TEST(Diagnosis, PriorityInversions) {
  const Finding f = only(inversion(1, false), Fault::priority_inversion);
  // ready at 1; what starts at 1 and 2 may have been taken already, the three tasks from 3 on should have waited
  EXPECT_NEAR(f.seconds, 3, 1e-9);
  EXPECT_EQ(f.tasks, Numbers{7});
  EXPECT_EQ(f.units, Numbers{0});
  EXPECT_NEAR(f.begin, 3, 1e-9);
  EXPECT_NEAR(f.end, 6, 1e-9);
  EXPECT_EQ(names(findings_of(inversion(0, false))), "");  // equal priorities
  EXPECT_EQ(names(findings_of(inversion(-1, false))), "");
  EXPECT_EQ(names(findings_of(inversion(1, true))), "");  // not ready before
}

/// An inversion on a GPU, where tasks 3 and 4 have the critical task's priority, and its data arrive at `arrival`.
Finding inversion_on_gpu(double arrival, std::size_t count) {
  Builder b;
  b.units("CUDA", 2);
  const std::uint32_t x = b.handle("x");
  const auto head = b.task("head", 1, 0, 1, {}, 1, 0, -1, {{x, Mode::write}});
  Numbers others;
  for (int i = 0; i < 6; ++i) others.push_back(b.task("other", 0, i, i + 1));
  const auto late = b.task("critical", 0, 6, 16, {head}, 1, 0, -1, {{x, Mode::read}});
  for (int i = 1; i < 16; ++i) b.task("fill", 1, i, i + 1);
  Recording r = b.transfer(2, 1, 1, arrival, 8, x).finish();
  r.tasks[late].priority = r.tasks[others[3]].priority = r.tasks[others[4]].priority = 1;
  const std::vector<Finding> findings = findings_of(r);
  EXPECT_EQ(findings.size(), count) << names(findings);
  return findings.empty() ? Finding{} : findings[0];
}

TEST(Diagnosis, OnlyTasksOfLowerPriorityAreInversions) {
  const Finding f = inversion_on_gpu(1, 1);
  EXPECT_EQ(f.fault, Fault::priority_inversion);
  EXPECT_NEAR(f.seconds, 1, 1e-9);  // only the last, [5,6)
  EXPECT_NEAR(f.begin, 5, 1e-9);
  inversion_on_gpu(2.5, 0);  // what starts at 5 is the first after the data came
}

TEST(Diagnosis, WorstFirst) {
  Builder b;
  b.units("CPU", 4);
  double now = 0;
  Numbers last;
  for (int i = 0; i < 20; ++i) {
    last = {b.task("chain", 0, now, now + (i == 9 ? 5 : 1), last)};
    now += i == 9 ? 5 : 1;
  }
  for (std::uint32_t u = 1; u < 4; ++u) b.task("wide", u, 0, 6);
  const std::vector<Finding> findings = findings_of(b.finish());
  ASSERT_EQ(findings.size(), 2U) << names(findings);
  EXPECT_EQ(findings[0].fault, Fault::too_few_ready);
  EXPECT_EQ(findings[1].fault, Fault::slow_tasks);
  EXPECT_GT(findings[0].seconds, findings[1].seconds);
}

TEST(Diagnosis, RecordingsOfTheRepository) {
  for (const char* name : {"cyclic", "dmdas", "one"}) {
    ReadOptions options;
    options.window.part = Window::Part::iterations;
    const Recording r =
        read({std::string(ASTERISM_SOURCE_DIR "/experiments/records/recordings/cg-11pts-128-h200x4-") + name}, options);
    EXPECT_EQ(names(findings_of(r)), "") << name;
  }
  // before its iterations this run starts up: kernels are loaded when they run first
  const Recording whole = read({ASTERISM_SOURCE_DIR "/experiments/records/recordings/cg-11pts-128-h200x4-dmdas"});
  double first_iteration = whole.end;
  for (const Task& t : whole.tasks)
    if (t.executed() && t.iteration >= 0) first_iteration = std::min(first_iteration, t.start);
  for (const Finding& f : findings_of(whole)) {
    EXPECT_EQ(f.fault, Fault::slow_tasks) << f.what;
    EXPECT_LE(f.end, first_iteration) << f.what;
  }
}

}  // namespace
}  // namespace asterism::traces
