// The task flow of one evaluation (section 2.2, Figure 2; section 4.3.1 for the place of the reductions).
#include <starpu.h>

#include <cmath>

#include "codelets/fmm/kernels/costs.hpp"
#include "runtime/clock.hpp"
#include "taskflows/fmm/system.hpp"

namespace asterism::fmm {

void System::submit() {
  tasks_ = 0;
  const int leaf = tree_->leaf_level();
  const bool far = tree_->has_far_field();
  const Range leaf_groups = tree_->own(leaf);

  expect_messages();
  if (options_.reduction == ReductionOrder::any && far)
    for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) submit_zero(g);

  // moments of the leaves, for which the rest of the far field waits, and the near field, for which nothing waits: in
  // turn, so that every kind of unit has from the first moment what suits it
  for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) {
    if (far) submit_p2m(g);
    submit_p2p(g);
    send_near(g);
  }
  if (far) {
    send_multipoles(leaf);
    for (int l = leaf; l > Tree::first_far_level; --l) {
      submit_m2m(l);
      send_multipoles(l - 1);
    }
  }
  if (options_.reduction == ReductionOrder::first)
    for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) submit_reduction(g);

  if (far) {
    // from multipole to local expansions, on every level
    for (int l = Tree::first_far_level; l <= leaf; ++l) submit_m2l(l);

    // local expansions down to the leaves, and to their particles
    for (int l = Tree::first_far_level + 1; l <= leaf; ++l) {
      send_locals(l - 1);
      submit_l2l(l);
    }
    for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) submit_l2p(g);
  }

  if (options_.reduction != ReductionOrder::first)
    for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) submit_reduction(g);

  // each result goes to main memory as soon as it is complete
  for (ParticleGroup& p : own_particles())
    starpu_data_acquire_on_node_cb(
        p.result_data, STARPU_MAIN_RAM, STARPU_R,
        [](void* handle) { starpu_data_release_on_node(static_cast<starpu_data_handle_t>(handle), STARPU_MAIN_RAM); },
        p.result_data.get());
}

int System::unit_for(const starpu_codelet& codelet) const {
  if (worker_ < 0) return worker_;
  const auto kind = starpu_worker_get_type(worker_) == STARPU_CUDA_WORKER ? STARPU_CUDA : STARPU_CPU;
  return (codelet.where & kind) != 0 ? worker_ : -1;
}

OperatorSeconds System::time_operators(int worker) {
  worker_ = worker;
  const int leaf = tree_->leaf_level();
  const Range leaf_groups = tree_->own(leaf);
  const auto timed = [](const auto& submit_all) {
    const auto begin = Clock::now();
    submit_all();
    starpu_task_wait_for_all();
    return seconds_since(begin);
  };
  OperatorSeconds t;
  t.p2p = timed([&] {
    for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) submit_p2p(g);
  });
  t.particles = timed([&] {
    for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) submit_p2m(g);
  });
  t.cells = timed([&] {
    for (int l = leaf; l > Tree::first_far_level; --l) submit_m2m(l);
  });
  t.m2l = timed([&] {
    for (int l = Tree::first_far_level; l <= leaf; ++l) submit_m2l(l);
  });
  t.cells += timed([&] {
    for (int l = Tree::first_far_level + 1; l <= leaf; ++l) submit_l2l(l);
  });
  t.particles += timed([&] {
    for (std::int32_t g = leaf_groups.begin; g < leaf_groups.end; ++g) submit_l2p(g);
  });
  // what the unit does not run was done elsewhere
  const auto elsewhere = [&](const starpu_codelet& codelet) { return unit_for(codelet) != worker; };
  if (elsewhere(codelets::p2m()) || elsewhere(codelets::l2p())) t.particles = INFINITY;
  if (elsewhere(codelets::m2m()) || elsewhere(codelets::l2l())) t.cells = INFINITY;
  if (elsewhere(codelets::m2l())) t.m2l = INFINITY;
  worker_ = -1;
  return t;
}

// M_abc = sum_j q_j T_a(x_j) T_b(y_j) T_c(z_j)
void System::submit_p2m(std::int32_t group) {
  const int leaf = tree_->leaf_level();
  CellGroup& cells = this->cells(leaf, group);
  ParticleGroup& particles = this->particles(group);
  const PackedOperators& operators = operators_of(leaf);
  const codelets::P2MArgs args{{static_cast<double>(particles.own) * p2m_flops(basis_.view()), basis_.size()},
                               operators.layout,
                               cells.layout,
                               tree_->grid(leaf),
                               particles.set};
  asterism::submit(
      codelets::p2m(), args,
      {{operators.handle, STARPU_R},
       {cells.cells, STARPU_R},
       {particles.particle_data, STARPU_R},
       {cells.multipoles, STARPU_W}},
      {Priorities{tree_->shape().height}.p2m(), codelets::class_flops(args.work.flops), unit_for(codelets::p2m())});
  ++tasks_;
}

void System::submit_m2m(int child_level) {
  const Range groups = tree_->child_groups(child_level - 1, tree_->own(child_level - 1));
  for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_m2m(child_level, g);
}

void System::submit_m2l(int level) {
  const Range groups = tree_->own(level);
  for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_m2l(level, g);
}

void System::submit_l2l(int child_level) {
  const Range groups = tree_->own(child_level);
  for (std::int32_t g = groups.begin; g < groups.end; ++g) submit_l2l(child_level, g);
}

// M(parent) += sum_children S M(child)
void System::submit_m2m(int child_level, std::int32_t child_group) {
  CellGroup& children = cells(child_level, child_group);
  const Level& level = tree_->level(child_level);
  const auto child = static_cast<std::size_t>(child_group);
  const PackedOperators& operators = operators_of(child_level);
  for (const FamilyRange& range : level.parent_groups[child]) {
    if (!tree_->own(child_level - 1).holds(range.parent_group)) continue;
    CellGroup& parents = cells(child_level - 1, range.parent_group);
    // the group that holds a parent group's first family comes first
    const auto& family = level.families[child][static_cast<std::size_t>(range.begin)];
    const auto first_child = static_cast<std::size_t>(level.groups[child].first + family.first_child);
    const bool first =
        family.parent == 0 && (first_child == 0 || level.key[first_child] >> 3 != level.key[first_child - 1] >> 3);
    double children_of_range = 0;
    for (std::int32_t f = range.begin; f < range.end; ++f)
      children_of_range += level.families[child][static_cast<std::size_t>(f)].children;
    const codelets::M2MArgs args{{children_of_range * shift_flops(basis_.view()) / 8, basis_.size()},
                                 operators.layout,
                                 children.layout,
                                 range.begin,
                                 range.end - range.begin,
                                 first ? parents.layout.cells : 0};
    asterism::submit(codelets::m2m(), args,
                     {{operators.handle, STARPU_R},
                      {children.cells, STARPU_R},
                      {children.multipoles, STARPU_R},
                      {parents.multipoles, first ? STARPU_W : STARPU_RW}},
                     {Priorities{tree_->shape().height}.m2m(child_level), codelets::class_flops(args.work.flops),
                      unit_for(codelets::m2m())});
    ++tasks_;
  }
}

// L(target) = sum U V^T M(source) over the interaction lists of the group's cells (equations 6 and 7)
void System::submit_m2l(int level, std::int32_t group) {
  CellGroup& target = cells(level, group);
  const PackedOperators& operators = operators_of(level);
  bool first = true;
  std::vector<Access> accesses;
  for (ListData& list : target.lists) {
    accesses = {{operators.handle, STARPU_R}, {list.handle, STARPU_R}, {target.locals, first ? STARPU_W : STARPU_RW}};
    for (const std::int32_t source : list.source_groups)
      accesses.push_back({cells(level, source).multipoles, STARPU_R});
    const codelets::M2LArgs args{{list.flops, basis_.size()},
                                 operators.layout,
                                 list.layout,
                                 scale_of(level),
                                 static_cast<std::int32_t>(list.source_groups.size()),
                                 first ? target.layout.cells : 0};
    asterism::submit(codelets::m2l(), args, accesses,
                     {Priorities{tree_->shape().height}.m2l(level), codelets::class_flops(args.work.flops),
                      unit_for(codelets::m2l())});
    first = false;
    ++tasks_;
  }
}

// L(child) += S^T L(parent)
void System::submit_l2l(int child_level, std::int32_t child_group) {
  CellGroup& children = cells(child_level, child_group);
  const Level& level = tree_->level(child_level);
  const auto child = static_cast<std::size_t>(child_group);
  const PackedOperators& operators = operators_of(child_level);
  for (const FamilyRange& range : level.parent_groups[child]) {
    CellGroup& parents = cells(child_level - 1, range.parent_group);
    double children_of_range = 0;
    for (std::int32_t f = range.begin; f < range.end; ++f)
      children_of_range += level.families[child][static_cast<std::size_t>(f)].children;
    const codelets::L2LArgs args{{children_of_range * shift_flops(basis_.view()) / 8, basis_.size()},
                                 operators.layout,
                                 children.layout,
                                 range.begin,
                                 range.end - range.begin};
    asterism::submit(codelets::l2l(), args,
                     {{operators.handle, STARPU_R},
                      {children.cells, STARPU_R},
                      {parents.locals, STARPU_R},
                      {children.locals, STARPU_RW}},
                     {Priorities{tree_->shape().height}.l2l(child_level), codelets::class_flops(args.work.flops),
                      unit_for(codelets::l2l())});
    ++tasks_;
  }
}

// phi(x) = sum L_abc T_a T_b T_c and its gradient
void System::submit_l2p(std::int32_t group) {
  const int leaf = tree_->leaf_level();
  CellGroup& cells = this->cells(leaf, group);
  ParticleGroup& particles = this->particles(group);
  const PackedOperators& operators = operators_of(leaf);
  const bool add = options_.reduction != ReductionOrder::last;
  const codelets::L2PArgs args{{static_cast<double>(particles.own) * l2p_flops(basis_.view()), basis_.size()},
                               operators.layout,
                               cells.layout,
                               tree_->grid(leaf),
                               particles.set,
                               particles.own,
                               add ? 1 : 0};
  asterism::submit(
      codelets::l2p(), args,
      {{operators.handle, STARPU_R},
       {cells.cells, STARPU_R},
       {particles.particle_data, STARPU_R},
       {cells.locals, STARPU_R},
       {particles.result_data, result_mode(!add)}},
      {Priorities{tree_->shape().height}.l2p(), codelets::class_flops(args.work.flops), unit_for(codelets::l2p())});
  ++tasks_;
}

// sum of q_j K(|x_i - x_j|) over neighbouring leaves
void System::submit_p2p(std::int32_t group) {
  ParticleGroup& p = particles(group);
  const Priorities priorities{tree_->shape().height};
  interaction_.submit_near({p.near_layout,
                            p.set,
                            p.pairs,
                            {p.near, STARPU_R},
                            {p.particle_data, STARPU_R},
                            {p.near_result, STARPU_W},
                            p.large ? priorities.p2p_large() : priorities.p2p_small(),
                            worker_});
  ++tasks_;
}

// the result is what L2P and the reduction add up, in any order
void System::submit_zero(std::int32_t group) {
  ParticleGroup& p = particles(group);
  const codelets::ReductionArgs args{{static_cast<double>(p.own), 0}, p.own, 0, 0, 1};
  asterism::submit(codelets::reduction(), args, {{p.reduction_parts, STARPU_R}, {p.result_data, STARPU_W}},
                   {Priorities{tree_->shape().height}.p2m(), codelets::class_flops(args.work.flops),
                    unit_for(codelets::reduction())});
  ++tasks_;
}

starpu_data_access_mode System::result_mode(bool overwrite) const {
  if (overwrite) return STARPU_W;
  return options_.reduction == ReductionOrder::any ? static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE)
                                                   : STARPU_RW;
}

// what this group and groups of lower Morton index computed for this group's particles
void System::submit_reduction(std::int32_t group) {
  ParticleGroup& p = particles(group);
  const bool overwrite = options_.reduction == ReductionOrder::first || !tree_->has_far_field();
  std::vector<Access> accesses{
      {p.reduction_parts, STARPU_R}, {p.result_data, result_mode(overwrite)}, {p.near_result, STARPU_R}};
  double added = static_cast<double>(p.own);
  for (const std::int32_t other : p.contributors) accesses.push_back({near_values(other), STARPU_R});
  for (const Contributor& c : tree_->contributors(static_cast<std::size_t>(group)))
    for (const Contribution& part : c.parts) added += part.count;
  const codelets::ReductionArgs args{{4 * added, 0},
                                     p.own,
                                     static_cast<std::int32_t>(1 + p.contributors.size()),
                                     p.reduction_count,
                                     overwrite ? 1 : 0};
  asterism::submit(codelets::reduction(), args, accesses,
                   {Priorities{tree_->shape().height}.reduction(), codelets::class_flops(args.work.flops),
                    unit_for(codelets::reduction())});
  ++tasks_;
}

}  // namespace asterism::fmm
