#include "taskflows/runtime/submit.hpp"

#include <algorithm>
#include <cstring>

#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/simulation.hpp"

namespace asterism {
namespace {

/// Platforms may say of a codelet that it does not run on a kind of unit.
bool runs_on(const CodeletSpec& spec, UnitKind kind) {
  const Platform* const platform = simulated_platform();
  return platform == nullptr || platform->cost(spec.model->symbol, spec.name, kind) != nullptr;
}

}  // namespace

void submit(starpu_codelet& codelet, const void* arguments, std::size_t arguments_size,
            std::span<const Access> accesses, const TaskOptions& options) {
  if (!exchange_for_task(accesses, options.rank, options.priority)) return;
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

starpu_codelet make_codelet(const CodeletSpec& spec) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.name = spec.name;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.model = spec.model;
  if (spec.cpu != nullptr && runs_on(spec, UnitKind::cpu)) {
    codelet.where |= STARPU_CPU;
    codelet.cpu_funcs[0] = spec.cpu;
    codelet.cpu_funcs_name[0] = spec.cpu_name;
  }
  if (spec.cuda != nullptr && runs_on(spec, UnitKind::gpu)) {
    codelet.where |= STARPU_CUDA;
    codelet.cuda_funcs[0] = spec.cuda;
    codelet.cuda_flags[0] = STARPU_CUDA_ASYNC;
  }
  if (spec.main_memory_last > spec.main_memory_first) {
    codelet.specific_nodes = 1;
    codelet.dyn_nodes = static_cast<int*>(std::malloc(max_buffers * sizeof(int)));  // lives as long as the codelet
    std::fill_n(codelet.dyn_nodes, max_buffers, STARPU_SPECIFIC_NODE_LOCAL);
    std::fill(codelet.dyn_nodes + spec.main_memory_first, codelet.dyn_nodes + spec.main_memory_last,
              STARPU_SPECIFIC_NODE_CPU);
  }
  return codelet;
}

}  // namespace asterism
