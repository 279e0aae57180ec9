// SPDX-License-Identifier: Apache-2.0
// Data that tasks of several ranks use, and the messages about them: the rank that writes a datum owns it, and sends it
// to every other that is to run a task which reads it, once after each write.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <span>

namespace asterism {

/// A handle and how a task uses it.
struct Access {
  starpu_data_handle_t handle;
  starpu_data_access_mode mode;
};

/// TaskOptions::rank of a task whose data are of this rank alone, or that is submitted here only.
inline constexpr int this_rank_runs = -1;

/// Handle::shared. Nothing with a single rank.
void share(starpu_data_handle_t handle, int owner, std::int64_t tag);
/// Before the datum is unregistered.
void unshare(starpu_data_handle_t handle);

/// What a task that `rank` runs needs of other ranks and they of it: requests for messages, which precede the task.
/// Whether this rank is the one that runs it. `worker`: StarPU's number of the unit that will; -1: not known.
bool exchange_for_task(std::span<const Access> accesses, int rank, int priority, int worker = -1);

/// The same for data that no task is submitted for: of a task elsewhere, or of the host.
void exchange_data(std::span<const Access> accesses, int rank, int priority = 0, int worker = -1);

/// What this rank has submitted since its process began; counted over several ranks only.
struct Submitted {
  std::int64_t tasks = 0;   ///< run by this rank
  std::int64_t walked = 0;  ///< those, and tasks of other ranks that it looked at
  std::int64_t messages = 0;
  std::int64_t bytes = 0;  ///< sent
};
Submitted submitted();

}  // namespace asterism
