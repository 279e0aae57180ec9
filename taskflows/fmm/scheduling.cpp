// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/scheduling.hpp"

#include <fmt/format.h>
#include <starpu.h>
#include <starpu_heteroprio.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "codelets/fmm/codelets.hpp"
#include "taskflows/fmm/flow.hpp"
#include "taskflows/fmm/simulation.hpp"

namespace asterism::fmm {
namespace {

// StarPU's callback has no argument for an application's own values.
struct {
  int height = 1;
  double slow_factor = 1;
} next_session;

bool on_gpu(Codelet& codelet) {
  return (codelet.starpu().where & STARPU_CUDA) != 0;
}

void set_up(unsigned context) {
  const int h = next_session.height;
  const Priorities p{h};
  // task->priority is the number of the bucket; each kind polls its buckets in this order
  std::vector<int> cpu{p.p2m()};
  for (int l = h - 1; l > 0; --l) cpu.push_back(p.m2m(l));
  for (int l = 1; l < h; ++l) cpu.push_back(p.l2l(l));
  cpu.push_back(p.l2p());
  for (int l = 1; l < h; ++l) cpu.push_back(p.m2l(l));
  for (const int last : {p.reduction(), p.p2p_small(), p.p2p_large()}) cpu.push_back(last);
  // StarPU lets a kind have only buckets of which it runs every task
  std::vector<int> gpu;
  if (on_gpu(codelets::reduction)) gpu.push_back(p.reduction());
  if (on_gpu(codelets::l2p)) gpu.push_back(p.l2p());
  for (int l = 1; l < h && on_gpu(codelets::l2l); ++l) gpu.push_back(p.l2l(l));
  for (int l = 1; l < h && on_gpu(codelets::m2l); ++l) gpu.push_back(p.m2l(l));
  for (const int next : {p.p2p_large(), p.p2p_small()}) gpu.push_back(next);
  for (int l = h - 1; l > 0 && on_gpu(codelets::m2m); --l) gpu.push_back(p.m2m(l));
  if (on_gpu(codelets::p2m)) gpu.push_back(p.p2m());

  starpu_heteroprio_set_use_locality(context, 0);
  const auto order = [&](starpu_worker_archtype kind, const std::vector<int>& buckets) {
    starpu_heteroprio_set_nb_prios(context, kind, static_cast<unsigned>(buckets.size()));
    for (std::size_t i = 0; i < buckets.size(); ++i)
      starpu_heteroprio_set_mapping(context, kind, static_cast<unsigned>(i), static_cast<unsigned>(buckets[i]));
  };
  if (starpu_cpu_worker_get_count() > 0) order(STARPU_CPU_WORKER, cpu);
  if (starpu_cuda_worker_get_count() > 0) {
    order(STARPU_CUDA_WORKER, gpu);
    if (starpu_cpu_worker_get_count() == 0) return;
    for (const int bucket : gpu) {
      const bool heavy = (bucket >= p.p2p_small() && bucket <= p.p2p_large());
      starpu_heteroprio_set_faster_arch(context, STARPU_CUDA_WORKER, static_cast<unsigned>(bucket));
      starpu_heteroprio_set_arch_slow_factor(context, STARPU_CPU_WORKER, static_cast<unsigned>(bucket),
                                             static_cast<float>(next_session.slow_factor * (heavy ? 1.0 : 0.2)));
    }
  }
}

}  // namespace

GpuOrder suitable_order() {
  using namespace codelets;
  for (Codelet* const codelet : {&p2m, &m2m, &m2l, &l2l, &l2p, &reduction})
    if (!on_gpu(*codelet)) return GpuOrder::own_first;
  return GpuOrder::far_first;
}

std::string hprio_table(int height, GpuOrder order, TableFor units) {
  const Priorities p{height};
  const bool near_first = order != GpuOrder::far_first || units == TableFor::cpus;
  struct Row {
    const char* bucket;
    const char* codelet;
    int cpus_alone, own_first;        ///< places of CPUs
    int near_first[3], far_first[3];  ///< place of CPUs, of GPUs, and of GPUs where CPUs have the small P2P tasks
  };
  constexpr int none = -1;
  const std::string large = fmt::format("codelet=fmm_p2p priority={}", p.p2p_large());
  const std::string small = fmt::format("codelet=fmm_p2p priority={}", p.p2p_small());
  const Row rows[] = {{"p2m", "codelet=fmm_p2m", 0, 0, {0, 5, 4}, {3, 5, 5}},
                      {"m2m", "codelet=fmm_m2m per-priority", 1, 1, {1, 4, 3}, {0, 4, 4}},
                      {"l2l", "codelet=fmm_l2l per-priority", 2, 2, {2, 3, 2}, {none, 2, 2}},
                      {"m2l", "codelet=fmm_m2l per-priority", 4, 5, {3, 2, 1}, {5, 3, 3}},
                      {"p2p-large", large.c_str(), 3, 7, {7, 0, 0}, {2, 6, 6}},
                      {"p2p-small", small.c_str(), 5, 6, {4, 1, none}, {1, 7, none}},
                      {"l2p", "codelet=fmm_l2p", 6, 3, {5, 6, 5}, {4, 1, 1}},
                      {"reduction", "codelet=fmm_reduction", 7, 4, {6, 7, 6}, {none, 0, 0}}};
  const auto place = [](int at) { return at == none ? "-" : std::to_string(at); };
  std::string table;
  for (const Row& row : rows) {
    const auto& places = near_first ? row.near_first : row.far_first;
    const bool small_ones = row.codelet == small.c_str();
    const bool pieces = units == TableFor::pieces;
    table += fmt::format("{} {} {} {}\n", row.bucket, row.codelet,
                         place(units == TableFor::cpus        ? row.cpus_alone
                               : pieces                       ? (small_ones ? 0 : none)
                               : order == GpuOrder::own_first ? row.own_first
                                                              : places[0]),
                         place(places[pieces ? 2 : 1]));
  }
  return table;
}

namespace {

/// For each group of leaves of this rank, which of `gpus` has it: equal shares of the work, neighbours on the same one.
std::vector<std::size_t> shares_of_gpus(Simulation& simulation, std::size_t gpus) {
  const Tree& tree = simulation.tree();
  const Range groups = tree.own_leaf_groups();
  // near and far field are balanced against each other by the choice of the tree: half of the work each
  std::vector<double> near;
  std::vector<double> far;
  for (std::int32_t g = groups.begin; g < groups.end; ++g) {
    const auto [leaf, place] = tree.leaf_group(g);
    const Range sets = tree.near_sets_of(g);
    near.push_back(0);
    for (std::int32_t n = sets.begin; n < sets.end; ++n)
      near.back() += static_cast<double>(simulation.near_group(n).pairs);
    far.push_back(0);
    if (tree.has_far_field())
      for (const ListData& list : simulation.cells(leaf, place).lists) far.back() += list.flops;
  }
  const double all_near = std::max(1., std::accumulate(near.begin(), near.end(), 0.));
  const double all_far = std::max(1., std::accumulate(far.begin(), far.end(), 0.));
  std::vector<std::size_t> gpu_of;
  double before = 0;  // share of the work, of two
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double share = near[i] / all_near + far[i] / all_far;
    const auto gpu = static_cast<std::size_t>((before + share / 2) / 2 * static_cast<double>(gpus));
    gpu_of.push_back(std::min(gpu, gpus - 1));
    before += share;
  }
  return gpu_of;
}

/// The CUDA workers of each GPU, and the memory of each.
std::map<unsigned, std::vector<int>> workers_by_node() {
  std::map<unsigned, std::vector<int>> workers;
  for (unsigned w = 0; w < starpu_worker_get_count(); ++w)
    if (starpu_worker_get_type(static_cast<int>(w)) == STARPU_CUDA_WORKER)
      workers[starpu_worker_get_memory_node(w)].push_back(static_cast<int>(w));
  return workers;
}

}  // namespace

void spread_over_gpus(Simulation& simulation) {
  std::vector<unsigned> nodes;
  for (const auto& [node, workers] : workers_by_node()) nodes.push_back(node);
  if (nodes.size() < 2) return;
  const std::int32_t first = simulation.tree().own_leaf_groups().begin;
  const std::vector<std::size_t> gpu_of = shares_of_gpus(simulation, nodes.size());
  for (std::size_t i = 0; i < gpu_of.size(); ++i)
    starpu_data_prefetch_on_node(simulation.particles(first + static_cast<std::int32_t>(i)).particle_data,
                                 nodes[gpu_of[i]], 1);
}

HomeGpus::HomeGpus(Simulation& simulation) {
  std::vector<std::vector<int>> gpus;
  for (const auto& [node, workers] : workers_by_node()) gpus.push_back(workers);
  const Tree& tree = simulation.tree();
  const bool few_cores = starpu_cpu_worker_get_count() < gpus.size() && tree.near_pieces() == 0;
  if (simulation.options().scheduler_places || gpus.size() < 2 || !few_cores) return;
  groups_ = tree.own_leaf_groups();
  const std::vector<std::size_t> gpu_of = shares_of_gpus(simulation, gpus.size());
  for (std::size_t i = 0; i < gpu_of.size(); ++i) {
    const std::vector<int>& workers = gpus[gpu_of[i]];
    of_particles_.push_back(workers[i % workers.size()]);
  }
  constexpr int nobody = -1;
  for (int l = 0; l <= tree.leaf_level(); ++l) {
    levels_.push_back(l >= tree.top_level() ? tree.own(l) : Range{});
    of_cells_.emplace_back(static_cast<std::size_t>(std::max(0, levels_.back().end - levels_.back().begin)), nobody);
  }
  if (!tree.has_far_field()) return;
  for (std::int32_t g = groups_.begin; g < groups_.end; ++g) {
    const auto [leaf, place] = tree.leaf_group(g);
    const Range& own = levels_[static_cast<std::size_t>(leaf)];
    if (own.holds(place))
      of_cells_[static_cast<std::size_t>(leaf)][static_cast<std::size_t>(place - own.begin)] = of_particles(g);
  }
  // other groups are where the middle one of their children is
  for (int l = tree.leaf_level() - 1; l >= tree.top_level(); --l) {
    const Range own = levels_[static_cast<std::size_t>(l)];
    for (std::int32_t g = own.begin; g < own.end; ++g) {
      int& home = of_cells_[static_cast<std::size_t>(l)][static_cast<std::size_t>(g - own.begin)];
      const Range children = tree.child_groups(l, {g, g + 1});
      if (home == nobody && !children.empty()) home = of_cells(l + 1, (children.begin + children.end) / 2);
      if (home == nobody) home = of_particles_.front();
    }
  }
}

int HomeGpus::of_cells(int level, std::int32_t group) const {
  if (!decided() || !levels_[static_cast<std::size_t>(level)].holds(group)) return -1;
  return of_cells_[static_cast<std::size_t>(level)]
                  [static_cast<std::size_t>(group - levels_[static_cast<std::size_t>(level)].begin)];
}

int HomeGpus::of_particles(std::int32_t group) const {
  return decided() && groups_.holds(group) ? of_particles_[static_cast<std::size_t>(group - groups_.begin)] : -1;
}

SetUp heteroprio_set_up(int height, double slow_factor) {
  next_session = {height, slow_factor};
  return set_up;
}

}  // namespace asterism::fmm
