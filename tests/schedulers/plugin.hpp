// SPDX-License-Identifier: Apache-2.0
// What the tests of schedulers share that meet them as any StarPU program does.
#pragma once

#include <starpu.h>

#include <cstdlib>
#include <string>

namespace asterism::schedulers {

/// The library under test; a bundle says where it keeps it.
inline const char* plugin() {
  const char* bundled = std::getenv("ASTERISM_SCHEDULER_LIB");
  return bundled != nullptr ? bundled : ASTERISM_SCHEDULER_LIB;
}

/// The next start of StarPU has this scheduler of the library, and CPU workers only.
inline void choose(const char* scheduler, int workers) {
  setenv("STARPU_SCHED_LIB", plugin(), 1);
  setenv("STARPU_SCHED", scheduler, 1);
  setenv("STARPU_WORKERS_NOBIND", "1", 1);
  setenv("STARPU_NCPU", std::to_string(workers).c_str(), 1);
  setenv("STARPU_NCUDA", "0", 1);
  setenv("STARPU_NOPENCL", "0", 1);
}

/// count += 1, not atomic: the dependencies must order the tasks
inline void increment(void** buffers, void* /*arguments*/) {
  auto* const count = reinterpret_cast<long*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  *count = *count + 1;
}

inline int only_worker_one(unsigned worker, starpu_task* /*task*/, unsigned /*implementation*/) {
  return worker == 1 ? 1 : 0;
}

}  // namespace asterism::schedulers
