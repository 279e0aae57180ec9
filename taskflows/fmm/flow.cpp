// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/flow.hpp"

#include <starpu.h>

#include <initializer_list>
#include <span>
#include <vector>

#include "codelets/fmm/codelets.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "runtime/clock.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/submit.hpp"

namespace asterism::fmm {
namespace {

using codelets::ResultUpdate;

/// Children of the families [range.begin, range.end) of a child group.
double children_of(const std::vector<Family>& families, const FamilyRange& range) {
  double children = 0;
  for (std::int32_t f = range.begin; f < range.end; ++f) children += families[static_cast<std::size_t>(f)].children;
  return children;
}

}  // namespace

void Flow::submit() {
  tasks_ = 0;
  const Tree& tree = simulation_.tree();
  const ReductionOrder reduction = simulation_.options().reduction;
  const int leaf = tree.leaf_level();
  const bool far = tree.has_far_field();
  const Range groups = leaf_groups();

  expect_messages();
  homes_ = worker_ ? HomeGpus() : HomeGpus(simulation_);
  if (!worker_) spread_over_gpus(simulation_);
  if (reduction == ReductionOrder::any && far)
    for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_zero(g);

  // moments of the leaves, for which the rest of the far field waits, and the near field, for which nothing waits: in
  // turn, so that every kind of unit has from the first moment what suits it
  for (std::int32_t g = groups.begin; g < groups.end; ++g) {
    if (far) submit_p2m(g);
    submit_p2p(g);
    send_near(g);
  }
  if (far) {
    // moments up to level 2, the highest one with far interactions
    send_multipoles(leaf);
    for (int l = leaf; l > tree.top_level(); --l) {
      submit_m2m(l);
      send_multipoles(l - 1);
    }
  }
  if (reduction == ReductionOrder::first)
    for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_reduction(g);

  if (far) {
    // from multipole to local expansions, on every level
    for (int l = tree.top_level(); l <= leaf; ++l) submit_m2l(l);

    // local expansions down to the leaves, and to their particles
    for (int l = tree.top_level() + 1; l <= leaf; ++l) {
      send_locals(l - 1);
      submit_l2l(l);
    }
    submit_l2p();
  }

  if (reduction != ReductionOrder::first)
    for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_reduction(g);
  submit_transfers_to_main_memory();
}

double Flow::evaluate() {
  if (simulation_.distributed()) rank_group().barrier();
  const auto begin = Clock::now();
  submit();
  starpu_task_wait_for_all();
  for (ParticleGroup& p : simulation_.own_particles()) {  // results may still be on their way
    starpu_data_acquire(p.result_data, STARPU_R);
    starpu_data_release(p.result_data);
  }
  return seconds_since(begin);
}

bool Flow::on_worker(Codelet& codelet) const {
  return worker_ && can_run(*worker_, codelet);
}

bool Flow::can_run(int worker, Codelet& codelet) {
  const auto kind = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER ? STARPU_CUDA : STARPU_CPU;
  return (codelet.starpu().where & kind) != 0;
}

template <class Arguments, class Accesses>
void Flow::submit_task(Codelet& codelet, const Arguments& arguments, const Accesses& accesses, int priority, int home) {
  TaskOptions options;
  options.priority = priority;
  const int worker = worker_.value_or(home);
  if (worker >= 0 && can_run(worker, codelet)) options.worker = worker;
  Arguments all = arguments;
  all.work.vectors = simulation_.vectors();
  all.work.flops *= simulation_.vectors();
  asterism::submit(codelet, all, std::span<const Access>(accesses), options);
  ++tasks_;
}

Range Flow::leaf_groups() const {
  return simulation_.tree().own_leaf_groups();
}

Priorities Flow::priorities() const {
  return {simulation_.tree().shape().height};
}

void Flow::submit_p2m() {
  for (std::int32_t g = leaf_groups().begin; g < leaf_groups().end; ++g) submit_p2m(g);
}

void Flow::submit_m2m(int child_level) {
  const Tree& tree = simulation_.tree();
  const Range groups = tree.child_groups(child_level - 1, tree.own(child_level - 1));
  for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_m2m(child_level, g);
}

void Flow::submit_m2l(int level) {
  const Range groups = simulation_.tree().own(level);
  for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_m2l(level, g);
}

void Flow::submit_l2l(int child_level) {
  const Range groups = simulation_.tree().own(child_level);
  for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_l2l(child_level, g);
}

void Flow::submit_l2p() {
  for (std::int32_t g = leaf_groups().begin; g < leaf_groups().end; ++g) submit_l2p(g);
}

void Flow::submit_p2p() {
  for (std::int32_t g = leaf_groups().begin; g < leaf_groups().end; ++g) submit_p2p(g);
}

// M_abc = sum_j q_j T_a(x_j) T_b(y_j) T_c(z_j)
void Flow::submit_p2m(std::int32_t group) {
  const auto [leaf, place] = simulation_.tree().leaf_group(group);
  if (!simulation_.tree().level(leaf).acts(place)) return;
  const Basis& basis = simulation_.basis();
  CellGroup& cells = simulation_.cells(leaf, place);
  ParticleGroup& particles = simulation_.particles(group);
  const PackedOperators& operators = simulation_.operators_of(leaf);
  const codelets::P2MArgs args{{static_cast<double>(particles.sources) * p2m_flops(basis.view()), basis.size()},
                               operators.layout,
                               cells.layout,
                               simulation_.tree().grid(leaf),
                               particles.set};
  submit_task(codelets::p2m, args,
              std::initializer_list<Access>{{operators.handle, STARPU_R},
                                            {cells.cells, STARPU_R},
                                            {particles.particle_data, STARPU_R},
                                            {cells.multipoles, STARPU_W}},
              priorities().p2m(), homes_.of_particles(group));
}

// M(parent) += sum over children of S_x S_y S_z M(child)
void Flow::submit_m2m(int child_level, std::int32_t child_group) {
  const Tree& tree = simulation_.tree();
  const Basis& basis = simulation_.basis();
  CellGroup& children = simulation_.cells(child_level, child_group);
  const Level& level = tree.level(child_level);
  const auto child = static_cast<std::size_t>(child_group);
  const PackedOperators& operators = simulation_.operators_of(child_level);
  for (const FamilyRange& range : level.parent_groups[child]) {
    if (!range.acts || !tree.own(child_level - 1).holds(range.parent_group)) continue;
    CellGroup& parents = simulation_.cells(child_level - 1, range.parent_group);
    const codelets::M2MArgs args{
        {children_of(level.families[child], range) * shift_flops(basis.view()) / 8, basis.size()},
        operators.layout,
        children.layout,
        range.begin,
        range.end - range.begin,
        range.first ? parents.layout.cells : 0};
    submit_task(codelets::m2m, args,
                std::initializer_list<Access>{{operators.handle, STARPU_R},
                                              {children.cells, STARPU_R},
                                              {children.multipoles, STARPU_R},
                                              {parents.multipoles, range.first ? STARPU_W : STARPU_RW}},
                priorities().m2m(child_level), homes_.of_cells(child_level, child_group));
  }
}

// L(target) = sum of scale U_t V_t^T M(source) over the interaction lists of the group's cells (equations 6 and 7)
void Flow::submit_m2l(int level, std::int32_t group) {
  CellGroup& target = simulation_.cells(level, group);
  const PackedOperators& operators = simulation_.operators_of(level);
  bool first = true;
  std::vector<Access> accesses;
  for (ListData& list : target.lists) {
    accesses = {{operators.handle, STARPU_R}, {list.handle, STARPU_R}, {target.locals, first ? STARPU_W : STARPU_RW}};
    for (const std::int32_t source : list.source_groups)
      accesses.push_back({simulation_.cells(level, source).multipoles, STARPU_R});
    const codelets::M2LArgs args{{list.flops, simulation_.basis().size()},
                                 operators.layout,
                                 list.layout,
                                 simulation_.scale_of(level),
                                 static_cast<std::int32_t>(list.source_groups.size()),
                                 first ? target.layout.cells : 0};
    submit_task(codelets::m2l, args, accesses, priorities().m2l(level), homes_.of_cells(level, group));
    first = false;
  }
}

// L(child) += S_z^T S_y^T S_x^T L(parent)
void Flow::submit_l2l(int child_level, std::int32_t child_group) {
  const Basis& basis = simulation_.basis();
  CellGroup& children = simulation_.cells(child_level, child_group);
  const Level& level = simulation_.tree().level(child_level);
  const auto child = static_cast<std::size_t>(child_group);
  const PackedOperators& operators = simulation_.operators_of(child_level);
  for (const FamilyRange& range : level.parent_groups[child]) {
    if (!range.receives) continue;
    CellGroup& parents = simulation_.cells(child_level - 1, range.parent_group);
    const codelets::L2LArgs args{
        {children_of(level.families[child], range) * shift_flops(basis.view()) / 8, basis.size()},
        operators.layout,
        children.layout,
        range.begin,
        range.end - range.begin};
    submit_task(codelets::l2l, args,
                std::initializer_list<Access>{{operators.handle, STARPU_R},
                                              {children.cells, STARPU_R},
                                              {parents.locals, STARPU_R},
                                              {children.locals, STARPU_RW}},
                priorities().l2l(child_level), homes_.of_cells(child_level, child_group));
  }
}

// phi(x_i) (+)= sum_abc L_abc T_a(x_i) T_b(y_i) T_c(z_i), field(x_i) (-)= its gradient
void Flow::submit_l2p(std::int32_t group) {
  const auto [leaf, place] = simulation_.tree().leaf_group(group);
  if (!simulation_.tree().level(leaf).receives(place)) return;
  const Basis& basis = simulation_.basis();
  CellGroup& cells = simulation_.cells(leaf, place);
  ParticleGroup& particles = simulation_.particles(group);
  const PackedOperators& operators = simulation_.operators_of(leaf);
  const ResultUpdate update =
      simulation_.options().reduction == ReductionOrder::last ? ResultUpdate::overwrite : ResultUpdate::add;
  const codelets::L2PArgs args{{static_cast<double>(particles.own) * l2p_flops(basis.view()), basis.size()},
                               operators.layout,
                               cells.layout,
                               simulation_.tree().grid(leaf),
                               particles.set,
                               particles.own,
                               update};
  submit_task(codelets::l2p, args,
              std::initializer_list<Access>{{operators.handle, STARPU_R},
                                            {cells.cells, STARPU_R},
                                            {particles.particle_data, STARPU_R},
                                            {cells.locals, STARPU_R},
                                            {particles.result_data, result_mode(update)}},
              priorities().l2p(), homes_.of_particles(group));
}

// near(x_i) = sum of q_j K(|x_i - x_j|) over neighbouring leaves, for own leaves and copies of neighbours, or for
// targets
void Flow::submit_p2p(std::int32_t group) {
  const Range sets = simulation_.tree().near_sets_of(group);
  const std::int32_t pieces = simulation_.tree().near_pieces();
  const auto acting = simulation_.tree().apart() ? codelets::Acting::one_way : codelets::Acting::mutual;
  const bool by_kind = pieces > 0 && starpu_cpu_worker_get_count() > 0 && starpu_cuda_worker_get_count() > 0;
  for (std::int32_t n = sets.begin; n < sets.end; ++n) {
    NearGroup& near = simulation_.near_group(n);
    if (near.results == 0) continue;
    const Handle& particles = near.particle_data ? near.particle_data : simulation_.particles(group).particle_data;
    TaskOptions options;
    options.priority = near.large ? priorities().p2p_large() : priorities().p2p_small();
    const bool on_cores = by_kind && n < pieces;
    if (by_kind) options.where = on_cores ? STARPU_CPU : STARPU_CUDA;
    options.worker = worker_.value_or(on_cores ? -1 : homes_.of_near(group));
    simulation_.problem().interaction.submit_near({near.layout,
                                                   near.set,
                                                   near.results,
                                                   near.pairs,
                                                   acting,
                                                   simulation_.vectors(),
                                                   {near.near, STARPU_R},
                                                   {particles, STARPU_R},
                                                   {near.result, STARPU_W},
                                                   options});
    ++tasks_;
  }
}

// result(x_i) = 0, to which L2P and the reduction add in any order
void Flow::submit_zero(std::int32_t group) {
  ParticleGroup& p = simulation_.particles(group);
  if (p.own == 0) return;
  const codelets::ReductionArgs args{{static_cast<double>(p.own), 0}, p.own, 0, 0, ResultUpdate::overwrite};
  submit_task(codelets::reduction, args,
              std::initializer_list<Access>{{p.reduction_parts, STARPU_R}, {p.result_data, STARPU_W}},
              priorities().zero(), homes_.of_particles(group));
}

starpu_data_access_mode Flow::result_mode(ResultUpdate update) const {
  if (update == ResultUpdate::overwrite) return STARPU_W;
  return simulation_.options().reduction == ReductionOrder::any
             ? static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE)
             : STARPU_RW;
}

// result(x_i) (+)= near(x_i) of this group and of those of lower Morton index that have copies of its leaves
void Flow::submit_reduction(std::int32_t group) {
  ParticleGroup& p = simulation_.particles(group);
  if (p.own == 0) return;
  const bool alone = simulation_.options().reduction == ReductionOrder::first || !simulation_.tree().has_far_field();
  const ResultUpdate update = alone ? ResultUpdate::overwrite : ResultUpdate::add;
  std::vector<Access> accesses{{p.reduction_parts, STARPU_R}, {p.result_data, result_mode(update)}};
  for (const std::int32_t near_set : p.contributors) accesses.push_back({simulation_.near_values(near_set), STARPU_R});
  const codelets::ReductionArgs args{{reduction_flops * static_cast<double>(p.added), 0},
                                     p.own,
                                     static_cast<std::int32_t>(p.contributors.size()),
                                     p.reduction_count,
                                     update};
  submit_task(codelets::reduction, args, accesses, priorities().reduction(), homes_.of_particles(group));
}

// each result goes to main memory as soon as it is complete
void Flow::submit_transfers_to_main_memory() {
  for (ParticleGroup& p : simulation_.own_particles())
    starpu_data_acquire_on_node_cb(
        p.result_data, STARPU_MAIN_RAM, STARPU_R,
        [](void* handle) { starpu_data_release_on_node(static_cast<starpu_data_handle_t>(handle), STARPU_MAIN_RAM); },
        p.result_data.get());
}

}  // namespace asterism::fmm
