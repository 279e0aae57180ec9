// SPDX-License-Identifier: Apache-2.0
// Schedules that "hprio" makes on four or so units that do not exist, in simulated time: how long they are, and that
// every task ends whoever sleeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/hprio/layout.hpp"

namespace {

using namespace asterism::schedulers::hprio;

struct Task {
  Class* of;
  PerKind<double> duration;  ///< on a CPU, on a GPU; 0: cannot
  int priority = 0;
  std::vector<std::size_t> releases{};  ///< later tasks that wait for this one
  int waits_for = 0;
  int near = -1;  ///< the GPU that holds its data, of those of the machine; -1: nobody
};

/// Units that poll when they end a task, and sleep when they find nothing until they are woken.
class Machine {
 public:
  Machine(unsigned cpus, unsigned gpus, const char* table, const char* rules, unsigned lookahead = 2)
      : rules_(parse_rules(rules).rules),
        pool_(rules_.termination, rules_.prefetch ? lookahead : 0, {}, rules_.backlog),
        layout_(pool_, rules_, table == nullptr ? std::nullopt : std::optional(parse_table(table))),
        count_{cpus, gpus} {
    for (unsigned u = 0; u < cpus + gpus; ++u) units_.push_back({u, u < cpus ? Kind::cpu : Kind::gpu});
    for (const Unit unit : units_) pool_.set_kind(unit);
    layout_.set_units({cpus > 0, gpus > 0});
  }

  /// The makespan; -1 when tasks are left and all sleep, -2 when one sleeps on that would find a task.
  double run(std::vector<Task> tasks) {
    tasks_ = std::move(tasks);
    for (const Unit unit : units_) pool_.set_idle(unit.number, true);
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      if (tasks_[t].waits_for == 0) push(t);
    std::size_t ended = 0;
    while (!running_.empty()) {
      const Event event = running_.top();
      running_.pop();
      now_ = event.end;
      pool_.finished(event.unit);
      ++ended;
      for (const std::size_t next : tasks_[event.task].releases)
        if (--tasks_[next].waits_for == 0) push(next);
      poll(event.unit);
      for (const Unit unit : units_)
        if (pool_.is_idle(unit.number) && pool_.pop(unit)) return -2;
    }
    return ended == tasks_.size() ? now_ : -1;
  }
  /// Tasks of a class that ran on a kind.
  [[nodiscard]] int ran(const Class& of, Kind kind) const {
    return static_cast<int>(std::count(log_.begin(), log_.end(), std::pair(&of, kind)));
  }
  [[nodiscard]] const std::vector<std::pair<const Class*, Kind>>& log() const { return log_; }

 private:
  struct Event {
    double end;
    std::size_t number;
    std::size_t task;
    Unit unit;
    bool operator>(const Event& b) const { return std::pair(end, number) > std::pair(b.end, b.number); }
  };

  void push(std::size_t t) {
    const Task& task = tasks_[t];
    Entry entry;
    entry.task = &tasks_[t];
    entry.priority = task.priority;
    for (const Kind kind : kinds) entry.able[at(kind)] = task.duration[at(kind)] > 0 ? count_[at(kind)] : 0;
    entry.length = task.duration;
    if (task.near >= 0) entry.near.set(count_[0] + static_cast<unsigned>(task.near));
    task.of->came(entry.able);
    if (entry.able[0] > 0 && entry.able[1] > 0) {
      entry.speedup = task.duration[0] / task.duration[1];
      task.of->predicted(task.duration);
      layout_.learn(*task.of);
    }
    layout_.place(entry, *task.of, [&] { return std::max(task.duration[0], task.duration[1]); });
    entry.bucket->push(entry);
    wake(pool_.take_idle_for(entry));
  }
  void wake(std::optional<unsigned> unit) {
    if (unit) poll(units_[*unit]);
  }
  void poll(Unit unit) {
    const std::optional<Entry> entry = pool_.pop(unit);
    pool_.set_idle(unit.number, !entry);
    if (!entry) return;
    const auto& task = *static_cast<const Task*>(entry->task);
    pool_.started(unit);
    log_.emplace_back(task.of, unit.kind);
    running_.push(
        {now_ + task.duration[at(unit.kind)], ++number_, static_cast<std::size_t>(&task - tasks_.data()), unit});
    std::optional<Entry> kept;
    if (unit.kind == Kind::gpu) kept = pool_.reserve(unit, [](void*) {});
    if (kept) wake(pool_.take_idle_for_kept(*kept));
    wake(pool_.take_idle_for(*entry));
  }

  Rules rules_;
  Pool pool_;
  Layout layout_;
  PerKind<unsigned> count_;
  std::vector<Unit> units_;
  std::vector<Task> tasks_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> running_;
  std::vector<std::pair<const Class*, Kind>> log_;  ///< in the order in which they began
  double now_ = 0;
  std::size_t number_ = 0;
};

constexpr const char* fmm = "m2l codelet=m2l 0 1\np2p codelet=p2p 1 0";

/// P2P 30 times as fast on a GPU, M2L three times, in turn as long as there are both.
std::vector<Task> near_and_far(Class& p2p, Class& m2l, int near, int far) {
  std::vector<Task> tasks;
  for (int i = 0; i < std::max(near, far); ++i) {
    if (i < near) tasks.push_back({&p2p, {30, 1}});
    if (i < far) tasks.push_back({&m2l, {3, 1}});
  }
  return tasks;
}

struct Outcome {
  double makespan;
  int near_on_cpu;
  int far_on_gpu;
};
Outcome fast_multipole(int near, int far, const char* table, const char* rules) {
  Class p2p("", "p2p");
  Class m2l("", "m2l");
  Machine machine(4, 1, table, rules);
  const double makespan = machine.run(near_and_far(p2p, m2l, near, far));
  return {makespan, machine.ran(p2p, Kind::cpu), machine.ran(m2l, Kind::gpu)};
}

TEST(HprioSchedules, SteadyStateKeepsEachKindAtWhatItDoesBest) {
  // all P2P on the GPU, x of the M2L too: 100 + x = 3 (200 - x) / 4, so that 128.6 is the area bound
  const double bound = 900. / 7;
  for (const char* table : {fmm, static_cast<const char*>(nullptr)}) {
    const Outcome with = fast_multipole(100, 200, table, "");
    EXPECT_GE(with.makespan, bound);
    EXPECT_LE(with.makespan, 1.03 * bound);
    EXPECT_EQ(with.near_on_cpu, 0);
    const Outcome without = fast_multipole(100, 200, table, "-priorities");
    EXPECT_GT(without.makespan, 1.1 * bound);
    EXPECT_GT(without.near_on_cpu, 0);
  }
}

TEST(HprioSchedules, TerminationLeavesTheLastTasksToWhoIsFast) {
  // P2P dominates. From t = 15 the CPUs have no M2L, and help with P2P (4/30 + 1 per second) as long as it pays; the
  // last 30 tasks are the GPU's, which alone takes 3.5 s longer for them
  for (const int near : {50, 70, 110}) {
    const double bound = 15 + (near - 15) / (1 + 4 / 30.);
    for (const char* table : {fmm, static_cast<const char*>(nullptr)}) {
      const Outcome with = fast_multipole(near, 20, table, "");
      EXPECT_LE(with.makespan, bound + 5) << near;
      const Outcome without = fast_multipole(near, 20, table, "-termination");
      EXPECT_GT(without.makespan, 1.08 * with.makespan) << near;
    }
  }
  EXPECT_GT(fast_multipole(200, 20, fmm, "").near_on_cpu, 10);  // it does not forbid
  // one runs on the GPU: 29 that wait never reach a CPU, 30 do
  EXPECT_EQ(fast_multipole(30, 0, fmm, "").near_on_cpu, 0);
  EXPECT_EQ(fast_multipole(31, 0, fmm, "").near_on_cpu, 1);
  EXPECT_EQ(fast_multipole(31, 0, fmm, "").makespan, 30);
}

/// A GPU that is 90 to 300 times as fast as a core, at everything. Microseconds.
struct Everything {
  double makespan;
  int on_cpus;
};
Everything fast_at_everything(unsigned cpus, const char* rules) {
  constexpr std::size_t each = 130;
  Class p2m("", "p2m");
  Class m2l("", "m2l");
  Class l2p("", "l2p");
  Class p2p("", "p2p");
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < each; ++i) tasks.push_back({&p2m, {4400, 50}, 0, {each + i}});
  for (std::size_t i = 0; i < each; ++i) tasks.push_back({&m2l, {75000, 500}, 0, {2 * each + i}, 1});
  for (std::size_t i = 0; i < each; ++i) tasks.push_back({&l2p, {6400, 60}, 0, {}, 1});
  for (std::size_t i = 0; i < each; ++i) tasks.push_back({&p2p, {350000, 1200}});
  Machine machine(cpus, 1, nullptr, rules);
  Everything ran{machine.run(tasks), 0};
  for (const Class* of : {&p2m, &m2l, &l2p, &p2p}) ran.on_cpus += machine.ran(*of, Kind::cpu);
  return ran;
}

TEST(HprioSchedules, CoresHelpAGpuThatIsFarFasterAtEverything) {
  // all P2M and L2P on CPUs and x M2L: 130 (4.4 + 6.4) + 75 x = 15 T, 130 x 1.2 + 0.5 (130 - x) = T
  const double x = (15 * 221 - 1404.) / (75 + 15 * 0.5);
  const double bound = 1000 * (221 - 0.5 * x);
  const double alone = fast_at_everything(0, "").makespan;
  const Everything with = fast_at_everything(15, "");
  const Everything paper = fast_at_everything(15, "-backlog");
  RecordProperty("makespans", std::to_string(bound) + " " + std::to_string(with.makespan) + " " +
                                  std::to_string(paper.makespan) + " " + std::to_string(alone));
  EXPECT_GE(with.makespan, bound);
  EXPECT_LE(with.makespan, 1.02 * bound);
  EXPECT_LE(1.08 * with.makespan, paper.makespan);
  EXPECT_LE(paper.makespan, alone);
  EXPECT_GT(with.on_cpus, paper.on_cpus + 100);
}

TEST(HprioSchedules, InASingleBucketTheRulesAgree) {
  for (int count = 1; count < 120; ++count) {
    const auto run = [&](const char* rules) {
      Class a("", "a");
      Machine machine(3, 2, nullptr, rules);
      const double makespan = machine.run(std::vector<Task>(static_cast<std::size_t>(count), {&a, {30, 1}}));
      return std::tuple(makespan, machine.ran(a, Kind::cpu));
    };
    EXPECT_EQ(run(""), run("-backlog")) << count;
  }
}

TEST(HprioSchedules, HalvesGiveTheLargeTasksToTheGpu) {
  // small tasks and ones twenty times larger in turn, all three times as fast on the GPU
  struct Split {
    double makespan;
    std::string on_cpus;  ///< the first that CPUs ran
    std::string on_gpu;
  };
  const auto run = [](int pairs, const char* rules) {
    Class large("", "p2p_Large");
    Class small("", "p2p_small");
    Class hold("", "hold");  // keeps the units busy until all are there
    Machine machine(2, 1, "h codelet=hold 0 0\np2p codelet=p2p* split large 3 1 small 2 2", rules);
    std::vector<Task> tasks(3, {&hold, {1, 1}});
    for (int i = 0; i < pairs; ++i) {
      tasks.push_back({&large, {60, 20}});
      tasks.push_back({&small, {3, 1}});
    }
    Split split{machine.run(tasks), "", ""};
    for (const auto& [of, kind] : machine.log())
      if (of != &hold) (kind == Kind::cpu ? split.on_cpus : split.on_gpu) += of == &large ? 'L' : 's';
    split.on_cpus.resize(8);
    split.on_gpu.resize(4);
    return split;
  };
  EXPECT_EQ(run(20, "").on_cpus, "ssssssss");
  EXPECT_EQ(run(20, "").on_gpu, "LLLL");
  EXPECT_NE(run(20, "-split").on_cpus.find('L'), std::string::npos);
  EXPECT_NE(run(20, "-split").on_gpu.find('s'), std::string::npos);
  double with = 0;
  double without = 0;
  double by_backlog = 0;
  for (int pairs = 10; pairs < 50; ++pairs) {
    with += run(pairs, "-backlog").makespan;
    without += run(pairs, "-backlog,-split").makespan;
    by_backlog += run(pairs, "").makespan;
  }
  EXPECT_LT(with, without);
  EXPECT_LE(by_backlog, 1.001 * with);  // which does not need the halves here
}

TEST(HprioSchedules, CpusDoNotWaitForWhatAGpuKeeps) {
  // one task in three is kept by the GPU and CPUs are as fast: nobody idles
  Class a("", "a");
  Machine machine(2, 1, nullptr, "", 8);
  EXPECT_EQ(machine.run(std::vector<Task>(9, {&a, {1, 1}})), 3);
  // and the other GPUs do not
  Machine gpus(0, 3, nullptr, "", 8);
  EXPECT_EQ(gpus.run(std::vector<Task>(9, {&a, {0, 1}})), 3);
}

TEST(HprioSchedules, TasksThatCpusRunFasterAreKeptFromGpus) {
  // ten times as fast on one of two CPUs: the GPU helps with 20 tasks waiting and not with fewer
  Class a("", "a");
  Machine few(2, 1, nullptr, "");
  EXPECT_EQ(few.run(std::vector<Task>(19, {&a, {1, 10}})), 10);
  EXPECT_EQ(few.ran(a, Kind::gpu), 0);
  Machine many(2, 1, nullptr, "", 0);
  EXPECT_LE(many.run(std::vector<Task>(60, {&a, {1, 10}})), 30);
  EXPECT_GE(many.ran(a, Kind::gpu), 1);
}

TEST(HprioSchedules, EveryTaskEndsWhateverTheGraph) {
  const std::vector<std::string> tables{
      "", "a codelet=a 0 -\nb codelet=b - 0\nc codelet=c split large 3 0 small 0 3\nd codelet=d per-priority 1 1",
      "one codelet=* 0 0", "gpu codelet=* - 0", "cpu codelet=* 0 -"};
  const std::vector<std::string> rules{"", "-termination", "-backlog", "-priorities", "-prefetch", "-split"};
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::unique_ptr<Class>> classes;
    for (const char* name : {"a", "b", "c", "d", "e"}) classes.push_back(std::make_unique<Class>("", name));
    const auto cpus = static_cast<unsigned>(below(4));
    const auto gpus = static_cast<unsigned>(below(4)) + (cpus == 0 ? 1 : 0);
    std::vector<Task> tasks(static_cast<std::size_t>(1 + below(60)));
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      tasks[t] = {classes[static_cast<std::size_t>(below(5))].get(), {1. + below(40), 1. + below(40)}, below(4)};
      tasks[t].near = below(gpus + 1) - 1;
      const int only = below(4);
      if (only < 2 && (only == 0 ? cpus : gpus) > 0) tasks[t].duration[static_cast<std::size_t>(1 - only)] = 0;
      for (int d = below(3); d > 0 && t > 0; --d) {
        tasks[static_cast<std::size_t>(below(static_cast<unsigned>(t)))].releases.push_back(t);
        ++tasks[t].waits_for;
      }
    }
    const std::string& table = tables[static_cast<std::size_t>(round) % tables.size()];
    const std::string& rule = rules[static_cast<std::size_t>(below(6))];
    Machine machine(cpus, gpus, table.empty() ? nullptr : table.c_str(), rule.c_str(), static_cast<unsigned>(below(4)));
    ASSERT_GT(machine.run(std::move(tasks)), 0) << "round " << round << ", " << table << ", " << rule;
  }
}

}  // namespace
