// SPDX-License-Identifier: Apache-2.0
// The data of groups: of those of this rank, and of other groups what comes here.
#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>

#include "base/as_size.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "taskflows/fmm/groups/packed.hpp"
#include "taskflows/fmm/simulation.hpp"

namespace asterism::fmm {
namespace {

ListData pack_list(const M2LTask& task, const std::vector<std::int32_t>& rank, const M2LOperators& operators,
                   double size) {
  ListData list;
  list.layout.tiles = static_cast<std::int32_t>((rank.size() + m2l_tile - 1) / m2l_tile);
  std::vector<std::int32_t> packed = task.begin;
  list.layout.rank = static_cast<std::int32_t>(append(packed, rank));
  list.layout.pairs = append(packed, task.pairs, 2);
  list.packed = pinned(packed);
  list.source_groups = task.source_groups;
  list.pairs = static_cast<std::int64_t>(task.pairs.size());
  const auto row = static_cast<std::size_t>(list.layout.tiles) + 1;
  for (std::size_t d = 0; d < directions; ++d)
    list.flops += static_cast<double>(task.begin[d * row + row - 1] - task.begin[d * row]) *
                  m2l_flops(size, operators.table()[d].rank);
  return list;
}

}  // namespace

HostBuffer<std::int32_t> pack_reduction(std::vector<ReductionSet> sets, const std::vector<ReductionPart>& parts) {
  sets.push_back({0, static_cast<std::int32_t>(parts.size())});
  std::vector<std::int32_t> packed;
  append(packed, sets);
  append(packed, parts);
  return pinned(packed);
}

void Simulation::build_cells() {
  cells_.clear();
  cells_.resize(static_cast<std::size_t>(tree_->shape().height));
  if (!tree_->has_far_field()) return;
  for (int l = tree_->top_level(); l <= tree_->leaf_level(); ++l) {
    const Level& level = tree_->level(l);
    cells_[static_cast<std::size_t>(l)].resize(level.groups.size());
    const M2LOperators& operators = *operators_[operators_number(l)];
    const Range own = tree_->own(l);
    for (std::int32_t g = own.begin; g < own.end; ++g) {
      CellGroup& group = cells(l, g);
      for (const M2LTask& task : level.far[static_cast<std::size_t>(g)])
        group.lists.push_back(pack_list(task, level.rank[static_cast<std::size_t>(g)], operators, basis_.size()));
      for (std::size_t i = 0; i < group.lists.size(); ++i)
        group.lists[i].handle = read_only(group.lists[i].packed, fmt::format("M2L {} {} {}", l, g, i), g);
    }
  }
  build_cell_data();
}

/// Makes the expansions of own groups, and of others as far as they come here.
void Simulation::build_cell_data() {
  if (distributed_) find_cell_messages();
  for (int l = tree_->top_level(); l <= tree_->leaf_level(); ++l) {
    const auto make = [&](std::int32_t g, CellData data) {
      CellGroup& group = cells(l, g);
      const auto cells = static_cast<std::size_t>(tree_->level(l).groups[static_cast<std::size_t>(g)].cells);
      const std::size_t doubles = cells * static_cast<std::size_t>(basis_.stride() * room_);
      const bool multipoles = data == CellData::multipoles;
      if (group.expansions.data() == nullptr) group.expansions = exchanged(2 * doubles);
      double* const first = group.expansions.data();
      double* const memory = first == nullptr || multipoles ? first : first + doubles;
      (multipoles ? group.multipoles : group.locals) =
          shared(Handle::temporary(memory, doubles, sizeof(double),
                                   fmt::format("{} {} {}", multipoles ? "M" : "L", l, g), Coordinates{g, l}),
                 tree_->owner(l, g), tag_of(l, g, data));
    };
    const Range own = tree_->own(l);
    for (std::int32_t g = own.begin; g < own.end; ++g) {
      cells(l, g).layout.cells = tree_->level(l).groups[static_cast<std::size_t>(g)].cells;
      make(g, CellData::multipoles);
      make(g, CellData::locals);
    }
    if (!distributed_) continue;
    for (const std::int32_t g : messages_[static_cast<std::size_t>(l)].multipoles_in) make(g, CellData::multipoles);
    for (const std::int32_t g : messages_[static_cast<std::size_t>(l)].locals_in) make(g, CellData::locals);
  }
}

/// Packs what P2M, M2M, L2L and L2P have to know of the cells of a group.
void Simulation::describe_cells(int l, std::int32_t g) {
  const Level& level = tree_->level(l);
  CellGroup& group = cells(l, g);
  group.cells = Handle();
  std::vector<std::int32_t> packed;
  const auto first = static_cast<std::ptrdiff_t>(level.groups[static_cast<std::size_t>(g)].first);
  const auto count = static_cast<std::ptrdiff_t>(level.groups[static_cast<std::size_t>(g)].cells);
  group.layout.cells = static_cast<std::int32_t>(count);
  append(packed, std::vector<CellIndex>(level.index.begin() + first, level.index.begin() + first + count));
  if (g >= level.inner_groups && tree_->own(l).holds(g)) {
    const Range leaves = tree_->leaves_of_group(tree_->number_of({l, g}));
    std::vector<std::int32_t> begin;  // of each leaf among the particles of the group
    for (std::int32_t leaf = leaves.begin; leaf <= leaves.end; ++leaf)
      begin.push_back(static_cast<std::int32_t>(tree_->target_begin()[static_cast<std::size_t>(leaf)] -
                                                tree_->target_begin()[static_cast<std::size_t>(leaves.begin)]));
    group.layout.begin = group.layout.sources = static_cast<std::int32_t>(append(packed, begin));
    if (tree_->apart())
      group.layout.sources =
          static_cast<std::int32_t>(append(packed, begin_of_sources(tree_->number_of({l, g}), begin.back())));
  }
  if (!level.families.empty())
    group.layout.families = static_cast<std::int32_t>(append(packed, level.families[static_cast<std::size_t>(g)]));
  group.packed = pinned(packed);
  group.cells = read_only(group.packed, fmt::format("cells {} {}", l, g), g);
}

/// Where the sources of each leaf of a group begin among its particles, and end, behind so many targets.
std::vector<std::int32_t> Simulation::begin_of_sources(std::int32_t group, std::int32_t targets) const {
  const Range sets = tree_->near_sets_of(group);
  const NearSet& near = tree_->near(static_cast<std::size_t>(sets.begin));
  const bool divided = sets.end - sets.begin > 1;
  std::vector<std::int32_t> begin{divided ? targets : near.begin[static_cast<std::size_t>(near.own_sources)]};
  const Range leaves = tree_->leaves_of_group(group);
  for (std::int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
    begin.push_back(begin.back() + static_cast<std::int32_t>(tree_->sources_of(leaf)));
  return begin;
}

void Simulation::build_particles(const Particles& particles) {
  const Range own = tree_->own_leaf_groups();
  particles_.clear();
  particles_.resize(static_cast<std::size_t>(tree_->leaf_groups()));
  for (int l = tree_->top_level(); l <= tree_->leaf_level(); ++l) {
    Range described = tree_->own(l);
    if (l > tree_->top_level()) described = hull(described, tree_->child_groups(l - 1, tree_->own(l - 1)));
    for (std::int32_t g = described.begin; g < described.end; ++g) describe_cells(l, g);
  }
  if (distributed_) build_near_in();
  near_groups_.clear();
  near_groups_.resize(tree_->near_sets());
  std::vector<std::int64_t> sizes;
  for (std::int32_t g = own.begin; g < own.end; ++g) {
    const Range sets = tree_->near_sets_of(g);
    build_particle_group(g);
    for (std::int32_t n = sets.begin; n < sets.end; ++n) {
      build_near(g, n);
      sizes.push_back(near_group(n).pairs);
    }
    build_reduction(g);
    if (distributed_) build_near_out(g);
  }
  if (!own.empty()) {
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    const std::int32_t pieces = tree_->near_pieces();
    for (std::size_t n = 0; n < near_groups_.size(); ++n) {
      NearGroup& group = near_groups_[n];
      group.large =
          pieces > 0 ? static_cast<std::int32_t>(n) >= pieces : !options_.split_near || group.pairs >= *middle;
    }
  }
  take_charges(particles);
}

void Simulation::build_particle_group(std::int32_t group) {
  ParticleGroup& p = particles_[static_cast<std::size_t>(group)];
  const Range sets = tree_->near_sets_of(group);
  for (std::int32_t n = sets.begin; n < sets.end; ++n) {
    const Range leaves = tree_->leaves_of_near_set(n);
    p.own += tree_->near(static_cast<std::size_t>(n)).begin[static_cast<std::size_t>(leaves.end - leaves.begin)];
  }
  const Range leaves = tree_->leaves_of_group(group);
  for (std::int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) p.sources += tree_->sources_of(leaf);
  const bool divided = sets.end - sets.begin > 1;
  p.set = divided ? p.own + (tree_->apart() ? p.sources : 0)
                  : tree_->near(static_cast<std::size_t>(sets.begin)).begin.back();
  const Coordinates where{group, tree_->leaf_group(group).level};
  p.particles = HostBuffer<double>(static_cast<std::size_t>((3 + room_) * p.set));
  p.result = HostBuffer<double>(static_cast<std::size_t>(4 * room_ * std::max<std::int64_t>(1, p.own)));
  p.particle_data =
      Handle::vector(p.particles.data(), p.particles.size(), sizeof(double), fmt::format("particles {}", group), where);
  p.result_data =
      Handle::vector(p.result.data(), p.result.size(), sizeof(double), fmt::format("result {}", group), where);
}

/// Makes what the P2P of a near set has to know.
void Simulation::build_near(std::int32_t group, std::int32_t near_set) {
  NearGroup& p = near_group(near_set);
  const NearSet& near = tree_->near(static_cast<std::size_t>(near_set));
  const Range leaves = tree_->leaves_of_near_set(near_set);
  const Range sets = tree_->near_sets_of(group);
  p.set = near.begin.back();
  p.results = near_particles(near_set);
  p.pairs = near.pairs;
  p.layout.own_leaves = leaves.end - leaves.begin;
  p.layout.leaves = p.layout.own_leaves + static_cast<std::int32_t>(near.ghosts.size());
  std::vector<std::int32_t> packed = near.begin;
  p.layout.upper_begin = static_cast<std::int32_t>(append(packed, near.upper_begin));
  p.layout.source_begin = static_cast<std::int32_t>(append(packed, near.source_begin));
  p.layout.upper = append(packed, near.upper);
  p.layout.source = append(packed, near.source);
  const std::vector<P2PItem> items = p2p_items(near_view(p.layout, packed.data()));
  p.layout.items = static_cast<std::int32_t>(items.size());
  p.layout.item = append(packed, items);
  p.packed = pinned(packed);
  const Coordinates where{group, tree_->leaf_group(group).level};
  p.near = read_only(p.packed, fmt::format("near {}", near_set), group);
  if (sets.end - sets.begin > 1) {
    p.particles = HostBuffer<double>(static_cast<std::size_t>((3 + room_) * p.set));
    p.particle_data = Handle::vector(p.particles.data(), p.particles.size(), sizeof(double),
                                     fmt::format("near particles {}", near_set), where);
  }
  const auto doubles = static_cast<std::size_t>(4 * room_ * std::max<std::int64_t>(1, p.results));
  p.values = exchanged(doubles);
  p.result = Handle::temporary(p.values.data(), doubles, sizeof(double), fmt::format("P2P {}", near_set), where);
}

/// Which particles of which near sets the reduction of a group adds.
void Simulation::build_reduction(std::int32_t group) {
  ParticleGroup& p = particles_[static_cast<std::size_t>(group)];
  std::vector<ReductionSet> sets;
  std::vector<ReductionPart> parts;
  const auto begin_set = [&](std::int32_t near_set) {
    p.contributors.push_back(near_set);
    sets.push_back({near_particles(near_set), static_cast<std::int32_t>(parts.size())});
  };
  const auto add = [&](const Contribution& part) {
    parts.push_back({static_cast<std::int32_t>(sets.size()) - 1, part.from, part.to, part.count});
    p.added += part.count;
  };
  if (const Range own = tree_->near_sets_of(group); own.end - own.begin == 1) {
    begin_set(own.begin);
    add({0, 0, static_cast<std::int32_t>(p.own)});
  }
  for (const Contributor& c : tree_->contributors(static_cast<std::size_t>(group))) {
    begin_set(c.near_set);
    for (const Contribution& part : c.parts) add(part);
  }
  p.parts = pack_reduction(std::move(sets), parts);
  p.reduction_count = static_cast<std::int32_t>(parts.size());
  p.reduction_parts = read_only(p.parts, fmt::format("parts {}", group), group);
}

/// Fills in the places and `vectors` vectors of charges: of as many particles, or of sources, which come first.
void Simulation::fill_particles(const Particles& particles, std::span<const double> charges, int vectors) {
  vectors_ = vectors;
  if (simulated) return;
  Particles brought;
  if (distributed_) brought = exchange_->bring(particles);
  const Particles& all = distributed_ ? brought : particles;
  // the i-th place in the order of the tree, or among the particles brought
  const auto at = [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    return distributed_ ? place : std::size_t{tree_->order()[place]};
  };
  if (distributed_) charges = all.charge;
  const std::size_t charged = charges.size() / as_size(vectors);
  const auto charge_of = [&](std::size_t particle, int vector) {
    return particle < charged ? charges[as_size(vector) * charged + particle] : 0.0;
  };
  const std::size_t particles_here = distributed_ ? exchange_->own() : particles.size();
  charge_.resize(particles_here * as_size(vectors));
  for (int v = 0; v < vectors; ++v)
#pragma omp parallel for schedule(static)
    for (std::size_t s = 0; s < particles_here; ++s)
      charge_[as_size(v) * particles_here + s] = charge_of(at(static_cast<std::int64_t>(s)), v);
  const Range own = tree_->own_leaf_groups();
  if (own.empty()) return;
  const std::span<ParticleGroup> mine = own_particles();
  const Range sets{tree_->near_sets_of(own.begin).begin, tree_->near_sets_of(own.end - 1).end};
  const auto for_data = [&](const auto& apply) {
    for (ParticleGroup& p : mine) apply(p.particle_data);
    for (std::int32_t n = sets.begin; n < sets.end; ++n)
      if (near_group(n).particle_data) apply(near_group(n).particle_data);
  };
  for_data([](Handle& data) { starpu_data_acquire(data, STARPU_W); });
  const Pause pause;  // the cores are OpenMP's
  const double width = tree_->box().width;
  // the particles of leaves, then of other leaves, as four arrays of `set` values; or the targets, then the sources
  const auto fill = [&](double* x, std::int64_t set, const Range& leaves, const NearSet& near) {
    std::int64_t next = 0;
    const auto take = [&](std::int32_t leaf, const Displacement& image, bool targets) {
      const auto i = static_cast<std::size_t>(leaf);
      std::int64_t first = distributed_ ? exchange_->first_of(leaf) : tree_->leaf_begin()[i];
      if (targets && tree_->apart()) first += tree_->sources_of(leaf);
      const std::int64_t count = targets ? tree_->targets_of(leaf) : tree_->sources_of(leaf);
      for (std::int64_t s = first; s < first + count; ++s, ++next) {
        const std::size_t from = at(s);
        x[next] = all.x[from] + image.x * width;
        x[set + next] = all.y[from] + image.y * width;
        x[2 * set + next] = all.z[from] + image.z * width;
        for (int v = 0; v < vectors; ++v) x[(3 + v) * set + next] = charge_of(from, v);
      }
    };
    for (std::int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) take(leaf, image_of(0), true);
    for (std::size_t i = 0; i < near.ghosts.size(); ++i)
      take(near.ghosts[i], image_of(near.image.empty() ? 0 : near.image[i]), false);
  };
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t n = sets.begin; n < sets.end; ++n) {
    NearGroup& near = near_group(n);
    const Range leaves = tree_->leaves_of_near_set(n);
    double* const x = near.particle_data
                          ? near.particles.data()
                          : particles_[static_cast<std::size_t>(tree_->group_of_leaf(leaves.begin))].particles.data();
    fill(x, near.set, leaves, tree_->near(static_cast<std::size_t>(n)));
  }
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t g = own.begin; g < own.end; ++g) {
    ParticleGroup& p = particles_[static_cast<std::size_t>(g)];
    if (const Range near = tree_->near_sets_of(g); near.end - near.begin > 1) {
      const Range leaves = tree_->leaves_of_group(g);
      NearSet own;
      for (std::int32_t leaf = leaves.begin; leaf < leaves.end && tree_->apart(); ++leaf) own.ghosts.push_back(leaf);
      fill(p.particles.data(), p.set, leaves, own);
    }
  }
  for_data([](Handle& data) { starpu_data_release(data); });
}

std::span<ParticleGroup> Simulation::own_particles() {
  const Range own = tree_->own_leaf_groups();
  return std::span(particles_)
      .subspan(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.end - own.begin));
}

}  // namespace asterism::fmm
