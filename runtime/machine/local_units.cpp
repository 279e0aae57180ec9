// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/local_units.hpp"

#include <hwloc.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>

#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// What a rank of its own reads as, where one of these variables says which units it takes.
std::string as_told(std::initializer_list<const char*> variables) {
  for (const char* variable : variables)
    if (std::getenv(variable) != nullptr) return "told rank " + std::to_string(rank_group().rank());
  return {};
}

/// The same for all processes of a running machine, and for no other machine.
std::string machine_identity() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return std::string(name) + " " + boot;
}

}  // namespace

UnitRange share_of(int units, int index, int sharers) {
  const auto begin = [&](int i) {
    return static_cast<int>(static_cast<std::int64_t>(units) * i / static_cast<std::int64_t>(sharers));
  };
  const int first = begin(index);
  return {first, std::max(begin(index + 1) - first, units > 0 ? 1 : 0)};
}

Sharing sharing(const std::string& units) {
  const std::size_t mine = std::hash<std::string>{}(machine_identity() + " " + units);
  const std::vector<std::size_t> all = rank_group().all_gather(mine);
  const auto here = all.begin() + rank_group().rank();
  return {static_cast<int>(std::count(all.begin(), here, mine)),
          static_cast<int>(std::count(all.begin(), all.end(), mine))};
}

bool undo_default_binding(int processes) {
  const auto given = [](const char* variable) { return std::getenv(variable) != nullptr; };
  if (!given("OMPI_MCA_orte_bound_at_launch") || processes > 2) return false;
  for (const char* asked : {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_hwloc_base_cpu_list",
                            "OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_orte_rankfile"})
    if (given(asked)) return false;
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  if (sched_setaffinity(0, sizeof all, &all) != 0) return false;
  if (!given("OMP_NUM_THREADS") && sched_getaffinity(0, sizeof all, &all) == 0) omp_set_num_threads(CPU_COUNT(&all));
  return true;
}

struct OwnCores::Before {
  hwloc_topology_t topology = nullptr;
  hwloc_bitmap_t cores = hwloc_bitmap_alloc();
  int threads = omp_get_max_threads();

  Before() {
    hwloc_topology_init(&topology);
    hwloc_topology_load(topology);
    hwloc_get_cpubind(topology, cores, HWLOC_CPUBIND_THREAD);
  }
  Before(const Before&) = delete;
  Before& operator=(const Before&) = delete;
  ~Before() {
    hwloc_bitmap_free(cores);
    hwloc_topology_destroy(topology);
  }

  [[nodiscard]] std::string text() const {
    char* list = nullptr;
    hwloc_bitmap_list_asprintf(&list, cores);
    std::string result = list == nullptr ? "" : list;
    std::free(list);
    return result;
  }
};

OwnCores::OwnCores() {
  auto before = std::make_unique<Before>();
  const std::string where =
      as_told({"STARPU_WORKERS_NOBIND", "STARPU_WORKERS_CPUID", "STARPU_WORKERS_COREID", "STARPU_WORKERS_GETBIND"});
  told_ = !where.empty();
  const Sharing ranks = sharing("cores " + before->text() + where);
  std::vector<hwloc_obj_t> cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(before->topology, HWLOC_OBJ_CORE, core)) != nullptr;)
    if (hwloc_bitmap_intersects(core->cpuset, before->cores) != 0) cores.push_back(core);
  count_ = std::max(1, cores.empty() ? hwloc_bitmap_weight(before->cores) : static_cast<int>(cores.size()));
  crowded_ = static_cast<int>(cores.size()) < ranks.sharers && ranks.sharers > 1;
  if (crowded_ || ranks.sharers == 1) return;
  const UnitRange own = share_of(static_cast<int>(cores.size()), ranks.index, ranks.sharers);
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  for (int core = own.first; core < own.first + own.count; ++core)
    hwloc_bitmap_or(set, set, cores[static_cast<std::size_t>(core)]->cpuset);
  hwloc_bitmap_and(set, set, before->cores);
  const bool bound = hwloc_set_cpubind(before->topology, set, HWLOC_CPUBIND_THREAD) == 0;
  hwloc_bitmap_free(set);
  if (!bound) return;
  if (std::getenv("OMP_NUM_THREADS") == nullptr) omp_set_num_threads(own.count);
  count_ = own.count;
  before_ = std::move(before);
}

OwnCores::~OwnCores() {
  if (!before_) return;
  hwloc_set_cpubind(before_->topology, before_->cores, HWLOC_CPUBIND_THREAD);
  omp_set_num_threads(before_->threads);
}

std::vector<int> own_gpus(int visible, const std::optional<int>& wanted) {
  const char* const given = std::getenv("CUDA_VISIBLE_DEVICES");
  const Sharing ranks =
      sharing(std::string("GPUs ") + (given == nullptr ? "" : given) + as_told({"STARPU_WORKERS_CUDAID"}));
  if (ranks.sharers == 1 || visible == 0) return {};
  UnitRange own = share_of(visible, ranks.index, ranks.sharers);
  own.count = std::min(wanted.value_or(own.count), visible);
  std::vector<int> numbers;
  for (int i = 0; i < own.count; ++i) numbers.push_back((own.first + i) % visible);
  return numbers;
}

}  // namespace asterism
