// SPDX-License-Identifier: Apache-2.0
// The file of a schedule that the scheduler "static" follows.
#pragma once

#include <string>
#include <vector>

namespace asterism::schedulers {

struct ScheduledTask {
  int worker = -1;   ///< StarPU's number
  int priority = 0;  ///< the unit's task with the largest one goes first
};

struct ScheduleFile {
  std::vector<ScheduledTask> tasks;  ///< by SubmitOrder
  std::string error;                 ///< with file and line; empty when it was read
};

/// StarPU's sched.rec: records of lines "Field: value", separated by empty lines. SubmitOrder, SpecificWorker and
/// Priority are read, other fields are not.
ScheduleFile read_schedule_file(const std::string& path);

}  // namespace asterism::schedulers
