// SPDX-License-Identifier: Apache-2.0
// The data of groups in the memories of GPUs, before the first evaluation. Each datum costs a call of CUDA's allocator
// there, which waits for the GPU.
#include <starpu.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/as_size.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/simulation.hpp"

namespace asterism::fmm {
namespace {

/// Part of a GPU's memory up to which all data are brought: beyond it they take turns there.
constexpr double most_gpu_memory = 0.8;

/// Data by the memories of the GPUs whose tasks read or write them.
class GpuData {
 public:
  using Place = std::pair<starpu_data_handle_t, unsigned>;

  void read(starpu_data_handle_t data, unsigned node) { add(read_, data, node); }
  /// `node`: of the task that writes it first.
  void write(starpu_data_handle_t data, unsigned node) { add(written_, data, node); }
  /// Written by other tasks, and read at `node`, where it may be written, too.
  void read_later(starpu_data_handle_t data, unsigned node) { add(later_, data, node); }

  [[nodiscard]] bool fit() const {
    for (const auto& [node, bytes] : bytes_)
      if (const auto room = starpu_memory_get_available(node);
          room >= 0 && bytes > most_gpu_memory * static_cast<double>(room))
        return false;
    return true;
  }

  void bring() const {
    for (const auto& [data, node] : read_) starpu_data_prefetch_on_node(data, node, 1);
    for (const Place& place : written_) wait(place, STARPU_W);
    for (const auto* const list : {&read_, &later_})
      for (const Place& place : *list) wait(place, STARPU_R);
  }

 private:
  void add(std::vector<Place>& list, starpu_data_handle_t data, unsigned node) {
    if (!there_.insert({data, node}).second) return;
    list.emplace_back(data, node);
    bytes_[node] += static_cast<double>(starpu_data_get_size(data));
  }
  static void wait(const Place& place, starpu_data_access_mode mode) {
    starpu_data_acquire_on_node(place.first, static_cast<int>(place.second), mode);
    starpu_data_release_on_node(place.first, static_cast<int>(place.second));
  }

  std::vector<Place> read_, written_, later_;
  std::set<Place> there_;
  std::map<unsigned, double> bytes_;
};

std::vector<unsigned> gpu_memories() {
  std::vector<unsigned> nodes(starpu_memory_nodes_get_count_by_kind(STARPU_CUDA_RAM));
  starpu_memory_node_get_ids_by_type(STARPU_CUDA_RAM, nodes.data(), nodes.size());
  return nodes;
}

}  // namespace

/// Where GPUs compute all, but for pieces of the near field, and the program decides which of them: what a GPU reads
/// comes to it, and room is made for what it writes.
void Simulation::bring_to_gpus() {
  const bool alone = starpu_cpu_worker_get_count() == 0 || tree_->near_pieces() > 0;
  if (simulated || distributed_ || !alone) return;
  const std::vector<unsigned> nodes = gpu_memories();
  const HomeGpus homes = nodes.size() > 1 ? HomeGpus(*this) : HomeGpus();
  if (nodes.empty() || (nodes.size() > 1 && !homes.decided())) return;
  const auto node_of = [&](int worker) {
    return worker < 0 ? nodes.front() : starpu_worker_get_memory_node(static_cast<unsigned>(worker));
  };

  GpuData data;
  for (const auto& operators : packed_)
    for (const unsigned node : nodes) data.read(operators->handle, node);
  const Range groups = tree_->own_leaf_groups();
  for (std::int32_t g = groups.begin; g < groups.end; ++g) {
    const unsigned node = node_of(homes.of_particles(g));
    const ParticleGroup& p = particles(g);
    for (const Handle* const read : {&p.particle_data, &p.reduction_parts}) data.read(*read, node);
    data.write(p.result_data, node);
    const unsigned near_node = node_of(homes.of_near(g));
    const Range sets = tree_->near_sets_of(g);
    for (std::int32_t n = std::max(sets.begin, tree_->near_pieces()); n < sets.end; ++n) {
      const NearGroup& near = near_group(n);
      data.read(near.near, near_node);
      data.read(near.particle_data ? near.particle_data : p.particle_data, near_node);
      data.write(near.result, near_node);
    }
  }
  for (int l = tree_->top_level(); l <= tree_->leaf_level() && tree_->has_far_field(); ++l) {
    const Range own = tree_->own(l);
    for (std::int32_t g = own.begin; g < own.end; ++g) {
      const CellGroup& group = cells(l, g);
      const unsigned node = node_of(homes.of_cells(l, g));
      data.read(group.cells, node);
      for (const ListData& list : group.lists) data.read(list.handle, node);
      for (const Handle* const written : {&group.multipoles, &group.locals}) data.write(*written, node);
    }
  }
  // what tasks read, or add to, of groups that other GPUs have (the accesses of flow.cpp)
  for (std::int32_t g = groups.begin; g < groups.end; ++g)
    for (const std::int32_t near_set : particles(g).contributors)
      if (near_set >= tree_->near_pieces()) data.read_later(near_values(near_set), node_of(homes.of_particles(g)));
  for (int l = tree_->top_level(); l <= tree_->leaf_level() && tree_->has_far_field(); ++l)
    for (std::int32_t g = tree_->own(l).begin; g < tree_->own(l).end; ++g) {
      const unsigned node = node_of(homes.of_cells(l, g));
      for (const ListData& list : cells(l, g).lists)
        for (const std::int32_t source : list.source_groups) data.read_later(cells(l, source).multipoles, node);
      if (l == tree_->top_level()) continue;
      for (const FamilyRange& range : tree_->level(l).parent_groups[as_size(g)]) {
        const CellGroup& parents = cells(l - 1, range.parent_group);
        if (range.acts) data.read_later(parents.multipoles, node);
        if (range.receives) data.read_later(parents.locals, node);
      }
    }
  if (data.fit()) data.bring();
}

}  // namespace asterism::fmm
