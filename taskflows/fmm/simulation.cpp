// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/simulation.hpp"

#include <starpu.h>

#include <algorithm>
#include <cmath>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/groups/packed.hpp"
#include "taskflows/fmm/operator_cache.hpp"

namespace asterism::fmm {
namespace {

/// Part of this machine's memory that the data may take.
constexpr double most_memory = 0.95;

}  // namespace

Simulation::Simulation(const Problem& problem, const Options& options, const Particles& particles)
    : problem_(problem),
      options_(options),
      basis_(problem.accuracy.basis),
      distributed_(options.ranks == Ranks::any && rank_group().distributed()) {
  check_shape(options.shape);
  if (distributed_ && options.shape.adaptive()) bad_input("adaptive trees need a single process");
  if (options.shape.periodic > 0) {
    if (!options.box) bad_input("periodic directions: expected a box");
    if (problem.interaction.name != Laplace::name || problem.interaction.acts_at_zero)
      bad_input("periodic directions: expected the kernel 1/r, without softening");
  }
  const Box box =
      options_.box ? *options_.box : widened(box_around(extent(particles, options_.ranks)), options_.shape.widening);
  if (distributed_) build_operators(box);  // pair_costs() asks them what far pairs cost
  make_tree(box, particles);
  check_memory();
  if (!distributed_) build_operators(box);
  build_cells();
  build_particles(particles);
  bring_to_gpus();
}

void Simulation::make_tree(const Box& box, const Particles& particles) {
  const Pause pause;
  if (distributed_)
    make_distributed_tree(box, particles);
  else
    tree_ = std::make_unique<Tree>(particles.x, particles.y, particles.z, box, options_.shape, options_.pieces,
                                   options_.sources);
}

Simulation::~Simulation() = default;

PairCosts Simulation::pair_costs() const {
  if (options_.pair_seconds) return *options_.pair_seconds;
  if (operators_.empty()) return {1, 0};
  return {problem_.interaction.flops_per_pair, m2l_flops(basis_.size(), operators().mean_rank())};
}

void Simulation::make_distributed_tree(const Box& box, const Particles& particles) {
  const TreeShape& shape = options_.shape;
  DistributedLeaves distributed = distribute_leaves(box, shape.height - 1, particles);
  const std::vector<double> costs = costs_of_groups(distributed.leaves, shape.height, shape.group_size,
                                                    distributed.interval, options_.share, pair_costs(), shape.periodic);
  tree_ = std::make_unique<Tree>(std::move(distributed.leaves), box, shape, cut(costs, rank_group().ranks()),
                                 rank_group().rank());
  exchange_ = std::make_unique<ParticleExchange>(distributed.sorted, *tree_);
}

Change Simulation::update_distributed_tree(const Particles& particles) {
  const DistributedLeaves distributed = distribute_leaves(tree_->box(), tree_->leaf_level(), particles);
  if (distributed.leaves.key != tree_->leaves().key) {
    make_distributed_tree(Box(tree_->box()), particles);
    return Change::cells;
  }
  tree_->update(distributed.leaves.begin);
  exchange_ = std::make_unique<ParticleExchange>(distributed.sorted, *tree_);
  return Change::particles;
}

void Simulation::build_operators(const Box& box) {
  const int leaf_level = options_.shape.height - 1;
  const bool periodic = options_.shape.periodic > 0;
  if (leaf_level < Tree::first_far_level && !periodic) return;
  const int last = problem_.interaction.homogeneous ? Tree::first_far_level : leaf_level;
  for (int l = Tree::first_far_level; l <= last; ++l) {
    const double half_width = problem_.interaction.homogeneous ? 1.0 : std::ldexp(box.width, -l) / 2;
    const Pause pause;
    add_operators(primitive_operators_of(problem_, basis_, half_width));
  }
  if (!periodic) return;
  const Pause pause;
  add_operators(lattice_operators_of(problem_, basis_, options_.shape.periodic));
}

void Simulation::add_operators(const std::vector<PrimitiveOperator>& primitives) {
  operators_.push_back(std::make_unique<M2LOperators>(basis_, primitives));
  auto packed = std::make_unique<PackedOperators>();
  std::vector<double> values;
  packed->layout = pack_operators(basis_, *operators_.back(), values);
  packed->packed = pinned(values);
  packed->handle = Handle::vector(packed->packed.data(), packed->packed.size(), sizeof(double), "operators");
  packed_.push_back(std::move(packed));
}

/// Homogeneous kernels have the same operators on every level, but for the root of a periodic tree.
std::size_t Simulation::operators_number(int level) const {
  if (options_.shape.periodic > 0 && level == 0) return packed_.size() - 1;
  return problem_.interaction.homogeneous ? 0 : static_cast<std::size_t>(level - Tree::first_far_level);
}

const PackedOperators& Simulation::operators_of(int level) const {
  return *packed_[operators_number(level)];
}

double Simulation::scale_of(int level) const {
  return problem_.interaction.homogeneous ? std::pow(tree_->grid(level).width / 2, problem_.interaction.degree) : 1.0;
}

/// Memory of the data with so many vectors of charges.
double Simulation::bytes(int vectors) const {
  double bytes = 0;
  for (int l = tree_->top_level(); l <= tree_->leaf_level(); ++l)
    bytes += cells_of(l) * 2 * expansion_bytes(basis_.stride()) * vectors;
  bytes += 2 * static_cast<double>(tree_->far_pairs()) * sizeof(M2LPair);
  double set = 0;
  const Range groups = tree_->own_leaf_groups();
  for (std::int32_t g = groups.begin; g < groups.end; ++g) {
    const Range sets = tree_->near_sets_of(g);
    for (std::int32_t n = sets.begin; n < sets.end; ++n) set += tree_->near(static_cast<std::size_t>(n)).begin.back();
  }
  const double charges = (vectors - 1) * static_cast<double>(sizeof(double));
  return bytes + (source_bytes + charges + vectors * field_bytes) * set + vectors * field_bytes * particles_of_rank();
}

int Simulation::vectors_together() const {
  if (distributed_ || starpu_cuda_worker_get_count() > 0) return 1;
  const double memory = this_machine().memory_bytes;
  int vectors = most_vectors;
  while (vectors > 1 && memory > 0 && bytes(vectors) > most_memory * memory) --vectors;
  return vectors;
}

void Simulation::take_charges(const Particles& particles, std::span<const double> charges, int vectors) {
  if (vectors > room_) {
    room_ = vectors;
    particles_.clear();
    near_groups_.clear();
    if (tree_->has_far_field()) build_cell_data();
    build_particles(particles);
  }
  fill_particles(particles, charges, vectors);
}

void Simulation::check_memory() const {
  const double memory = this_machine().memory_bytes;
  const double needed = bytes(room_);
  if (memory > 0 && needed > most_memory * memory)
    bad_input(
        "{} particles with height {} and {} coefficients per cell need {:.1f} GB, this machine has {:.1f} GB (fewer "
        "levels or a lower accuracy need less)",
        particles_of_rank(), tree_->shape().height, basis_.size(), needed * 1e-9, memory * 1e-9);
}

double Simulation::particles_of_rank() const {
  const std::vector<std::int64_t>& begin = tree_->leaf_begin();
  if (!distributed_) return static_cast<double>(begin.back());
  const Range own = tree_->own_leaves();
  return static_cast<double>(begin[static_cast<std::size_t>(own.end)] - begin[static_cast<std::size_t>(own.begin)]);
}

double Simulation::cells_of(int level, bool (Level::*which)(std::int32_t) const) const {
  const Range groups = tree_->own(level);
  double cells = 0;
  for (std::int32_t g = groups.begin; g < groups.end; ++g)
    if (which == nullptr || (tree_->level(level).*which)(g))
      cells += tree_->level(level).groups[static_cast<std::size_t>(g)].cells;
  return cells;
}

void Simulation::move(const Particles& particles) {
  const Box& box = tree_->box();
  const Extent reached = extent(particles, options_.ranks);
  const auto beyond = [&](int axis, double corner) {
    return reached.low[axis] < corner || reached.high[axis] >= corner + box.width;
  };
  const bool escaped = beyond(0, box.x) || beyond(1, box.y) || beyond(2, box.z);
  Change change = Change::cells;
  if (escaped && options_.shape.periodic > 0)
    failed("a particle left the periodic box in a direction that is not periodic (a larger --box?)");
  if (escaped) {
    // room to move for the next steps
    Box larger = box_around(reached);
    constexpr double slack = 0.02;
    larger = {larger.x - slack * larger.width, larger.y - slack * larger.width, larger.z - slack * larger.width,
              larger.width * (1 + 2 * slack)};
    make_tree(larger, particles);
  } else {
    const Pause pause;
    change = distributed_ ? update_distributed_tree(particles) : tree_->update(particles.x, particles.y, particles.z);
  }
  if (change == Change::none) return take_charges(particles);
  particles_.clear();
  near_groups_.clear();
  near_in_.clear();
  if (change == Change::cells) {
    check_memory();
    cells_.clear();
    if (escaped && !problem_.interaction.homogeneous) {
      packed_.clear();
      operators_.clear();
    }
    if (operators_.empty()) build_operators(tree_->box());
    build_cells();
  }
  build_particles(particles);
}

void Simulation::collect(Result& result, FieldTimes times, int vector) const {
  const Range own = tree_->own_leaf_groups();
  Result of_own(distributed_ ? exchange_->own() : 0);
  Result& to = distributed_ ? of_own : result;
  const double coupling = problem_.interaction.coupling;
  const double* const charge = charge_.data() + as_size(vector) * (charge_.size() / as_size(vectors_));
  for (std::int32_t g = own.begin; g < own.end; ++g)
    starpu_data_acquire(particles_[static_cast<std::size_t>(g)].result_data, STARPU_R);
  std::optional<Pause> pause(std::in_place);  // the cores are OpenMP's
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t g = own.begin; g < own.end; ++g) {
    const ParticleGroup& p = particles_[static_cast<std::size_t>(g)];
    const double* r = p.result.data() + 4 * vector * p.own;
    std::int64_t i = 0;
    const Range leaves = tree_->leaves_of_group(g);
    for (std::int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
      const std::int64_t end = tree_->leaf_begin()[static_cast<std::size_t>(leaf) + 1];
      for (std::int64_t at = end - tree_->targets_of(leaf); at < end; ++at, ++i) {
        const auto s = static_cast<std::size_t>(at - tree_->first_particle(own.begin));
        const std::size_t place = distributed_ ? s : tree_->order()[s];
        to.potential[place] = coupling * r[i];
        const double factor = times == FieldTimes::charge ? coupling * charge[s] : coupling;
        to.fx[place] = factor * r[p.own + i];
        to.fy[place] = factor * r[2 * p.own + i];
        to.fz[place] = factor * r[3 * p.own + i];
      }
    }
  }
  pause.reset();
  for (std::int32_t g = own.begin; g < own.end; ++g)
    starpu_data_release(particles_[static_cast<std::size_t>(g)].result_data);
  if (distributed_) exchange_->give_back(of_own, result);
}

WorkSummary& WorkSummary::operator+=(const WorkSummary& other) {
  for (double WorkSummary::*const flops : {&WorkSummary::p2m, &WorkSummary::m2m, &WorkSummary::m2l, &WorkSummary::l2l,
                                           &WorkSummary::l2p, &WorkSummary::p2p})
    this->*flops += other.*flops;
  near_pairs += other.near_pairs;
  far_pairs += other.far_pairs;
  return *this;
}

WorkSummary Simulation::work() const {
  WorkSummary w;
  const BasisView basis = basis_.view();
  w.near_pairs = tree_->near_pairs();
  w.far_pairs = tree_->far_pairs();
  const Interaction& interaction = problem_.interaction;
  w.p2p =
      static_cast<double>(w.near_pairs) * (tree_->apart() ? interaction.flops_per_one_way : interaction.flops_per_pair);
  if (!tree_->has_far_field()) return w;
  const double targets = tree_->apart() ? static_cast<double>(tree_->target_begin().back()) : particles_of_rank();
  w.p2m = (tree_->apart() ? particles_of_rank() - targets : targets) * p2m_flops(basis);
  w.l2p = targets * l2p_flops(basis);
  for (int l = tree_->top_level(); l <= tree_->leaf_level(); ++l) {
    if (l > tree_->top_level()) {
      w.m2m += cells_of(l, &Level::acts) * shift_flops(basis) / 8;
      w.l2l += cells_of(l, &Level::receives) * shift_flops(basis) / 8;
    }
    for (const CellGroup& group : cells_[static_cast<std::size_t>(l)])  // those of other ranks have no lists
      for (const ListData& list : group.lists) w.m2l += list.flops;
  }
  return w;
}

}  // namespace asterism::fmm
