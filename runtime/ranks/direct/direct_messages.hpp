// SPDX-License-Identifier: Apache-2.0
// Messages between ranks of one host that each have GPUs: from the memory of one GPU to that of another in one copy
// (CUDA's interprocess communication), where StarPU-MPI would go through main memory twice.
//
//   reader   has room for the datum on a GPU (StarPU has it for writing): the note "ready" says where
//   writer   has the datum (StarPU has it for reading), and the note: copies it, then the note "done"
//   reader   gives the datum back to StarPU, whose tasks go on
//
// A thread in each rank does this beside StarPU's; messages about one datum arrive in the order of their submission.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace asterism {

struct Unit;

/// Finds out which ranks reach each other. Ranks together, when StarPU has started. None does with
/// STARPU_ENABLE_CUDA_GPU_GPU_DIRECT=0. While a recording is made, all messages are StarPU-MPI's, which it shows.
void open_direct_messages(std::span<const Unit> units);
/// Ranks together, before StarPU ends. `finished`: no datum is registered any more; else what is on its way is given
/// up.
void close_direct_messages(bool finished);

/// Whether each GPU of every rank writes to the memory of those of every other. The same on all ranks.
bool all_gpus_reach_each_other();

/// Whether a datum of so many bytes goes to or comes from `rank` so: both ranks have the same answer.
bool goes_directly(int rank, std::size_t bytes);

/// A message about a datum, in the place of a task that reads or writes it. `node`: the memory of the unit whose task
/// is to read it next; -1: not known.
void send_directly(starpu_data_handle_t handle, int rank, std::int64_t tag, int priority);
void receive_directly(starpu_data_handle_t handle, int rank, std::int64_t tag, int priority, int node);

}  // namespace asterism
