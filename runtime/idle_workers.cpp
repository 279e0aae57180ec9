// SPDX-License-Identifier: Apache-2.0
#include "runtime/idle_workers.hpp"

#include <sched.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <string>

#include "runtime/machine/local_units.hpp"

namespace asterism {
namespace {

std::atomic<bool> idle_threads_sleep{false};
starpu_task* (*pop_of_scheduler)(unsigned) = nullptr;

/// In place of the scheduler's own.
starpu_task* pop_or_rest(unsigned context) {
  static thread_local int misses = 0;
  starpu_task* const task = pop_of_scheduler(context);
  if (task != nullptr) {
    misses = 0;
    return task;
  }
  // relaxed: others may hand this worker a task meanwhile
  starpu_worker_relax_on();
  rest_after_miss(misses++);
  starpu_worker_relax_off();
  return nullptr;
}

}  // namespace

bool fewer_cores_than_threads(int cores, int ranks, int workers) {
  return cores < ranks * (workers + 1);
}

bool cores_are_few(int workers) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
  std::string cores = "threads on cores";
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores += " " + std::to_string(core);
  return fewer_cores_than_threads(CPU_COUNT(&set), sharing(cores).sharers, workers);
}

void let_idle_threads_sleep() {
  idle_threads_sleep = true;
  starpu_sched_policy* const policy = starpu_sched_get_sched_policy();
  if (policy == nullptr || policy->pop_task == nullptr || policy->pop_task == pop_or_rest) return;
  pop_of_scheduler = policy->pop_task;
  __atomic_store_n(&policy->pop_task, &pop_or_rest, __ATOMIC_RELEASE);  // workers poll already
}

void let_idle_threads_poll() {
  idle_threads_sleep = false;
}

void rest_after_miss(int misses) {
  if (!idle_threads_sleep) return;
  // the kernel rounds waits up by this many nanoseconds, 50,000 unless told otherwise
  static thread_local const int slack [[maybe_unused]] = prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  constexpr int soon = 500;  // misses during which what is awaited may well be on its way
  const timespec rest{0, misses < soon ? 5'000 : 100'000};
  nanosleep(&rest, nullptr);
}

void let_idle_messages_yield() {
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (here == nullptr) return;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  const int mine = CPU_COUNT(&set);
  // bound by the launcher, the cores are those of this process alone
  const bool bound = mine < sysconf(_SC_NPROCESSORS_ONLN);
  if (fewer_cores_than_threads(mine, bound ? 1 : std::atoi(here), 1)) setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
}

}  // namespace asterism
