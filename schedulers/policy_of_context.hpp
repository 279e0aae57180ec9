// SPDX-License-Identifier: Apache-2.0
// What a scheduler keeps for each of StarPU's scheduling contexts, and how it gives its functions to StarPU.
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

#include <vector>

namespace asterism::schedulers {

/// What keep() was given.
template <class Policy>
Policy& policy_of(unsigned context) {
  return *static_cast<Policy*>(starpu_sched_ctx_get_policy_data(context));
}

/// Until drop(). Tasks may have any priority.
template <class Policy>
void keep(unsigned context, Policy* policy) {
  constexpr int largest_priority = 1000;
  starpu_sched_ctx_set_policy_data(context, policy);
  starpu_sched_ctx_set_min_priority(context, -largest_priority);
  starpu_sched_ctx_set_max_priority(context, largest_priority);
}

template <class Policy>
void drop(unsigned context) {
  delete &policy_of<Policy>(context);
}

/// Lets the workers that are added share their task lists: any of them may pop a task of the context.
inline void share_lists(unsigned context, const int* workers, unsigned count) {
  for (unsigned i = 0; i < count; ++i) starpu_sched_ctx_worker_shares_tasks_lists(workers[i], context);
}

/// What a policy with a list of its `workers` does when they come and go.
template <class Policy>
void add_workers(unsigned context, int* workers, unsigned count) {
  std::vector<int>& all = policy_of<Policy>(context).workers;
  all.insert(all.end(), workers, workers + count);
  share_lists(context, workers, count);
}
template <class Policy>
void remove_workers(unsigned context, int* workers, unsigned count) {
  for (unsigned i = 0; i < count; ++i) std::erase(policy_of<Policy>(context).workers, workers[i]);
}

/// What all schedulers have, by the names of starpu_sched_policy.
struct PolicyFunctions {
  void (*init_sched)(unsigned context);
  void (*deinit_sched)(unsigned context);
  void (*add_workers)(unsigned context, int* workers, unsigned count);
  void (*remove_workers)(unsigned context, int* workers, unsigned count);
  int (*push_task)(starpu_task* task);
  starpu_task* (*pop_task)(unsigned context);
  void (*pre_exec_hook)(starpu_task* task, unsigned context) = nullptr;
  void (*post_exec_hook)(starpu_task* task, unsigned context) = nullptr;
};

/// Data are prefetched by the scheduler alone, if at all.
inline starpu_sched_policy make_policy(const char* name, const char* description, const PolicyFunctions& functions) {
  starpu_sched_policy policy{};
  policy.init_sched = functions.init_sched;
  policy.deinit_sched = functions.deinit_sched;
  policy.add_workers = functions.add_workers;
  policy.remove_workers = functions.remove_workers;
  policy.push_task = functions.push_task;
  policy.pop_task = functions.pop_task;
  policy.pre_exec_hook = functions.pre_exec_hook;
  policy.post_exec_hook = functions.post_exec_hook;
  policy.policy_name = name;
  policy.policy_description = description;
  policy.prefetches = 1;
  return policy;
}

}  // namespace asterism::schedulers
