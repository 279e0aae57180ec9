// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/this_machine.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/machine/simulated_machine.hpp"

namespace asterism {

Machine this_machine() {
  Machine machine;
  if (const Platform* platform = simulated_platform()) {
    machine.host = platform->name;
    machine.processor = platform->cpu_model;
    machine.cores = platform->cores;
    machine.numa_nodes = 1;
    return machine;
  }
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  machine.host = host;
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_load(topology);
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  if (const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0)) {
    if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel")) machine.processor = model;
  }
  machine.cores = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
  machine.numa_nodes = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
  // the kernel's own count too: hwloc misses memory that was plugged into a virtual machine
  machine.memory_bytes =
      std::max(static_cast<double>(root->total_memory),
               static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  hwloc_topology_destroy(topology);
  return machine;
}

}  // namespace asterism
