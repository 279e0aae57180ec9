// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/busy_time.hpp"

#include <starpu_profiling.h>

#include <algorithm>
#include <map>

namespace asterism {

BusyTime::BusyTime(const Session& session) : session_(session) {
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  static_cast<void>(since_last());  // forget what was before
}

BusyTime::~BusyTime() {
  starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
}

BusyTime::Seconds BusyTime::since_last() {
  Seconds sum;
  std::map<int, double> of_device;  // its workers compute at the same time
  for (const Unit& unit : session_.units()) {
    starpu_profiling_worker_info info;
    if (starpu_profiling_worker_get_info(unit.worker, &info) != 0) continue;
    const double seconds = starpu_timing_timespec_to_us(&info.executing_time) * 1e-6;
    if (unit.gpu)
      of_device[unit.device] = std::max(of_device[unit.device], seconds);
    else
      sum.cpus += seconds / session_.cpus();
  }
  for (const auto& [device, seconds] : of_device) {
    sum.gpus += seconds / session_.devices();
    sum.of_gpus.push_back(seconds);
  }
  return sum;
}

}  // namespace asterism
