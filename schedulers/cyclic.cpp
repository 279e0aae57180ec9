// SPDX-License-Identifier: Apache-2.0
// The static cyclic mapper (Agullo et al., RR-8192, section 5.3): "each block-row of the matrix is associated
// with a GPU and the related tasks are performed on that GPU", block-rows dealt to the units in turn.
//
// A task belongs to the block-row named by the coordinates of its data (starpu_data_set_coordinates): the
// first datum that it writes and that has coordinates, else the first that it reads and that has. It runs on
// unit (first coordinate) mod P. A task that this unit cannot run goes to a unit of another kind, by the same
// rule; so does one without coordinates, as block-row 0.
//
// ASTERISM_CYCLIC_UNITS  gpu (default when there are GPUs, as in the paper), cpu, or all: GPUs first, then CPUs.
//                        With all, give every block-row the size that suits its unit (asterism-cg does).
//
// Every unit has its own queue: no decision is taken at run time.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "schedulers/policies.hpp"
#include "schedulers/policy_of_context.hpp"
#include "schedulers/worker_queues.hpp"

namespace asterism::schedulers {
namespace {

struct Policy {
  std::vector<int> preferred;  ///< the units that block-rows are dealt to, in order
  std::vector<int> all;        ///< every worker, GPUs first
  WorkerQueues queues;
};

bool is_gpu(int worker) {
  return starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
}

void init(unsigned context) {
  keep(context, new Policy);
}

/// The units in the order in which block-rows are dealt to them.
void deal(Policy& policy) {
  const char* wanted = std::getenv("ASTERISM_CYCLIC_UNITS");
  std::vector<int> gpus;
  std::vector<int> cpus;
  for (const int worker : policy.all) (is_gpu(worker) ? gpus : cpus).push_back(worker);
  policy.all = gpus;
  policy.all.insert(policy.all.end(), cpus.begin(), cpus.end());
  if (wanted != nullptr && std::strcmp(wanted, "all") == 0)
    policy.preferred = policy.all;
  else if (wanted != nullptr && std::strcmp(wanted, "cpu") == 0 && !cpus.empty())
    policy.preferred = cpus;
  else
    policy.preferred = gpus.empty() ? cpus : gpus;
}

void add_workers(unsigned context, int* workers, unsigned count) {
  Policy& policy = policy_of<Policy>(context);
  policy.all.insert(policy.all.end(), workers, workers + count);
  share_lists(context, workers, count);
  deal(policy);
}

void remove_workers(unsigned context, int* workers, unsigned count) {
  Policy& policy = policy_of<Policy>(context);
  for (unsigned i = 0; i < count; ++i) std::erase(policy.all, workers[i]);
  deal(policy);
}

/// The block-row that the task belongs to.
unsigned block_row(starpu_task* task) {
  const unsigned buffers = STARPU_TASK_GET_NBUFFERS(task);
  for (const bool written : {true, false}) {
    for (unsigned i = 0; i < buffers; ++i) {
      if (((STARPU_TASK_GET_MODE(task, i) & STARPU_W) != 0) != written) continue;
      int where[1] = {0};
      if (starpu_data_get_coordinates_array(STARPU_TASK_GET_HANDLE(task, i), 1, where) > 0 && where[0] >= 0)
        return static_cast<unsigned>(where[0]);
    }
  }
  return 0;
}

/// Its unit: by the rule among the preferred units, else among all that can run it.
int unit_of(const Policy& policy, starpu_task* task, unsigned* implementation) {
  const unsigned row = block_row(task);
  for (const std::vector<int>* units : {&policy.preferred, &policy.all}) {
    const auto count = static_cast<unsigned>(units->size());
    for (unsigned step = 0; step < count; ++step) {
      const int worker = (*units)[(row + step) % count];
      if (starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task, implementation)) return worker;
    }
  }
  return -1;
}

int push_task(starpu_task* task) {
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  unsigned implementation = 0;
  const int worker = unit_of(policy, task, &implementation);
  return policy.queues.give(worker, implementation, task);
}

starpu_task* pop_task(unsigned context) {
  return policy_of<Policy>(context).queues.pop();
}

}  // namespace

starpu_sched_policy cyclic_policy = make_policy("cyclic", "static cyclic mapping: block-row i on unit i mod P",
                                                {init, drop<Policy>, add_workers, remove_workers, push_task, pop_task});

}  // namespace asterism::schedulers
