#include "runtime/scheduler_library.hpp"

#include <cstring>

#include "schedulers/policies.hpp"

namespace {
starpu_sched_policy* policies[] = {&asterism::schedulers::cyclic,     &asterism::schedulers::calibrate,
                                   &asterism::schedulers::hprio,      &asterism::schedulers::greedy,
                                   &asterism::schedulers::assignment, nullptr};
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
