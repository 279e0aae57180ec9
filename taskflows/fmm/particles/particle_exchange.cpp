// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/particles/particle_exchange.hpp"

#include <algorithm>

#include "base/as_size.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {
namespace {

struct Point {
  double x, y, z, charge;
};
struct Values {
  double potential, fx, fy, fz;
};

void put(const Point& point, Particles& particles, std::size_t to) {
  particles.x[to] = point.x;
  particles.y[to] = point.y;
  particles.z[to] = point.z;
  particles.charge[to] = point.charge;
}

Point get(const Particles& particles, std::size_t from) {
  return {particles.x[from], particles.y[from], particles.z[from], particles.charge[from]};
}

}  // namespace

ParticleExchange::ParticleExchange(const std::vector<Keyed>& sorted, const Tree& tree) : tree_(tree) {
  const int leaf_level = tree.leaf_level();
  const Level& leaves = tree.leaves();
  leaves_ = tree.own_leaves();
  own_ = as_size(tree.leaf_begin()[as_size(leaves_.end)] - tree.leaf_begin()[as_size(leaves_.begin)]);
  index_.reserve(sorted.size());
  for (const Keyed& particle : sorted) index_.push_back(particle.index);
  const std::vector<Group>& groups = leaves.groups;
  for (int rank = 0; rank < tree.ranks(); ++rank) {
    const std::int32_t first = tree.groups_of(leaf_level, rank).begin;
    if (first == static_cast<std::int32_t>(groups.size())) {  // no group is left for it
      to_.push_back(sorted.size());
      continue;
    }
    const Keyed least{leaves.key[as_size(groups[as_size(first)].first)], 0};
    to_.push_back(as_size(std::lower_bound(sorted.begin(), sorted.end(), least) - sorted.begin()));
  }
  to_.push_back(sorted.size());
  auto next = static_cast<std::int64_t>(own_);
  for (const std::int32_t ghost : tree.foreign_ghosts()) {
    ghost_begin_.push_back(next);
    next += tree.leaf_begin()[as_size(ghost) + 1] - tree.leaf_begin()[as_size(ghost)];
  }
  ghost_begin_.push_back(next);
}

std::int64_t ParticleExchange::first_of(std::int32_t leaf) const {
  if (leaves_.holds(leaf)) return tree_.leaf_begin()[as_size(leaf)] - tree_.leaf_begin()[as_size(leaves_.begin)];
  const std::vector<std::int32_t>& ghosts = tree_.foreign_ghosts();
  return ghost_begin_[as_size(std::lower_bound(ghosts.begin(), ghosts.end(), leaf) - ghosts.begin())];
}

Particles ParticleExchange::bring(const Particles& part) {
  const auto ranks = static_cast<std::size_t>(tree_.ranks());
  std::vector<std::vector<Point>> to(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::size_t i = to_[rank]; i < to_[rank + 1]; ++i) to[rank].push_back(get(part, index_[i]));
  std::vector<std::vector<Point>> from = rank_group().exchange(std::move(to));

  // what a rank sends is in the order of the tree: the next place of each leaf follows from the parts before
  Particles brought(as_size(ghost_begin_.back()));
  std::vector<std::int64_t> next;
  for (std::int32_t leaf = leaves_.begin; leaf < leaves_.end; ++leaf) next.push_back(first_of(leaf));
  places_.assign(ranks, {});
  const auto& keys = tree_.leaves().key;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::size_t leaf = 0;
    for (const Point& point : from[rank]) {
      const std::uint64_t key = key_of(tree_.box(), tree_.leaf_level(), point.x, point.y, point.z);
      while (keys[as_size(leaves_.begin) + leaf] != key) ++leaf;
      const std::int64_t place = next[leaf]++;
      put(point, brought, as_size(place));
      places_[rank].push_back(static_cast<std::uint32_t>(place));
    }
    std::vector<Point>().swap(from[rank]);
  }

  std::vector<std::vector<Point>> ghosts(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const std::int32_t leaf : tree_.ghosts_of(static_cast<int>(rank))) {
      const std::int64_t count = tree_.leaf_begin()[as_size(leaf) + 1] - tree_.leaf_begin()[as_size(leaf)];
      for (std::int64_t i = 0; i < count; ++i) ghosts[rank].push_back(get(brought, as_size(first_of(leaf) + i)));
    }
  // ghosts are in the order of leaves, and so are ranks
  std::size_t place = own_;
  for (const std::vector<Point>& part_of_rank : rank_group().exchange(std::move(ghosts)))
    for (const Point& point : part_of_rank) put(point, brought, place++);
  return brought;
}

void ParticleExchange::give_back(const Result& own, Result& part) const {
  std::vector<std::vector<Values>> to(places_.size());
  for (std::size_t rank = 0; rank < places_.size(); ++rank)
    for (const std::uint32_t i : places_[rank]) to[rank].push_back({own.potential[i], own.fx[i], own.fy[i], own.fz[i]});
  const std::vector<std::vector<Values>> from = rank_group().exchange(std::move(to));
  for (std::size_t rank = 0; rank < from.size(); ++rank)
    for (std::size_t i = 0; i < from[rank].size(); ++i) {
      const std::uint32_t index = index_[to_[rank] + i];
      const Values& values = from[rank][i];
      part.potential[index] = values.potential;
      part.fx[index] = values.fx;
      part.fy[index] = values.fy;
      part.fz[index] = values.fz;
    }
}

}  // namespace asterism::fmm
