// SPDX-License-Identifier: Apache-2.0
// Sessions of the library: one at a time, both methods in one, calls of several threads, sleep between calls, and a
// StarPU that the program has started itself.
#include <starpu.h>
#include <sys/resource.h>

#include <asterism/cg.hpp>
#include <asterism/fmm.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "tests/api/problems.hpp"

namespace {

using namespace asterism;
using namespace asterism::tests;

const SessionOptions two_cores{.cpus = 2, .gpus = 0};

cg::MatrixView view(const Csr& a) {
  return {std::span<const std::int64_t>(a.begin), std::span<const std::int32_t>(a.column), a.value};
}

/// Solves, and checks the answer.
void solve_in(Session& session, unsigned seed = 1) {
  const Csr a = anisotropic_grid(12, 10, 8);
  const std::vector<double> b = random_values(a.rows(), seed);
  std::vector<double> x(a.rows());
  cg::Solver solver(session, view(a));
  EXPECT_TRUE(solver.solve(b, x).converged());
  EXPECT_LE(residual(a, b, x), 1e-8);
}

/// Evaluates two charges, whose potentials are known.
void evaluate_in(Session& session) {
  const std::vector<double> x{0, 2}, y{0, 0}, z{0, 0}, charge{3, -1};
  std::vector<double> potential(2), fx(2), fy(2), fz(2);
  fmm::Evaluator evaluator(session, {x, y, z});
  const fmm::Result result = evaluator.evaluate(charge, {potential, fx, fy, fz});
  EXPECT_DOUBLE_EQ(potential[0], -0.5);
  EXPECT_DOUBLE_EQ(potential[1], 1.5);
  EXPECT_DOUBLE_EQ(fx[0], 0.75);  // they attract
  EXPECT_DOUBLE_EQ(fx[1], -0.75);
  EXPECT_DOUBLE_EQ(result.energy, -1.5);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * t.tv_usec; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(LibrarySession, OneAtATime) {
  {
    Session session(two_cores);
    expect_bad_input([&] { const Session second(two_cores); }, {"second session", "one at a time"});
    solve_in(session);
  }
  Session session(two_cores);
  solve_in(session);
  Session moved = std::move(session);
  expect_bad_input([&] { solve_in(session); }, {"moved from"});  // NOLINT(bugprone-use-after-move)
  solve_in(moved);
}

TEST(LibrarySession, StartsForTasksOfOnesOwn) {
  Session session(two_cores);
  EXPECT_EQ(session.cpus(), 0);
  session.start();
  EXPECT_EQ(session.cpus(), 2);
  int ran = 0;
  starpu_codelet count{};
  count.cpu_funcs[0] = [](void**, void* argument) { ++*static_cast<int*>(argument); };
  count.name = "count";
  for (int round = 1; round <= 3; ++round) {  // after calls of the library, too
    const std::unique_ptr<starpu_task, void (*)(starpu_task*)> task(starpu_task_create(), starpu_task_destroy);
    task->cl = &count;
    task->cl_arg = &ran;
    task->destroy = 0;
    task->detach = 0;
    ASSERT_EQ(starpu_task_submit(task.get()), 0);
    ASSERT_EQ(starpu_task_wait(task.get()), 0);
    EXPECT_EQ(ran, round);
    solve_in(session);
    session.start();
  }
}

TEST(LibrarySession, WrongOptionsAreNamed) {
  expect_bad_input([] { const Session second({.cpus = -1}); }, {"cpus -1"});
  expect_bad_input([] { const Session second({.gpus = -2}); }, {"gpus -2"});
  expect_bad_input([] { const Session second({.cpus = 0, .gpus = 0}); }, {"cpus 0", "expected a core or a GPU"});
  expect_bad_input([] { const Session second({.scheduler = "fastest"}); }, {"scheduler fastest", "cyclic", "lws"});
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  expect_bad_input([] { const Session second(two_cores); }, {"4", "MPI finds one process"});
  unsetenv("OMPI_COMM_WORLD_SIZE");
  Session session({.cpus = 1, .gpus = 0, .scheduler = "lws"});
  EXPECT_EQ(session.cpus(), 0);
  solve_in(session);
  EXPECT_EQ(session.cpus(), 1);
  EXPECT_EQ(session.scheduler(), "lws");
}

TEST(LibrarySession, BothMethodsInOne) {
  for (const bool solve_first : {true, false}) {
    Session session(two_cores);
    if (solve_first) solve_in(session);
    evaluate_in(session);
    solve_in(session, 2);
    evaluate_in(session);
    EXPECT_EQ(session.scheduler(), solve_first ? "cyclic" : "hprio");
    EXPECT_EQ(session.cpus(), 2);
    EXPECT_EQ(session.gpus(), 0);
  }
}

TEST(LibrarySession, LivesAsLongAsItsSolvers) {
  const Csr a = anisotropic_grid(6, 5, 4);
  const std::vector<double> b = random_values(a.rows(), 3);
  std::vector<double> x(a.rows());
  std::optional<Session> session(two_cores);
  auto solver = std::make_unique<cg::Solver>(*session, view(a));
  session.reset();
  EXPECT_TRUE(solver->solve(b, x).converged());
  expect_bad_input([] { const Session second(two_cores); }, {"second session"});
  solver.reset();
  Session another(two_cores);
  solve_in(another);
}

TEST(LibrarySession, SleepsBetweenCalls) {
  Session session(two_cores);
  solve_in(session);
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(cpu_seconds() - before, 0.1);
  solve_in(session);
}

TEST(LibrarySession, ThreadsTakeTurns) {
  Session session(two_cores);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 3; ++seed)
    threads.emplace_back([&session, seed] {
      for (int i = 0; i < 3; ++i) solve_in(session, seed);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(LibrarySession, LeavesTheEnvironmentAsItWas) {
  unsetenv("STARPU_NCPU");
  {
    Session session(two_cores);
    solve_in(session);
  }
  EXPECT_EQ(getenv("STARPU_NCPU"), nullptr);
  EXPECT_EQ(getenv("STARPU_SCHED"), nullptr);
}

void add_one(void* buffers[], void* /*arguments*/) {
  ++*reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
}

/// Runs a task of the program's own, and reads its result.
void run_own_task() {
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = add_one;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  int value = 41;
  starpu_data_handle_t handle = nullptr;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value), sizeof value);
  ASSERT_EQ(starpu_task_insert(&codelet, STARPU_RW, handle, 0), 0);
  starpu_data_unregister(handle);
  EXPECT_EQ(value, 42);
}

TEST(LibrarySession, TheProgramsOwnStarpuStaysItsOwn) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.ncuda = 0;
  ASSERT_EQ(starpu_init(&conf), 0);
  run_own_task();
  {
    Session session(two_cores);
    solve_in(session);
    EXPECT_EQ(session.cpus(), 1);
    run_own_task();  // between two calls, too
    solve_in(session);
  }
  ASSERT_NE(starpu_is_initialized(), 0);
  run_own_task();
  starpu_shutdown();
  EXPECT_EQ(starpu_is_initialized(), 0);
}

}  // namespace
