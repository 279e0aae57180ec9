// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/scheduling.hpp"

#include <fmt/format.h>
#include <starpu.h>
#include <starpu_heteroprio.h>

#include <algorithm>
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

void spread_over_gpus(Simulation& simulation) {
  std::vector<unsigned> nodes;
  for (unsigned w = 0; w < starpu_worker_get_count(); ++w) {
    const unsigned node = starpu_worker_get_memory_node(w);
    if (starpu_worker_get_type(static_cast<int>(w)) == STARPU_CUDA_WORKER &&
        std::find(nodes.begin(), nodes.end(), node) == nodes.end())
      nodes.push_back(node);
  }
  if (nodes.size() < 2) return;
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
  double before = 0;  // share of the work, of two
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double share = near[i] / all_near + far[i] / all_far;
    const auto gpu = static_cast<std::size_t>((before + share / 2) / 2 * static_cast<double>(nodes.size()));
    starpu_data_prefetch_on_node(simulation.particles(groups.begin + static_cast<std::int32_t>(i)).particle_data,
                                 nodes[std::min(gpu, nodes.size() - 1)], 1);
    before += share;
  }
}

SetUp heteroprio_set_up(int height, double slow_factor) {
  next_session = {height, slow_factor};
  return set_up;
}

}  // namespace asterism::fmm
