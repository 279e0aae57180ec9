#include "taskflows/lbm/simulation.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "taskflows/lbm/simulation_codelets.hpp"
#include "taskflows/runtime/cluster.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::lbm {
namespace {

constexpr std::size_t line = 128;  // bytes; populations are a vector of lines, whose number fits StarPU's 32 bits
/// Parts in which a state goes to and from main memory.
constexpr std::int64_t slab_bytes = std::int64_t{64} << 20;
/// In a Placement.
constexpr int worker_elsewhere = -2;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Walls in the order in which they are applied: the last one owns the edges. At the edges of a lid the wall at rest
/// does, which makes driven cavities second-order accurate (if the lid did, first); at those of an outlet the other
/// wall does.
std::vector<Wall> walls_of(const Problem& problem, const Connected& connected) {
  const auto rank = [](const Wall& w) {
    if (w.kind == Wall::Kind::pressure) return 0;
    return w.u[0] == 0 && w.u[1] == 0 && w.u[2] == 0 ? 2 : 1;
  };
  std::vector<Wall> walls;
  for (int face = 0; face < faces; ++face) {
    if (connected[at(face)]) continue;
    walls.push_back(problem.face[at(face)].wall);
    walls.back().face = face;
  }
  std::stable_sort(walls.begin(), walls.end(), [&](const Wall& a, const Wall& b) { return rank(a) < rank(b); });
  return walls;
}

/// The cell at +-1 beyond a face of the domain; -1 beyond a wall.
int wrapped(const Problem& problem, int axis, int i) {
  const int n = problem.cells[at(axis)];
  if (i >= 0 && i < n) return i;
  if (!problem.face[at(2 * axis)].periodic) return -1;
  return (i + n) % n;
}

/// The same unit, or the same GPU.
bool next_to_each_other(int worker, int other) {
  if (worker == other) return true;
  return worker >= 0 && other >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER &&
         starpu_worker_get_memory_node(static_cast<unsigned>(worker)) ==
             starpu_worker_get_memory_node(static_cast<unsigned>(other));
}

}  // namespace

Placement place(const std::vector<BrickPlace>& bricks, const Session& session) {
  std::vector<int> cores;
  std::map<int, std::vector<int>> workers;  // of each device
  for (const Unit& unit : session.units()) (unit.gpu ? workers[unit.device] : cores).push_back(unit.worker);
  std::vector<std::vector<int>> gpus;
  for (const auto& [device, of_device] : workers) gpus.push_back(of_device);
  const auto is_here = [](const BrickPlace& b) { return !b.rank || *b.rank == cluster().rank(); };
  int first = std::numeric_limits<int>::max();  // sub-domain of this rank
  int last = 0;
  for (const BrickPlace& brick : bricks) {
    if (!is_here(brick)) continue;
    first = std::min(first, brick.subdomain);
    last = std::max(last, brick.subdomain);
  }
  Placement placement;
  std::size_t next_core = 0;
  std::vector<std::size_t> next_worker(gpus.size());
  for (const BrickPlace& brick : bricks) {
    if (!is_here(brick)) {
      placement.push_back(worker_elsewhere);
      continue;
    }
    const bool on_gpu = brick.core < 0;
    if (on_gpu ? gpus.empty() : cores.empty())
      bad_input("a part of the domain is for {}, of which this session has none", on_gpu ? "GPUs" : "CPUs");
    const std::size_t gpu = on_gpu ? at(brick.subdomain - first) * gpus.size() / at(last - first + 1) : 0;
    const std::size_t turn = on_gpu ? next_worker[gpu]++ : next_core++;
    const std::vector<int>& units = on_gpu ? gpus[gpu] : cores;
    placement.push_back(units[turn % units.size()]);
  }
  return placement;
}

Simulation::Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement)
    : problem_(problem), element_(problem.single_precision ? 4 : 8) {
  codelets_ = std::make_unique<Codelets>(
      problem.single_precision
          ? Codelets{codelets::advance<float>(), codelets::forward<float>(), codelets::complete<float>(),
                     codelets::observe<float>(), codelets::total<float>(), codelets::store<float>(),
                     codelets::load<float>()}
          : Codelets{codelets::advance<double>(), codelets::forward<double>(), codelets::complete<double>(),
                     codelets::observe<double>(), codelets::total<double>(), codelets::store<double>(),
                     codelets::load<double>()});
  for (int axis = 0; axis < 3; ++axis)
    if (std::any_of(bricks.begin(), bricks.end(),
                    [&](const BrickPlace& b) { return b.neighbour[at(2 * axis)] || b.neighbour[at(2 * axis + 1)]; }))
      axes_.push_back(axis);
  dealt_ = std::any_of(bricks.begin(), bricks.end(), [](const BrickPlace& b) { return b.rank.has_value(); });
  const std::int64_t tags = dealt_ ? cluster().allocate_tags(static_cast<std::int64_t>(bricks.size()) * 2 * faces) : 0;
  bricks_.resize(bricks.size());
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    const bool here = is_here(bricks[b]);
    const bool near = std::any_of(bricks[b].neighbour.begin(), bricks[b].neighbour.end(),
                                  [&](const auto& n) { return n && is_here(bricks[at(*n)]); });
    if (!here && !near) continue;
    bricks_[b] = std::make_unique<BrickData>();
    BrickData& brick = *bricks_[b];
    brick.here = here;
    brick.place = bricks[b];
    brick.worker = placement[b];
    brick.layout.brick = make_brick(bricks[b].size(0), bricks[b].size(1), bricks[b].size(2), element_);
    for (int face = 0; face < faces; ++face) brick.connected[at(face)] = bricks[b].neighbour[at(face)].has_value();
    if (here) build_brick(brick, static_cast<int>(b), placement);
    build_faces(brick, static_cast<int>(b), bricks, tags);
    near_.push_back(&brick);
    if (here) own_.push_back(&brick);
  }
  if (dealt_) {
    struct Counts {
      std::int64_t fluid_cells;
      std::int64_t links;
    };
    const std::vector<Counts> counts = cluster().all_gather(Counts{fluid_cells_, links_});
    fluid_cells_ = links_ = 0;
    for (const Counts& of_rank : counts) {
      fluid_cells_ += of_rank.fluid_cells;
      links_ += of_rank.links;
    }
  }
  scratch_ = Handle::vector(nullptr, codelets::total_scratch_bytes(), 1, "scratch");
}

bool Simulation::is_here(const BrickPlace& place) const {
  return place.rank.value_or(cluster().rank()) == cluster().rank();
}

void Simulation::build_brick(BrickData& brick, int number, const Placement& placement) {
  brick.walls = walls_of(problem_, brick.connected);
  const auto bytes = static_cast<std::size_t>(brick.layout.brick.elements()) * at(element_);
  const Coordinates where{number, 0};
  const bool on_gpu = brick.worker >= 0 && starpu_worker_get_type(brick.worker) == STARPU_CUDA_WORKER;
  const void* memory = nullptr;  // of a GPU's brick: StarPU allocates it there
  if (brick.worker < 0) {
    brick.shared_memory = HostBuffer<char>(bytes);
    memory = brick.shared_memory.data();
  } else if (!on_gpu) {
    brick.memory = Array<char>(bytes);
    memory = brick.memory.data();
  }
  brick.populations = Handle::temporary(memory, bytes / line, line, fmt::format("populations {}", number), where);
  brick.totals_memory = HostBuffer<Totals>(1);
  brick.totals =
      Handle::temporary(brick.totals_memory.data(), 1, sizeof(Totals), fmt::format("totals {}", number), where);
  brick.force_memory = HostBuffer<double>(3);
  brick.force = Handle::temporary(brick.force_memory.data(), 3, sizeof(double), fmt::format("force {}", number), where);
  build_obstacle(brick);
  build_halo(brick, placement);
}

/// What the brick sends: to bricks of its own rank, and between ranks.
void Simulation::build_faces(BrickData& brick, int number, const std::vector<BrickPlace>& bricks, std::int64_t tags) {
  for (const Half half : {Half::alpha, Half::beta})
    for (int face = 0; face < faces; ++face) {
      if (!brick.connected[at(face)]) continue;
      const bool to_here = is_here(bricks[at(*brick.place.neighbour[at(face)])]);
      if (!brick.here && !to_here) continue;
      const auto bytes =
          static_cast<std::size_t>(outgoing(half, brick.layout.brick, brick.connected, face).elements()) * at(element_);
      const auto h = static_cast<std::size_t>(half);
      brick.sent_memory[h][at(face)] = HostBuffer<char>::of_tasks(bytes);
      Handle sent = Handle::temporary(brick.sent_memory[h][at(face)].data(), bytes, 1, fmt::format("face {}", face));
      if (!brick.here || !to_here)
        sent = std::move(sent).shared(*brick.place.rank,
                                      tags + (std::int64_t{number} * 2 + static_cast<int>(h)) * faces + face);
      brick.sent[h][at(face)] = std::move(sent);
    }
}

Simulation::~Simulation() {
  starpu_task_wait_for_all();
}

void Simulation::build_obstacle(BrickData& brick) {
  const Brick& layout = brick.layout.brick;
  fluid_cells_ += layout.interior().cells();
  if (problem_.solid.empty()) return;
  const auto solid_at = [&](int x, int y, int z) {
    const int gx = wrapped(problem_, 0, x);
    const int gy = wrapped(problem_, 1, y);
    const int gz = wrapped(problem_, 2, z);
    if (gx < 0 || gy < 0 || gz < 0) return false;  // a wall, not a body
    return problem_.solid[at(gx) + at(problem_.cells[0]) * (at(gy) + at(problem_.cells[1]) * at(gz))] != 0;
  };
  const std::array<int, 3>& begin = brick.place.begin;
  std::vector<std::int64_t> fluid;
  std::vector<std::int64_t> solid;
  std::int64_t solid_cells = 0;
  for (int j = 1; j < q; ++j) {
    const Velocity c = velocity(j);
    for (int z = 0; z < layout.nz; ++z)
      for (int y = 0; y < layout.ny; ++y)
        for (int x = 0; x < layout.nx; ++x) {
          if (solid_at(begin[0] + x, begin[1] + y, begin[2] + z)) {
            if (j == 1) ++solid_cells;
            continue;
          }
          if (!solid_at(begin[0] + x + c.x, begin[1] + y + c.y, begin[2] + z + c.z)) continue;
          fluid.push_back(layout.at(opposite(j), x, y, z));
          solid.push_back(layout.at(j, x + c.x, y + c.y, z + c.z));
        }
    brick.layout.link_begin[j + 1] = static_cast<std::int32_t>(fluid.size());
  }
  fluid_cells_ -= solid_cells;
  links_ += static_cast<std::int64_t>(fluid.size());
  if (fluid.empty() && solid_cells == 0) return;
  brick.layout.obstacle = 1;
  brick.links_memory = HostBuffer<std::int64_t>(std::max<std::size_t>(2 * fluid.size(), 1));
  std::copy(fluid.begin(), fluid.end(), brick.links_memory.data());
  std::copy(solid.begin(), solid.end(), brick.links_memory.data() + fluid.size());
  brick.links = Handle::vector(brick.links_memory.data(), brick.links_memory.size(), sizeof(std::int64_t), "links");
  brick.solid_memory = HostBuffer<std::uint8_t>(static_cast<std::size_t>(layout.slot));
  for (int z = 0; z < layout.nz; ++z)
    for (int y = 0; y < layout.ny; ++y)
      for (int x = 0; x < layout.nx; ++x)
        brick.solid_memory[static_cast<std::size_t>(layout.cell(x, y, z))] =
            solid_at(begin[0] + x, begin[1] + y, begin[2] + z) ? 1 : 0;
  brick.solid = Handle::vector(brick.solid_memory.data(), brick.solid_memory.size(), 1, "solid");
}

// What travels is hidden behind the brick's own inner cells, unless other bricks of the unit hide it, or nothing
// travels.
bool Simulation::hides_exchange(const BrickData& brick, const Placement& placement) const {
  if (brick.worker < 0) return true;
  const auto with_it = [&](int worker) { return next_to_each_other(worker, brick.worker); };
  const auto& neighbours = brick.place.neighbour;
  return std::count_if(placement.begin(), placement.end(), with_it) == 1 &&
         std::any_of(neighbours.begin(), neighbours.end(),
                     [&](const auto& n) { return n && !with_it(placement[static_cast<std::size_t>(*n)]); });
}

void Simulation::build_halo(BrickData& brick, const Placement& placement) {
  const Brick& layout = brick.layout.brick;
  const bool hide = !axes_.empty() && hides_exchange(brick, placement);
  if (!hide) {
    brick.shell = {layout.interior()};
  } else {
    Shell shell = shell_of(layout, brick.connected, element_);
    brick.shell = std::move(shell.boxes);
    // one part of the inner cells for each phase of the exchange, along the longer of z and y
    const auto parts = static_cast<std::int64_t>(axes_.size());
    const Box& core = shell.core;
    const bool along_z = core.z1 - core.z0 >= core.y1 - core.y0;
    for (std::int64_t p = 0; p < parts; ++p) {
      Box part = core;
      std::int32_t& begin = along_z ? part.z0 : part.y0;
      std::int32_t& end = along_z ? part.z1 : part.y1;
      const std::int32_t first = begin;
      const std::int64_t length = end - begin;
      begin = first + static_cast<std::int32_t>(length * p / parts);
      end = first + static_cast<std::int32_t>(length * (p + 1) / parts);
      brick.core.push_back(part);
    }
  }
}

/// A part of a brick on its way to or from main memory.
struct Simulation::Slab {
  HostBuffer<char> memory;
  Handle handle;
};

/// `body(brick, box in the brick, slab with room for `slots` values of each cell)`, two slabs taking turns.
template <class Body>
void Simulation::for_slabs(int slots, const Body& body) {
  std::array<Slab, 2> slabs;
  std::size_t turn = 0;
  for (BrickData* const brick : own_) {
    const Brick& layout = brick->layout.brick;
    const std::int64_t plane = static_cast<std::int64_t>(layout.nx) * layout.ny * slots * element_;
    const auto planes = static_cast<int>(std::clamp<std::int64_t>(slab_bytes / plane, 1, layout.nz));
    for (auto& slab : slabs) {
      const auto bytes = static_cast<std::size_t>(plane) * at(planes);
      if (slab.memory.size() == bytes) continue;
      slab.handle = Handle();
      slab.memory = HostBuffer<char>(bytes);
      slab.handle = Handle::temporary(slab.memory.data(), bytes / at(element_), at(element_), "slab");
    }
    for (int z = 0; z < layout.nz; z += planes, turn ^= 1U)
      body(*brick, Box{0, layout.nx, 0, layout.ny, z, std::min(z + planes, layout.nz)}, slabs[turn]);
  }
}

namespace {
DomainBox in_domain(const BrickPlace& place, const Box& box) {
  const std::array<int, 3>& b = place.begin;
  return {box.x0 + b[0], box.x1 + b[0], box.y0 + b[1], box.y1 + b[1], box.z0 + b[2], box.z1 + b[2]};
}
}  // namespace

void Simulation::set(long time, const Read& read) {
  starpu_task_wait_for_all();
  for_slabs(q, [&](BrickData& brick, const Box& box, Slab& slab) {
    {
      const Acquired acquired(slab.handle, STARPU_W);
      const Pause pause;
      read(in_domain(brick.place, box), slab.memory.data());
    }
    submit(codelets_->load, codelets::CopyArgs{{box.cells()}, brick.layout.brick, box},
           {{brick.populations, brick.written ? STARPU_RW : STARPU_W}, {slab.handle, STARPU_R}}, options(brick, 0, 0));
    brick.written = true;
  });
  time_ = time;
  pending_ = false;
  totals_submitted_ = false;
  if (time % 2 != 0) submit_exchange(Half::alpha);
}

/// What is in solid cells depends on how the domain is cut and means nothing.
void Simulation::clear_solid(const DomainBox& box, char* slots) const {
  if (problem_.solid.empty()) return;
  const auto cells = static_cast<std::size_t>(box.cells());
  std::size_t k = 0;
  for (int z = box.z0; z < box.z1; ++z)
    for (int y = box.y0; y < box.y1; ++y)
      for (int x = box.x0; x < box.x1; ++x, ++k) {
        const std::size_t cell = at(x) + at(problem_.cells[0]) * (at(y) + at(problem_.cells[1]) * at(z));
        if (problem_.solid[cell] == 0) continue;
        for (std::size_t i = 0; i < q; ++i) std::memset(slots + (i * cells + k) * at(element_), 0, at(element_));
      }
}

void Simulation::get(const Write& write) {
  complete();
  for_slabs(q, [&](BrickData& brick, const Box& box, Slab& slab) {
    submit(codelets_->store, codelets::CopyArgs{{box.cells()}, brick.layout.brick, box},
           {{brick.populations, STARPU_R}, {slab.handle, STARPU_W}}, options(brick, 0, 0));
    const Acquired acquired(slab.handle, STARPU_RW);
    clear_solid(in_domain(brick.place, box), slab.memory.data());
    write(in_domain(brick.place, box), slab.memory.data());
  });
}

void Simulation::observe(const Write& write) {
  complete();
  for_slabs(4, [&](BrickData& brick, const Box& box, Slab& slab) {
    std::vector<Access> data = accesses(brick, STARPU_R);
    data.push_back({slab.handle, STARPU_W});
    codelets::ObserveArgs args{{box.cells()}, brick.layout, problem_.collision, box, time_ % 2 == 0 ? 1 : 0};
    submit(codelets_->observe, args, data, options(brick, 0, 0));
    const Acquired acquired(slab.handle, STARPU_R);
    write(in_domain(brick.place, box), slab.memory.data());
  });
}

void Simulation::submit_totals() {
  complete();
  for (BrickData* const brick : own_) {
    std::vector<Access> data = accesses(*brick, STARPU_R);
    data.push_back({brick->totals, STARPU_W});
    data.push_back({scratch_, STARPU_SCRATCH});
    const Box box = brick->layout.brick.interior();
    codelets::ObserveArgs args{{box.cells()}, brick->layout, problem_.collision, box, time_ % 2 == 0 ? 1 : 0};
    submit(codelets_->total, args, data, options(*brick, 0, 0));
    ++tasks_;
  }
}

namespace {

void add(Totals& sum, const Totals& t) {
  sum.mass += t.mass;
  for (std::size_t axis = 0; axis < 3; ++axis) sum.momentum[axis] += t.momentum[axis];
  sum.energy += t.energy;
  // not std::max: it would lose a NaN
  if (!(t.speed <= sum.speed)) sum.speed = std::isnan(sum.speed) ? sum.speed : t.speed;
}

Totals sum_over_ranks(const Totals& of_this_rank) {
  Totals sum{};
  for (const Totals& of_rank : cluster().all_gather(of_this_rank)) add(sum, of_rank);
  return sum;
}

}  // namespace

Totals Simulation::sum_totals() {
  Totals sum{};
  for (BrickData* const brick : own_) {
    starpu_data_acquire(brick->totals, STARPU_R);
    add(sum, brick->totals_memory[0]);
    starpu_data_release(brick->totals);
  }
  return dealt_ ? sum_over_ranks(sum) : sum;
}

Totals Simulation::totals() {
  submit_totals();
  totals_submitted_ = false;
  return sum_totals();
}

std::optional<Totals> Simulation::exchange_totals() {
  std::optional<Totals> before;
  if (totals_submitted_) before = sum_totals();
  submit_totals();
  totals_submitted_ = true;
  return before;
}

std::array<double, 3> Simulation::force() {
  std::array<double, 3> sum{0, 0, 0};
  complete();
  for (BrickData* const brick : own_) {
    starpu_data_acquire(brick->force, STARPU_R);
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += brick->force_memory[axis];
    starpu_data_release(brick->force);
  }
  if (!dealt_) return sum;
  std::array<double, 3> whole{0, 0, 0};
  for (const auto& of_rank : cluster().all_gather(sum))
    for (std::size_t axis = 0; axis < 3; ++axis) whole[axis] += of_rank[axis];
  return whole;
}

}  // namespace asterism::lbm
