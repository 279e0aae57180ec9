// A system over several ranks: who gets which groups, and the messages of an evaluation. Each of them is walked once by
// each of its two ends: a task's other accesses and the rest of the graph are no matter there.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/packed.hpp"
#include "taskflows/fmm/system.hpp"

namespace asterism::fmm {
namespace {

/// The particles of this rank's part in the order of leaves, and the leaves of all parts.
struct SharedLeaves {
  std::vector<Keyed> sorted;
  Leaves leaves;
  Range looked_after;  ///< those that this rank sorted
};

SharedLeaves share_leaves(const Box& box, int leaf_level, const Particles& part) {
  if (part.size() > UINT32_MAX) bad_input("{} particles: expected at most {} per process", part.size(), UINT32_MAX);
  SharedLeaves shared;
  shared.sorted = sort_by_cell(box, leaf_level, part.x, part.y, part.z);
  const std::vector<LeafCount> mine = sort_over_ranks(count_leaves(shared.sorted));
  for (int rank = 0; const std::size_t leaves : rank_group().all_gather(mine.size())) {
    if (rank < rank_group().rank()) shared.looked_after.begin += static_cast<std::int32_t>(leaves);
    ++rank;
  }
  shared.looked_after.end = shared.looked_after.begin + static_cast<std::int32_t>(mine.size());
  shared.leaves = leaves_of(intervals_of_all(mine));
  return shared;
}

/// A datum of another rank that writes it anew: copies here are of the past.
void expect(const Handle& handle, int writer) {
  exchange_for_task(std::array{Access{handle, STARPU_W}}, writer, 0);
}

/// An own datum, as it is then, to a rank that reads it.
void send(const Handle& handle, int reader, int priority) {
  exchange_for_task(std::array{Access{handle, STARPU_R}}, reader, priority);
}

}  // namespace

PairCosts System::pair_costs() const {
  if (options_.pair_seconds) return *options_.pair_seconds;
  if (operators_.empty()) return {1, 0};
  return {interaction_.flops_per_pair, m2l_flops(basis_.size(), operators().mean_rank())};
}

void System::share_tree(const Box& box, const Particles& particles) {
  const TreeShape& shape = options_.shape;
  SharedLeaves shared = share_leaves(box, shape.height - 1, particles);
  const std::vector<double> costs =
      costs_of_groups(shared.leaves, shape.height, shape.group_size, shared.looked_after, options_.share, pair_costs());
  tree_ = std::make_unique<Tree>(std::move(shared.leaves), box, shape, cut(costs, rank_group().ranks()),
                                 rank_group().rank());
  exchange_ = std::make_unique<ParticleExchange>(shared.sorted, *tree_);
}

Change System::update_shared_tree(const Particles& particles) {
  const SharedLeaves shared = share_leaves(tree_->box(), tree_->leaf_level(), particles);
  if (shared.leaves.key != tree_->leaves().key) {
    share_tree(Box(tree_->box()), particles);
    return Change::cells;
  }
  tree_->update(shared.leaves.begin);
  exchange_ = std::make_unique<ParticleExchange>(shared.sorted, *tree_);
  return Change::particles;
}

Handle System::shared(Handle handle, int owner, std::int64_t tag) const {
  return shared_ ? std::move(handle).shared(owner, tag) : std::move(handle);
}

std::int64_t System::tag_of(int level, std::int32_t group, CellData data) const {
  if (!shared_) return 0;
  return cell_tags_[static_cast<std::size_t>(level)] + 2 * std::int64_t{group} + (data == CellData::locals ? 1 : 0);
}

void System::find_cell_messages() {
  messages_.assign(static_cast<std::size_t>(tree_->shape().height), {});
  cell_tags_.assign(messages_.size(), 0);
  for (int l = Tree::first_far_level; l <= tree_->leaf_level(); ++l) {
    messages_[static_cast<std::size_t>(l)] = cell_messages(*tree_, l);
    cell_tags_[static_cast<std::size_t>(l)] =
        rank_group().allocate_tags(2 * static_cast<std::int64_t>(tree_->level(l).groups.size()));
  }
}

/// What groups of lower ranks send for leaves here.
void System::build_near_in() {
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

/// What a group here sends for leaves of higher ranks.
void System::build_near_out(std::int32_t group) {
  ParticleGroup& p = particles(group);
  for (const NearOut& out : tree_->near_out(static_cast<std::size_t>(group))) {
    NearMessage message;
    message.rank = out.rank;
    message.particles = out.count;
    message.parts = pack_reduction({{static_cast<std::int32_t>(p.set), 0}}, {{0, out.first, 0, out.count}});
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

const NearMessage& System::near_in(std::int32_t group) const {
  const std::vector<NearIn>& all = tree_->near_in();
  const auto at = std::lower_bound(all.begin(), all.end(), group,
                                   [](const NearIn& in, std::int32_t wanted) { return in.group < wanted; });
  return near_in_[static_cast<std::size_t>(at - all.begin())];
}

std::int32_t System::near_particles(std::int32_t group) const {
  const bool own = tree_->own(tree_->leaf_level()).holds(group);
  return own ? tree_->near(static_cast<std::size_t>(group)).begin.back() : near_in(group).particles;
}

starpu_data_handle_t System::near_values(std::int32_t group) const {
  const bool own = tree_->own(tree_->leaf_level()).holds(group);
  return own ? particles_[static_cast<std::size_t>(group)].near_result : near_in(group).data;
}

void System::expect_messages() {
  for (const NearMessage& message : near_in_) expect(message.data, message.rank);
  if (!shared_ || !tree_->has_far_field()) return;
  for (int l = Tree::first_far_level; l <= tree_->leaf_level(); ++l) {
    const CellMessages& messages = messages_[static_cast<std::size_t>(l)];
    for (const std::int32_t g : messages.multipoles_in) expect(cells(l, g).multipoles, tree_->owner(l, g));
    for (const std::int32_t g : messages.locals_in) expect(cells(l, g).locals, tree_->owner(l, g));
  }
}

// the part of P2P's results that belongs to leaves of other ranks
void System::send_near(std::int32_t group) {
  ParticleGroup& p = particles(group);
  const Priorities priorities{tree_->shape().height};
  for (const NearMessage& message : p.near_out) {
    const codelets::ReductionArgs args{{4.0 * message.particles, 0}, std::int64_t{message.particles}, 1, 1, 1};
    asterism::submit(codelets::reduction(), args,
                     {{message.packing, STARPU_R}, {message.data, STARPU_W}, {p.near_result, STARPU_R}},
                     {priorities.packing(), codelets::class_flops(args.work.flops)});
    ++tasks_;
    send(message.data, message.rank, priorities.packing());
  }
}

void System::send_multipoles(int level) {
  if (!shared_) return;
  for (const Reader& reader : messages_[static_cast<std::size_t>(level)].multipoles_out)
    send(cells(level, reader.group).multipoles, reader.rank, Priorities{tree_->shape().height}.m2m(level));
}

void System::send_locals(int level) {
  if (!shared_) return;
  for (const Reader& reader : messages_[static_cast<std::size_t>(level)].locals_out)
    send(cells(level, reader.group).locals, reader.rank, Priorities{tree_->shape().height}.l2l(level));
}

}  // namespace asterism::fmm
