// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/bricks/bricks.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::lbm {
namespace {

/// `begin`: the brick's first cell.
Wall wall_of(const Problem& problem, int face, const std::array<int, 3>& begin) {
  Wall wall = problem.face[as_size(face)].wall;
  wall.face = face;
  for (int axis = 0; axis < 3; ++axis) {
    wall.first[axis] = begin[as_size(axis)];
    wall.across[axis] = is_parabola_along(problem, face, axis) ? problem.cells[as_size(axis)] : 0;
  }
  return wall;
}

/// Walls in the order in which they are applied: the last one owns the edges. At the edges of a lid the wall at rest
/// does, which makes driven cavities second-order accurate (if the lid did, first); at those of an outlet the other
/// wall does.
std::vector<Wall> walls_of(const Problem& problem, const Connected& connected, const std::array<int, 3>& begin) {
  const auto rank = [](const Wall& w) {
    if (w.kind != Wall::Kind::velocity) return w.kind == Wall::Kind::pressure ? 0 : 1;
    return w.u[0] == 0 && w.u[1] == 0 && w.u[2] == 0 ? 3 : 2;
  };
  std::vector<Wall> walls;
  for (int face = 0; face < faces; ++face) {
    if (connected[as_size(face)]) continue;
    walls.push_back(wall_of(problem, face, begin));
  }
  std::stable_sort(walls.begin(), walls.end(), [&](const Wall& a, const Wall& b) { return rank(a) < rank(b); });
  return walls;
}

/// Whether two workers are one unit or belong to one GPU.
bool on_one_unit(int worker, int other) {
  if (worker == other) return true;
  return worker >= 0 && other >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER &&
         starpu_worker_get_memory_node(static_cast<unsigned>(worker)) ==
             starpu_worker_get_memory_node(static_cast<unsigned>(other));
}

bool is_here(const BrickPlace& place) {
  return place.rank.value_or(rank_group().rank()) == rank_group().rank();
}

bool on_core(int worker) {
  if (worker == scheduler_decides) return starpu_worker_get_count_by_type(STARPU_CUDA_WORKER) == 0;
  return worker >= 0 && starpu_worker_get_type(worker) == STARPU_CPU_WORKER;
}

/// Whether bricks of two workers share a memory: on one unit, or on cores of one process.
bool share_memory(int worker, int other) {
  return on_one_unit(worker, other) || (on_core(worker) && on_core(other));
}

/// What a brick sends is hidden behind the update of its own inner cells, unless other bricks of its unit hide it or
/// all its neighbours share a memory with it.
bool hides_exchange(const BrickData& brick, const Placement& placement) {
  if (brick.worker < 0) return true;
  const auto with_it = [&](int worker) { return on_one_unit(worker, brick.worker); };
  const auto& neighbours = brick.place.neighbour;
  return std::count_if(placement.begin(), placement.end(), with_it) == 1 &&
         std::any_of(neighbours.begin(), neighbours.end(),
                     [&](const auto& n) { return n && !share_memory(brick.worker, placement[as_size(*n)]); });
}

}  // namespace

Placement place(const std::vector<BrickPlace>& bricks, const Session& session) {
  std::vector<int> cores;
  std::map<int, std::vector<int>> workers;  // of each device
  for (const Unit& unit : session.units()) (unit.gpu ? workers[unit.device] : cores).push_back(unit.worker);
  std::vector<std::vector<int>> gpus;
  for (const auto& [device, of_device] : workers) gpus.push_back(of_device);
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
    const std::size_t gpu = on_gpu ? as_size(brick.subdomain - first) * gpus.size() / as_size(last - first + 1) : 0;
    const std::size_t turn = on_gpu ? next_worker[gpu]++ : next_core++;
    const std::vector<int>& units = on_gpu ? gpus[gpu] : cores;
    placement.push_back(units[turn % units.size()]);
  }
  return placement;
}

std::vector<Access> BrickData::accesses(starpu_data_access_mode populations_mode) const {
  std::vector<Access> data{{populations, populations_mode}};
  if (descriptor.obstacle) {
    data.push_back({solid, STARPU_R});
    data.push_back({links, STARPU_R});
  }
  return data;
}

TaskOptions BrickData::options(int priority) const {
  return {
      .priority = priority, .worker = std::max(worker, scheduler_decides), .rank = place.rank.value_or(this_rank_runs)};
}

Bricks::Bricks(const Problem& of, const std::vector<BrickPlace>& places, const Placement& placement)
    : problem(of), element(size_of(of.precision)) {
  for (int axis = 0; axis < 3; ++axis)
    if (std::any_of(places.begin(), places.end(), [&](const BrickPlace& b) {
          return b.neighbour[as_size(2 * axis)] || b.neighbour[as_size(2 * axis + 1)];
        }))
      axes.push_back(axis);
  if (places.size() == 1) {
    for (const int axis : axes) wraps |= 1U << axis;
    axes.clear();
  }
  distributed = std::any_of(places.begin(), places.end(), [](const BrickPlace& b) { return b.rank.has_value(); });
  const std::int64_t tags =
      distributed ? rank_group().allocate_tags(static_cast<std::int64_t>(places.size()) * 2 * faces) : 0;
  number.resize(places.size());
  for (std::size_t b = 0; b < places.size(); ++b) {
    const bool here = is_here(places[b]);
    const bool beside = std::any_of(places[b].neighbour.begin(), places[b].neighbour.end(),
                                    [&](const auto& n) { return n && is_here(places[as_size(*n)]); });
    if (!here && !beside) continue;
    number[b] = std::make_unique<BrickData>();
    BrickData& brick = *number[b];
    brick.here = here;
    brick.place = places[b];
    brick.worker = placement[b];
    brick.descriptor.layout = make_brick(places[b].size(0), places[b].size(1), places[b].size(2), element);
    for (int face = 0; face < faces; ++face)
      brick.connected[as_size(face)] = places[b].neighbour[as_size(face)].has_value();
    if (here) build_brick(brick, static_cast<int>(b), placement);
    if (!axes.empty()) build_faces(brick, static_cast<int>(b), places, tags);
    near.push_back(&brick);
    if (here) own.push_back(&brick);
  }
  if (distributed) count_all_ranks();
}

void Bricks::count_all_ranks() {
  struct Counts {
    std::int64_t fluid_cells;
    std::int64_t links;
  };
  const std::vector<Counts> counts = rank_group().all_gather(Counts{fluid_cells, links});
  fluid_cells = links = 0;
  for (const Counts& of_rank : counts) {
    fluid_cells += of_rank.fluid_cells;
    links += of_rank.links;
  }
}

void Bricks::build_brick(BrickData& brick, int index, const Placement& placement) {
  brick.walls = walls_of(problem, brick.connected, brick.place.begin);
  brick.collision = problem.collision;
  brick.collision.sponge = {problem.sponge, problem.cells[0] - brick.place.begin[0],
                            wall_of(problem, 0, brick.place.begin)};
  const auto bytes = static_cast<std::size_t>(brick.descriptor.layout.elements()) * as_size(element);
  const Coordinates where{index, 0};
  const bool on_gpu = brick.worker >= 0 && starpu_worker_get_type(brick.worker) == STARPU_CUDA_WORKER;
  const void* memory = nullptr;  // of a GPU's brick: StarPU allocates it there
  if (brick.worker < 0) {
    brick.shared_memory = HostBuffer<char>(bytes);
    memory = brick.shared_memory.data();
  } else if (!on_gpu) {
    brick.memory = Array<char>(bytes);
    memory = brick.memory.data();
  }
  // A vector of lines: their number fits StarPU's 32 bits.
  brick.populations =
      Handle::temporary(memory, bytes / line_bytes, line_bytes, fmt::format("populations {}", index), where);
  brick.totals_memory = HostBuffer<Totals>(1);
  brick.totals =
      Handle::temporary(brick.totals_memory.data(), 1, sizeof(Totals), fmt::format("totals {}", index), where);
  brick.force_memory = HostBuffer<ForceSums>(1);
  brick.force =
      Handle::temporary(brick.force_memory.data(), 1, sizeof(ForceSums), fmt::format("force {}", index), where);
  build_obstacle(brick);
  build_border(brick, placement);
}

// what the brick sends: to bricks of its own rank, and between ranks
void Bricks::build_faces(BrickData& brick, int index, const std::vector<BrickPlace>& places, std::int64_t tags) {
  for (const Half half : {Half::alpha, Half::beta})
    for (int face = 0; face < faces; ++face) {
      if (!brick.connected[as_size(face)]) continue;
      const bool to_here = is_here(places[as_size(*brick.place.neighbour[as_size(face)])]);
      if (!brick.here && !to_here) continue;
      const auto bytes =
          static_cast<std::size_t>(outgoing(half, brick.descriptor.layout, brick.connected, face).elements()) *
          as_size(element);
      const auto h = static_cast<std::size_t>(half);
      brick.sent_memory[h][as_size(face)] = HostBuffer<char>::of_tasks(bytes);
      Handle sent =
          Handle::temporary(brick.sent_memory[h][as_size(face)].data(), bytes, 1, fmt::format("face {}", face));
      if (!brick.here || !to_here)
        sent = std::move(sent).shared(*brick.place.rank,
                                      tags + (std::int64_t{index} * 2 + static_cast<int>(h)) * faces + face);
      brick.sent[h][as_size(face)] = std::move(sent);
    }
}

void Bricks::build_border(BrickData& brick, const Placement& placement) {
  const Brick& layout = brick.descriptor.layout;
  const bool hide = !axes.empty() && hides_exchange(brick, placement);
  if (!hide) {
    brick.border = {layout.interior()};
  } else {
    // a vector of a core, two lines of the cache of a GPU
    Shell shell = shell_of(layout, brick.connected, on_core(brick.worker) ? (element == 8 ? 8 : 16) : 256 / element);
    brick.border = std::move(shell.boxes);
    // one part of the inner cells for each phase of the exchange, along the longer of z and y
    const auto parts = static_cast<std::int64_t>(axes.size());
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
      brick.inner.push_back(part);
    }
  }
}

}  // namespace asterism::lbm
