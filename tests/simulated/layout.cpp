// SPDX-License-Identifier: Apache-2.0
// Compiled with the headers of one StarPU; LAYOUT is the function's name.
#include <starpu.h>

#include "tests/simulated/layout.hpp"

namespace asterism::tests {

std::vector<std::size_t> LAYOUT() {
  return {
      sizeof(starpu_task),
      offsetof(starpu_task, cl),
      offsetof(starpu_task, where),
      offsetof(starpu_task, handles),
      offsetof(starpu_task, cl_arg),
      offsetof(starpu_task, callback_func),
      offsetof(starpu_task, tag_id),
      offsetof(starpu_task, workerid),
      offsetof(starpu_task, priority),
      offsetof(starpu_task, status),
      offsetof(starpu_task, profiling_info),
      offsetof(starpu_task, flops),
      offsetof(starpu_task, sched_data),

      offsetof(starpu_codelet, where),
      offsetof(starpu_codelet, can_execute),
      offsetof(starpu_codelet, cpu_funcs),
      offsetof(starpu_codelet, cuda_funcs),
      offsetof(starpu_codelet, cuda_flags),
      offsetof(starpu_codelet, nbuffers),
      offsetof(starpu_codelet, modes),
      offsetof(starpu_codelet, nodes),
      offsetof(starpu_codelet, model),
      sizeof(starpu_perfmodel),
      offsetof(starpu_perfmodel, cost_function),
      offsetof(starpu_perfmodel, arch_cost_function),
      offsetof(starpu_perfmodel, footprint),
      offsetof(starpu_perfmodel, symbol),
      offsetof(starpu_perfmodel, state),
      sizeof(starpu_perfmodel_arch),
      sizeof(starpu_perfmodel_device),
      sizeof(starpu_data_descr),
      sizeof(starpu_data_filter),
      sizeof(starpu_data_interface_ops),
      offsetof(starpu_data_interface_ops, copy_methods),
      offsetof(starpu_data_interface_ops, footprint),
      offsetof(starpu_data_interface_ops, interface_size),
      offsetof(starpu_data_interface_ops, pack_data),
      offsetof(starpu_data_interface_ops, name),
      sizeof(starpu_data_copy_methods),
      offsetof(starpu_data_copy_methods, any_to_any),
      sizeof(starpu_vector_interface),
      sizeof(starpu_variable_interface),
      sizeof(starpu_profiling_task_info),
      sizeof(starpu_profiling_worker_info),
      STARPU_NMAXBUFS,
      STARPU_MAXNODES,
      STARPU_MAXIMPLEMENTATIONS,
  };
}

}  // namespace asterism::tests
