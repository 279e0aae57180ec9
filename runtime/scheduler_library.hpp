// SPDX-License-Identifier: Apache-2.0
// What StarPU looks for in a scheduler library.
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

extern "C" {

/// All of them, then null.
// NOLINTNEXTLINE(readability-redundant-declaration): newer StarPUs declare it
starpu_sched_policy** starpu_get_sched_lib_policies();

/// Null: there is none of that name.
// NOLINTNEXTLINE(readability-redundant-declaration): newer StarPUs declare it
starpu_sched_policy* starpu_get_sched_lib_policy(const char* name);
}
