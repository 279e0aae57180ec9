// SPDX-License-Identifier: Apache-2.0
#include "runtime/performance_model.hpp"

#include <limits>

#include "runtime/codelet.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism {

#ifdef ASTERISM_SIMGRID
namespace {

/// Once what a task reads or writes, twice what it does both to; scratch is not moved.
double bytes_of(starpu_task* task) {
  double bytes = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    const auto mode = STARPU_TASK_GET_MODE(task, i);
    const int passes = ((mode & STARPU_R) != 0 ? 1 : 0) + ((mode & (STARPU_W | STARPU_REDUX)) != 0 ? 1 : 0);
    if ((mode & STARPU_SCRATCH) != 0 || passes == 0) continue;
    bytes += passes * static_cast<double>(starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i)));
  }
  return bytes;
}

/// In microseconds, as StarPU asks for; no number where the task does not run.
double simulated_microseconds(starpu_task* task, starpu_perfmodel_arch* architecture, unsigned /*implementation*/) {
  const starpu_perfmodel_device& unit = architecture->devices[0];
  const UnitKind kind = unit.type == STARPU_CUDA_WORKER ? UnitKind::gpu : UnitKind::cpu;
  const Platform* const platform = simulated_platform();
  const std::int64_t number = platform != nullptr && platform->numbered ? number_of(*task) : 0;
  const TaskCost* const cost =
      platform == nullptr ? nullptr : platform->cost(task->cl->model->symbol, task->cl->name, kind, unit.devid, number);
  if (cost == nullptr) return std::numeric_limits<double>::quiet_NaN();
  const std::uint32_t footprint =
      cost->of_class.empty() ? 0 : starpu_task_footprint(task->cl->model, task, architecture, 0);
  const int units = kind == UnitKind::cpu ? static_cast<int>(starpu_cpu_worker_get_count()) : 1;
  const double chunks = cost->chunk > 0 ? chunks_of(*task) : 0;
  return 1e6 * cost->of({task->flops, bytes_of(task), footprint, units, chunks});
}

}  // namespace
#endif

starpu_perfmodel performance_model(const char* symbol, std::uint32_t (*footprint)(starpu_task*)) {
  starpu_perfmodel model{};
  model.symbol = symbol;
  model.footprint = footprint;
#ifdef ASTERISM_SIMGRID
  model.type = STARPU_PER_ARCH;
  model.arch_cost_function = simulated_microseconds;
#else
  model.type = STARPU_HISTORY_BASED;
#endif
  return model;
}

}  // namespace asterism
