// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler_library.hpp"

#include <cstring>

#include "schedulers/policies.hpp"

namespace {
starpu_sched_policy* policies[] = {&asterism::schedulers::cyclic_policy,
                                   &asterism::schedulers::calibrate_policy,
                                   &asterism::schedulers::hprio_policy,
                                   &asterism::schedulers::greedy_policy,
                                   &asterism::schedulers::assignment_policy,
                                   &asterism::schedulers::static_policy,
                                   &asterism::schedulers::er_ls_policy,
                                   &asterism::schedulers::multiprio_policy,
                                   nullptr};
}

extern "C" {

[[gnu::visibility("default")]] starpu_sched_policy** starpu_get_sched_lib_policies() {
  return policies;
}

[[gnu::visibility("default")]] starpu_sched_policy* starpu_get_sched_lib_policy(const char* name) {
  for (starpu_sched_policy** policy = policies; *policy != nullptr; ++policy)
    if (std::strcmp((*policy)->policy_name, name) == 0) return *policy;
  return nullptr;
}
}
