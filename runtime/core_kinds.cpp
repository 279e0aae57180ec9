// SPDX-License-Identifier: Apache-2.0
#include "runtime/core_kinds.hpp"

#include <hwloc.h>
#include <starpu.h>

#include <algorithm>

namespace asterism {

CoreKinds::CoreKinds() {
  hwloc_topology_init(&topology_);
  hwloc_topology_load(topology_);
}

CoreKinds::~CoreKinds() {
  hwloc_topology_destroy(topology_);
}

int CoreKinds::of([[maybe_unused]] const Unit& unit) const {
#ifdef STARPU_HAVE_HWLOC
  const hwloc_cpuset_t cpus = starpu_worker_get_hwloc_cpuset(unit.worker);
  const int kind = hwloc_cpukinds_get_by_cpuset(topology_, cpus, 0);
  hwloc_bitmap_free(cpus);
  return std::max(kind, 0);
#else
  return 0;
#endif
}

int CoreKinds::count() const {
  return hwloc_cpukinds_get_nr(topology_, 0);
}

}  // namespace asterism
