#include "taskflows/fmm/system.hpp"

#include <starpu.h>

#include <algorithm>
#include <cmath>

#include "codelets/fmm/flops.hpp"
#include "taskflows/runtime/clock.hpp"
#include "taskflows/runtime/error.hpp"
#include "taskflows/runtime/session.hpp"
#include "taskflows/runtime/simulation.hpp"

namespace asterism::fmm {
namespace {

template <class T>
std::int64_t append(std::vector<std::int32_t>& packed, const std::vector<T>& items, std::size_t align = 1) {
  static_assert(sizeof(T) % sizeof(std::int32_t) == 0);
  packed.resize((packed.size() + align - 1) / align * align);
  const auto at = static_cast<std::int64_t>(packed.size());
  packed.resize(packed.size() + items.size() * (sizeof(T) / sizeof(std::int32_t)));
  std::copy_n(reinterpret_cast<const std::int32_t*>(items.data()), items.size() * (sizeof(T) / sizeof(std::int32_t)),
              packed.begin() + at);
  return at;
}

/// In memory that GPUs copy from at full speed. Only kernels read it: simulated ones do not.
template <class T>
HostBuffer<T> pinned(const std::vector<T>& items) {
  HostBuffer<T> buffer(items.size());
  if (!simulated) std::copy(items.begin(), items.end(), buffer.data());
  return buffer;
}

/// Pinned memory for data that CPUs and GPUs hand to each other: StarPU would allocate it in the middle of the first
/// evaluations, where each allocation stops the GPUs. None where one kind of unit does everything.
HostBuffer<double> exchanged(std::size_t doubles) {
  const bool both = starpu_cpu_worker_get_count() > 0 && starpu_cuda_worker_get_count() > 0;
  return HostBuffer<double>(both ? doubles : 0);
}

Handle read_only(const HostBuffer<std::int32_t>& packed, const std::string& name, int group) {
  return Handle::vector(packed.data(), packed.size(), sizeof(std::int32_t), name, Coordinates{group, 0});
}

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

System::System(const Interaction& interaction, const Options& options, const Particles& particles)
    : interaction_(interaction), options_(options), basis_(options.accuracy.basis) {
  {
    const Pause pause;
    tree_ = std::make_unique<Tree>(particles.x, particles.y, particles.z,
                                   bounding_box(particles.x, particles.y, particles.z), options.shape);
  }
  check_memory(particles.size());
  build_operators();
  build_cells();
  build_particles(particles);
}

System::~System() = default;

void System::build_operators() {
  if (!tree_->has_far_field()) return;
  const int nodes = interpolation_nodes(options_.accuracy.basis);
  const int last = interaction_.homogeneous ? Tree::first_far_level : tree_->leaf_level();
  for (int l = Tree::first_far_level; l <= last; ++l) {
    const double half_width = interaction_.homogeneous ? 1.0 : tree_->grid(l).width / 2;
    const Pause pause;
    operators_.push_back(
        std::make_unique<M2LOperators>(basis_, nodes, interaction_.radial, half_width, options_.accuracy.epsilon));
    auto packed = std::make_unique<PackedOperators>();
    std::vector<double> values;
    packed->layout = pack_operators(basis_, *operators_.back(), values);
    packed->packed = pinned(values);
    packed->handle = Handle::vector(packed->packed.data(), packed->packed.size(), sizeof(double), "operators");
    packed_.push_back(std::move(packed));
  }
}

const System::PackedOperators& System::operators_of(int level) const {
  return *packed_[interaction_.homogeneous ? 0 : static_cast<std::size_t>(level - Tree::first_far_level)];
}

double System::scale_of(int level) const {
  return interaction_.homogeneous ? std::pow(tree_->grid(level).width / 2, interaction_.degree) : 1.0;
}

void System::check_memory(std::size_t particles) const {
  double bytes = 0;
  for (int l = Tree::first_far_level; l <= tree_->leaf_level(); ++l)
    bytes += static_cast<double>(tree_->level(l).key.size()) * 2 * basis_.stride() * sizeof(double);
  bytes += 2 * static_cast<double>(tree_->far_pairs()) * sizeof(M2LPair);
  double set = 0;
  for (std::size_t g = 0; g < tree_->leaves().groups.size(); ++g) set += tree_->near(g).begin.back();
  bytes += 64 * set + 32 * static_cast<double>(particles);
  const double memory = this_machine().memory_bytes;
  if (memory > 0 && bytes > 0.95 * memory)
    bad_input(
        "{} particles with height {} and {} coefficients per cell need {:.1f} GB, this machine has {:.1f} GB (fewer "
        "levels or a lower accuracy need less)",
        particles, tree_->shape().height, basis_.size(), bytes * 1e-9, memory * 1e-9);
}

void System::build_cells() {
  cells_.clear();
  cells_.resize(static_cast<std::size_t>(tree_->shape().height));
  if (!tree_->has_far_field()) return;
  for (int l = Tree::first_far_level; l <= tree_->leaf_level(); ++l) {
    const Level& level = tree_->level(l);
    auto& groups = cells_[static_cast<std::size_t>(l)];
    groups.resize(level.groups.size());
    const M2LOperators& operators =
        *operators_[interaction_.homogeneous ? 0 : static_cast<std::size_t>(l - Tree::first_far_level)];
    for (std::size_t g = 0; g < groups.size(); ++g) {
      CellGroup& group = groups[g];
      const auto cells = static_cast<std::size_t>(level.groups[g].cells);
      group.layout.cells = level.groups[g].cells;
      for (const M2LTask& task : level.far[g])
        group.lists.push_back(pack_list(task, level.rank[g], operators, basis_.size()));
      for (std::size_t i = 0; i < group.lists.size(); ++i)
        group.lists[i].handle =
            read_only(group.lists[i].packed, fmt::format("M2L {} {} {}", l, g, i), static_cast<int>(g));
      const std::string place = fmt::format("{} {}", l, g);
      const std::size_t doubles = cells * static_cast<std::size_t>(basis_.stride());
      const Coordinates where{static_cast<int>(g), l};
      group.expansions = exchanged(2 * doubles);
      double* const first = group.expansions.data();
      double* const second = first == nullptr ? nullptr : first + doubles;
      group.multipoles = Handle::temporary(first, doubles, sizeof(double), "M " + place, where);
      group.locals = Handle::temporary(second, doubles, sizeof(double), "L " + place, where);
    }
  }
}

void System::build_particles(const Particles& particles) {
  const Level& leaves = tree_->leaves();
  const auto leaf = static_cast<std::size_t>(tree_->leaf_level());
  particles_.clear();
  particles_.resize(leaves.groups.size());
  for (int l = Tree::first_far_level; l <= tree_->leaf_level(); ++l) {
    const Level& level = tree_->level(l);
    for (std::size_t g = 0; g < level.groups.size(); ++g) {
      CellGroup& group = cells_[static_cast<std::size_t>(l)][g];
      group.cells = Handle();
      std::vector<std::int32_t> packed;
      const auto first = static_cast<std::size_t>(level.groups[g].first);
      const auto cells = static_cast<std::size_t>(level.groups[g].cells);
      append(packed, std::vector<CellIndex>(level.index.begin() + static_cast<std::ptrdiff_t>(first),
                                            level.index.begin() + static_cast<std::ptrdiff_t>(first + cells)));
      if (static_cast<std::size_t>(l) == leaf) {
        std::vector<std::int32_t> begin(tree_->near(g).begin.begin(),
                                        tree_->near(g).begin.begin() + static_cast<std::ptrdiff_t>(cells) + 1);
        group.layout.begin = static_cast<std::int32_t>(append(packed, begin));
      }
      if (!level.families.empty()) group.layout.families = static_cast<std::int32_t>(append(packed, level.families[g]));
      group.packed = pinned(packed);
      group.cells = read_only(group.packed, fmt::format("cells {} {}", l, g), static_cast<int>(g));
    }
  }
  std::vector<std::int64_t> sizes;
  for (std::size_t g = 0; g < particles_.size(); ++g) {
    ParticleGroup& p = particles_[g];
    const NearSet& near = tree_->near(g);
    const std::int32_t own_leaves = leaves.groups[g].cells;
    p.own = near.begin[static_cast<std::size_t>(own_leaves)];
    p.set = near.begin.back();
    p.pairs = near.pairs;
    sizes.push_back(p.pairs);
    p.near_layout.own_leaves = own_leaves;
    p.near_layout.leaves = own_leaves + static_cast<std::int32_t>(near.ghosts.size());
    std::vector<std::int32_t> near_packed = near.begin;
    p.near_layout.upper_begin = static_cast<std::int32_t>(append(near_packed, near.upper_begin));
    p.near_layout.source_begin = static_cast<std::int32_t>(append(near_packed, near.source_begin));
    p.near_layout.upper = append(near_packed, near.upper);
    p.near_layout.source = append(near_packed, near.source);
    p.near_packed = pinned(near_packed);

    std::vector<ReductionSet> sets{{static_cast<std::int32_t>(p.set), 0}};
    std::vector<ReductionPart> parts{{0, 0, 0, static_cast<std::int32_t>(p.own)}};
    p.contributors.clear();
    for (const Contributor& c : tree_->contributors(g)) {
      p.contributors.push_back(c.group);
      sets.push_back(
          {tree_->near(static_cast<std::size_t>(c.group)).begin.back(), static_cast<std::int32_t>(parts.size())});
      for (const Contribution& part : c.parts)
        parts.push_back({static_cast<std::int32_t>(sets.size()) - 1, part.from, part.to, part.count});
    }
    sets.push_back({0, static_cast<std::int32_t>(parts.size())});
    std::vector<std::int32_t> packed_parts;
    append(packed_parts, sets);
    append(packed_parts, parts);
    p.parts = pinned(packed_parts);
    p.reduction_count = static_cast<std::int32_t>(parts.size());

    const int group = static_cast<int>(g);
    const Coordinates where{group, static_cast<int>(leaf)};
    p.near = read_only(p.near_packed, fmt::format("near {}", g), group);
    p.reduction_parts = read_only(p.parts, fmt::format("parts {}", g), group);
    p.particles = HostBuffer<double>(static_cast<std::size_t>(4 * p.set));
    p.result = HostBuffer<double>(static_cast<std::size_t>(4 * p.own));
    p.particle_data =
        Handle::vector(p.particles.data(), p.particles.size(), sizeof(double), fmt::format("particles {}", g), where);
    p.near_parts = exchanged(p.particles.size());
    p.near_result =
        Handle::temporary(p.near_parts.data(), p.particles.size(), sizeof(double), fmt::format("P2P {}", g), where);
    p.result_data =
        Handle::vector(p.result.data(), p.result.size(), sizeof(double), fmt::format("result {}", g), where);
  }
  std::vector<std::int64_t> sorted = sizes;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const std::int64_t median = sorted[sorted.size() / 2];
  for (std::size_t g = 0; g < particles_.size(); ++g) particles_[g].large = !options_.split_near || sizes[g] >= median;
  fill_particles(particles);
}

void System::fill_particles(const Particles& particles) {
  if (simulated) return;
  const Array<std::uint32_t>& order = tree_->order();
  charge_.resize(order.size());
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < order.size(); ++s) charge_[s] = particles.charge[order[s]];
  const std::vector<Group>& groups = tree_->leaves().groups;
  for (ParticleGroup& p : particles_) starpu_data_acquire(p.particle_data, STARPU_W);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t g = 0; g < particles_.size(); ++g) {
    ParticleGroup& p = particles_[g];
    double* const x = p.particles.data();
    std::int64_t next = 0;
    const auto take = [&](std::int32_t leaf) {
      const auto i = static_cast<std::size_t>(leaf);
      for (std::int64_t s = tree_->leaf_begin()[i]; s < tree_->leaf_begin()[i + 1]; ++s, ++next) {
        const std::uint32_t from = order[static_cast<std::size_t>(s)];
        x[next] = particles.x[from];
        x[p.set + next] = particles.y[from];
        x[2 * p.set + next] = particles.z[from];
        x[3 * p.set + next] = particles.charge[from];
      }
    };
    for (std::int32_t c = 0; c < groups[g].cells; ++c) take(groups[g].first + c);
    for (const std::int32_t ghost : tree_->near(g).ghosts) take(ghost);
  }
  for (ParticleGroup& p : particles_) starpu_data_release(p.particle_data);
}

double System::evaluate() {
  const auto begin = Clock::now();
  submit();
  starpu_task_wait_for_all();
  for (ParticleGroup& p : particles_) {  // results may still be on their way
    starpu_data_acquire(p.result_data, STARPU_R);
    starpu_data_release(p.result_data);
  }
  return seconds_since(begin);
}

void System::move(const Particles& particles) {
  const Box& box = tree_->box();
  const auto outside = [&](std::size_t i) {
    const auto beyond = [&](double at, double corner) { return at < corner || at >= corner + box.width; };
    return beyond(particles.x[i], box.x) || beyond(particles.y[i], box.y) || beyond(particles.z[i], box.z);
  };
  bool escaped = false;
#pragma omp parallel for schedule(static) reduction(|| : escaped)
  for (std::size_t i = 0; i < particles.size(); ++i) escaped = escaped || outside(i);
  Change change = Change::cells;
  if (escaped) {
    const Pause pause;
    // room to move for the next steps
    Box larger = bounding_box(particles.x, particles.y, particles.z);
    constexpr double slack = 0.02;
    larger = {larger.x - slack * larger.width, larger.y - slack * larger.width, larger.z - slack * larger.width,
              larger.width * (1 + 2 * slack)};
    tree_ = std::make_unique<Tree>(particles.x, particles.y, particles.z, larger, options_.shape);
  } else {
    const Pause pause;
    change = tree_->update(particles.x, particles.y, particles.z);
  }
  if (change == Change::none) return fill_particles(particles);
  particles_.clear();
  if (change == Change::cells) {
    check_memory(particles.size());
    cells_.clear();
    if (escaped && !interaction_.homogeneous) {
      packed_.clear();
      operators_.clear();
    }
    if (operators_.empty()) build_operators();
    build_cells();
  }
  build_particles(particles);
}

void System::collect(Result& result) const {
  const Array<std::uint32_t>& order = tree_->order();
  const std::vector<Group>& groups = tree_->leaves().groups;
  for (const ParticleGroup& p : particles_) starpu_data_acquire(p.result_data, STARPU_R);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t g = 0; g < particles_.size(); ++g) {
    const ParticleGroup& p = particles_[g];
    const auto first = static_cast<std::size_t>(tree_->leaf_begin()[static_cast<std::size_t>(groups[g].first)]);
    const double* r = p.result.data();
    for (std::int64_t i = 0; i < p.own; ++i) {
      const std::size_t s = first + static_cast<std::size_t>(i);
      const std::uint32_t to = order[s];
      result.potential[to] = r[i];
      result.fx[to] = charge_[s] * r[p.own + i];
      result.fy[to] = charge_[s] * r[2 * p.own + i];
      result.fz[to] = charge_[s] * r[3 * p.own + i];
    }
  }
  for (const ParticleGroup& p : particles_) starpu_data_release(p.result_data);
}

WorkSummary System::work() const {
  WorkSummary w;
  const BasisView basis = basis_.view();
  const double particles = static_cast<double>(tree_->order().size());
  w.near_pairs = tree_->near_pairs();
  w.far_pairs = tree_->far_pairs();
  w.p2p = static_cast<double>(w.near_pairs) * interaction_.flops_per_pair;
  if (!tree_->has_far_field()) return w;
  w.p2m = particles * p2m_flops(basis);
  w.l2p = particles * l2p_flops(basis);
  for (int l = Tree::first_far_level; l <= tree_->leaf_level(); ++l) {
    if (l > Tree::first_far_level) {
      const double shifted = static_cast<double>(tree_->level(l).key.size()) * shift_flops(basis) / 8;
      w.m2m += shifted;
      w.l2l += shifted;
    }
    for (const CellGroup& group : cells_[static_cast<std::size_t>(l)])
      for (const ListData& list : group.lists) w.m2l += list.flops;
  }
  return w;
}

}  // namespace asterism::fmm
