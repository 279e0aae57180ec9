// SPDX-License-Identifier: Apache-2.0
#include "runtime/submit.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "runtime/memory/memory_limits.hpp"

namespace asterism {
namespace {

/// The memory node of a GPU if no other kind of unit can run the task.
std::optional<unsigned> only_gpu(unsigned where, int worker) {
  if (worker >= 0) {
    if (starpu_worker_get_type(worker) != STARPU_CUDA_WORKER) return std::nullopt;
    return starpu_worker_get_memory_node(static_cast<unsigned>(worker));
  }
  if ((where & STARPU_CPU) != 0 && starpu_cpu_worker_get_count() > 0) return std::nullopt;
  const int gpu = starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0);
  if (gpu < 0) return std::nullopt;
  return starpu_worker_get_memory_node(static_cast<unsigned>(gpu));
}

/// StarPU waits for ever when the data of one task are more than a GPU has room for.
void require_room(const starpu_codelet& codelet, std::span<const Access> accesses, const TaskOptions& options) {
  const unsigned where = options.where != 0 ? options.where : static_cast<unsigned>(codelet.where);
  const std::optional<unsigned> node = only_gpu(where, options.worker);
  if (!node) return;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (codelet.specific_nodes == 0 || codelet.dyn_nodes[i] == STARPU_SPECIFIC_NODE_LOCAL)
      bytes += static_cast<std::int64_t>(starpu_data_get_size(accesses[i].handle));
  require_gpu_memory(*node, bytes, "more and smaller pieces need less");
}

}  // namespace

void submit(starpu_codelet& codelet, const void* arguments, std::size_t arguments_size,
            std::span<const Access> accesses, const TaskOptions& options) {
  const std::span<const Access> exchanged = options.exchange ? accesses : std::span<const Access>{};
  if (!exchange_for_task(exchanged, options.rank, options.priority, options.worker)) return;
  require_room(codelet, accesses, options);
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->name = codelet.name;
  task->cl_arg = std::malloc(arguments_size);
  if (task->cl_arg == nullptr) throw std::bad_alloc();
  std::memcpy(task->cl_arg, arguments, arguments_size);
  task->cl_arg_size = arguments_size;
  task->cl_arg_free = 1;
  task->priority = options.priority;
  task->flops = options.flops;
  if (options.where != 0) task->where = static_cast<std::int32_t>(options.where);
  task->callback_func = options.done;
  task->callback_arg = options.done_argument;
  if (options.worker >= 0) {
    task->execute_on_a_specific_worker = 1;
    task->workerid = static_cast<unsigned>(options.worker);
  }
  task->nbuffers = static_cast<int>(accesses.size());
  starpu_data_handle_t* handles = task->handles;
  starpu_data_access_mode* modes = task->modes;
  if (accesses.size() > STARPU_NMAXBUFS) {  // StarPU frees both with the task
    handles = task->dyn_handles = static_cast<starpu_data_handle_t*>(std::malloc(accesses.size() * sizeof *handles));
    modes = task->dyn_modes = static_cast<starpu_data_access_mode*>(std::malloc(accesses.size() * sizeof *modes));
    if (handles == nullptr || modes == nullptr) throw std::bad_alloc();
  }
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    handles[i] = accesses[i].handle;
    modes[i] = accesses[i].mode;
  }
  const int status = starpu_task_submit(task);
  if (status == -ENODEV) {
    task->destroy = 0;
    starpu_task_destroy(task);
    failed("no processing unit of this machine can run the task '{}'", codelet.name);
  }
  if (status != 0) failed("starpu_task_submit('{}'): {}", codelet.name, std::strerror(-status));
}

}  // namespace asterism
