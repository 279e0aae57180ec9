// SPDX-License-Identifier: Apache-2.0
// What ranks send each other: the data of messages, with the tags by which both ends know them.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/groups/packed.hpp"
#include "taskflows/fmm/simulation.hpp"

namespace asterism::fmm {

Handle Simulation::shared(Handle handle, int owner, std::int64_t tag) const {
  return distributed_ ? std::move(handle).shared(owner, tag) : std::move(handle);
}

std::int64_t Simulation::tag_of(int level, std::int32_t group, CellData data) const {
  if (!distributed_) return 0;
  return cell_tags_[static_cast<std::size_t>(level)] + 2 * std::int64_t{group} + (data == CellData::locals ? 1 : 0);
}

void Simulation::find_cell_messages() {
  messages_.assign(static_cast<std::size_t>(tree_->shape().height), {});
  cell_tags_.assign(messages_.size(), 0);
  for (int l = tree_->top_level(); l <= tree_->leaf_level(); ++l) {
    messages_[static_cast<std::size_t>(l)] = cell_messages(*tree_, l);
    cell_tags_[static_cast<std::size_t>(l)] =
        rank_group().allocate_tags(2 * static_cast<std::int64_t>(tree_->level(l).groups.size()));
  }
}

/// Makes the data that groups of other ranks send for leaves here.
void Simulation::build_near_in() {
  const int leaf = tree_->leaf_level();
  near_tags_ = rank_group().allocate_tags(static_cast<std::int64_t>(tree_->leaves().groups.size()) * tree_->ranks());
  for (const NearIn& in : tree_->near_in()) {
    NearMessage message;
    message.rank = tree_->owner(leaf, in.group);
    message.particles = in.particles;
    const std::size_t doubles = 4 * static_cast<std::size_t>(in.particles);
    message.values = exchanged(doubles);
    message.data = shared(Handle::temporary(message.values.data(), doubles, sizeof(double),
                                            fmt::format("P2P {} for {}", in.group, rank_group().rank())),
                          message.rank, near_tags_ + std::int64_t{in.group} * tree_->ranks() + rank_group().rank());
    near_in_.push_back(std::move(message));
  }
}

/// Makes the data that a group here sends for leaves of other ranks.
void Simulation::build_near_out(std::int32_t group) {
  ParticleGroup& p = particles(group);
  for (const NearOut& out : tree_->near_out(static_cast<std::size_t>(group))) {
    NearMessage message;
    message.rank = out.rank;
    message.particles = out.count;
    std::vector<ReductionPart> parts;
    std::int32_t to = 0;
    for (const NearOut::Part& part : out.parts) {
      parts.push_back({0, part.first, to, part.count});
      to += part.count;
    }
    message.packed_parts = static_cast<std::int32_t>(parts.size());
    message.parts = pack_reduction({{near_particles(group), 0}}, parts);
    message.packing = read_only(message.parts, fmt::format("packing {} for {}", group, out.rank), group);
    const std::size_t doubles = 4 * static_cast<std::size_t>(out.count);
    message.values = exchanged(doubles);
    message.data = shared(
        Handle::temporary(message.values.data(), doubles, sizeof(double), fmt::format("P2P {} for {}", group, out.rank),
                          Coordinates{group, tree_->leaf_level()}),
        rank_group().rank(), near_tags_ + std::int64_t{group} * tree_->ranks() + out.rank);
    p.near_out.push_back(std::move(message));
  }
}

const NearMessage& Simulation::near_in(std::int32_t group) const {
  const std::vector<NearIn>& all = tree_->near_in();
  const auto at = std::lower_bound(all.begin(), all.end(), group,
                                   [](const NearIn& in, std::int32_t wanted) { return in.group < wanted; });
  return near_in_[static_cast<std::size_t>(at - all.begin())];
}

// With several ranks, a group and its near set have the same number.
std::int32_t Simulation::near_particles(std::int32_t near_set) const {
  const bool own = !distributed_ || tree_->own_leaf_groups().holds(near_set);
  if (!own) return near_in(near_set).particles;
  const NearSet& near = tree_->near(static_cast<std::size_t>(near_set));
  const Range leaves = tree_->leaves_of_near_set(near_set);
  return tree_->apart() ? near.begin[static_cast<std::size_t>(leaves.end - leaves.begin)] : near.begin.back();
}

starpu_data_handle_t Simulation::near_values(std::int32_t near_set) const {
  const bool own = !distributed_ || tree_->own_leaf_groups().holds(near_set);
  return own ? near_groups_[static_cast<std::size_t>(near_set)].result : near_in(near_set).data;
}

}  // namespace asterism::fmm
