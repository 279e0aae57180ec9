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

/// Seconds of GPUs for the near and the far field of each group of leaves of this rank, or what stands for them.
struct WorkOfGroups {
  std::vector<double> near, far;
};

double far_seconds(const CellGroup& cells, const PairCosts& costs) {
  double seconds = 0;
  for (const ListData& list : cells.lists) seconds += static_cast<double>(list.pairs) * costs.far;
  return seconds;
}

WorkOfGroups work_of_groups(Simulation& simulation) {
  const Tree& tree = simulation.tree();
  const PairCosts costs = simulation.pair_costs();
  const Range groups = tree.own_leaf_groups();
  WorkOfGroups work;
  for (std::int32_t g = groups.begin; g < groups.end; ++g) {
    const auto [leaf, place] = tree.leaf_group(g);
    const Range sets = tree.near_sets_of(g);
    work.near.push_back(0);
    for (std::int32_t n = std::max(sets.begin, tree.near_pieces()); n < sets.end; ++n)
      work.near.back() += static_cast<double>(simulation.near_group(n).pairs) * costs.near;
    work.far.push_back(tree.has_far_field() ? far_seconds(simulation.cells(leaf, place), costs) : 0);
  }
  return work;
}

/// For each group, which of `gpus` has it: equal shares of the work, neighbours on the same one.
std::vector<std::size_t> shares_of_gpus(const WorkOfGroups& work, std::size_t gpus) {
  const double all =
      std::accumulate(work.near.begin(), work.near.end(), 0.) + std::accumulate(work.far.begin(), work.far.end(), 0.);
  std::vector<std::size_t> gpu_of;
  double before = 0;
  for (std::size_t i = 0; i < work.near.size(); ++i) {
    const double mine = work.near[i] + work.far[i];
    const double middle = all > 0 ? (before + mine / 2) / all : 0;
    gpu_of.push_back(std::min(static_cast<std::size_t>(middle * static_cast<double>(gpus)), gpus - 1));
    before += mine;
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
  const std::vector<std::size_t> gpu_of = shares_of_gpus(work_of_groups(simulation), nodes.size());
  for (std::size_t i = 0; i < gpu_of.size(); ++i)
    starpu_data_prefetch_on_node(simulation.particles(first + static_cast<std::int32_t>(i)).particle_data,
                                 nodes[gpu_of[i]], 1);
}

std::vector<std::size_t> evened_out(std::vector<std::size_t> unit_of, const std::vector<double>& seconds,
                                    const std::vector<double>& others) {
  constexpr double worth_moving = 0.002;  // of what a unit has on average
  std::vector<double> load = others;
  for (std::size_t i = 0; i < unit_of.size(); ++i) load[unit_of[i]] += seconds[i];
  const double mean = std::accumulate(load.begin(), load.end(), 0.) / static_cast<double>(load.size());
  for (std::size_t moves = 0; moves < unit_of.size(); ++moves) {
    const auto from = static_cast<std::size_t>(std::max_element(load.begin(), load.end()) - load.begin());
    const auto to = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    const double difference = load[from] - load[to];
    double most = worth_moving * mean;
    std::size_t best = unit_of.size();
    for (std::size_t i = 0; i < unit_of.size(); ++i) {
      const double gain = unit_of[i] == from ? std::min(seconds[i], difference - seconds[i]) : 0;
      if (gain > most) {
        most = gain;
        best = i;
      }
    }
    if (best == unit_of.size()) break;
    unit_of[best] = to;
    load[from] -= seconds[best];
    load[to] += seconds[best];
  }
  return unit_of;
}

HomeGpus::HomeGpus(Simulation& simulation) {
  std::vector<std::vector<int>> gpus;
  for (const auto& [node, workers] : workers_by_node()) gpus.push_back(workers);
  const Tree& tree = simulation.tree();
  const bool little_for_cores = starpu_cpu_worker_get_count() < gpus.size() || tree.near_pieces() > 0;
  if (simulation.options().scheduler_places || gpus.size() < 2 || !little_for_cores) return;
  groups_ = tree.own_leaf_groups();
  const WorkOfGroups work = work_of_groups(simulation);
  const std::vector<std::size_t> gpu_of = shares_of_gpus(work, gpus.size());
  const auto workers_of = [&](const std::vector<std::size_t>& gpu_of_group) {
    std::vector<int> workers;
    for (const std::size_t gpu : gpu_of_group) workers.push_back(gpus[gpu][workers.size() % gpus[gpu].size()]);
    return workers;
  };
  of_particles_ = workers_of(gpu_of);
  std::vector<std::size_t> each(gpus.size());
  std::iota(each.begin(), each.end(), 0);
  place_cells(tree, workers_of(each));
  std::vector<double> far(gpus.size(), 0);
  for (std::size_t l = 0; l < levels_.size() && tree.has_far_field(); ++l)
    for (std::int32_t g = levels_[l].begin; g < levels_[l].end; ++g) {
      const int level = static_cast<int>(l);
      const auto has = [&](const std::vector<int>& workers) {
        return std::find(workers.begin(), workers.end(), of_cells(level, g)) != workers.end();
      };
      const auto gpu = std::find_if(gpus.begin(), gpus.end(), has) - gpus.begin();
      far[static_cast<std::size_t>(gpu)] += far_seconds(simulation.cells(level, g), simulation.pair_costs());
    }
  of_near_ = workers_of(evened_out(gpu_of, work.near, far));
}

/// Cells of leaves go where their particles are, other groups where the middle one of their children is. Levels of
/// fewer groups than there are GPUs are dealt out, a group to each in turn. `gpus`: a worker of each.
void HomeGpus::place_cells(const Tree& tree, const std::vector<int>& gpus) {
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
  std::size_t turn = 0;
  for (int l = tree.leaf_level() - 1; l >= tree.top_level(); --l) {
    const Range own = levels_[static_cast<std::size_t>(l)];
    const bool few = static_cast<std::size_t>(own.end - own.begin) < gpus.size();
    for (std::int32_t g = own.begin; g < own.end; ++g) {
      int& home = of_cells_[static_cast<std::size_t>(l)][static_cast<std::size_t>(g - own.begin)];
      const Range children = tree.child_groups(l, {g, g + 1});
      if (home == nobody && few) home = gpus[turn++ % gpus.size()];
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

int HomeGpus::of_near(std::int32_t group) const {
  return decided() && groups_.holds(group) ? of_near_[static_cast<std::size_t>(group - groups_.begin)] : -1;
}

SetUp heteroprio_set_up(int height, double slow_factor) {
  next_session = {height, slow_factor};
  return set_up;
}

}  // namespace asterism::fmm
