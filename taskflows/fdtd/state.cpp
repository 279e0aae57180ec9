// SPDX-License-Identifier: Apache-2.0
// The fields of a simulation to and from main memory, slab after slab.
#include <starpu.h>

#include <algorithm>
#include <cstring>

#include "runtime/machine/simulated_machine.hpp"
#include "runtime/session.hpp"
#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {
namespace {

constexpr std::int64_t slab_bytes = std::int64_t{64} << 20;

Box in_domain(const std::array<int, 3>& o, const Box& b) {
  return {b.x0 + o[0], b.x1 + o[0], b.y0 + o[1], b.y1 + o[1], b.z0 + o[2], b.z1 + o[2]};
}

/// Zeros where a component has no entry: on electric conductors, and beyond the last cell where the others have one.
void clear_rest(const Grid& grid, Field field, const Box& box, int element, char* values) {
  for (int c = 0; c < 3; ++c) {
    const Box e = grid.entries(field, c, grid.cells());
    for (int i = box.x0; i < box.x1; ++i)
      for (int j = box.y0; j < box.y1; ++j) {
        const bool row = i >= e.x0 && i < e.x1 && j >= e.y0 && j < e.y1;
        const int first = row ? std::clamp(e.z0, box.z0, box.z1) : box.z1;
        const int end = row ? std::clamp(e.z1, box.z0, box.z1) : box.z1;
        const auto bytes = [&](int from, int to) {
          return static_cast<std::size_t>(to - from) * static_cast<std::size_t>(element);
        };
        std::memset(values, 0, bytes(box.z0, first));
        std::memset(values + bytes(box.z0, end), 0, bytes(end, box.z1));
        values += bytes(box.z0, box.z1);
      }
  }
}

}  // namespace

/// A part of a brick on its way to or from main memory.
struct Simulation::Slab {
  HostBuffer<char> memory;
  Handle handle;
};

/// The brick's own, of all components; what lies on a magnetic conductor belongs to the last brick.
Box Simulation::entries_of(const BrickData& brick) const {
  const std::array<int, 3> all = extents(problem_);
  std::int32_t end[3];
  for (std::size_t a = 0; a < 3; ++a)
    end[a] = (a == 0 ? brick.end_plane() : brick.scheme.grid.n[a]) +
             (brick.place.end[a] == problem_.cells[a] ? all[a] - problem_.cells[a] : 0);
  return {brick.first_plane(), end[0], 0, end[1], 0, end[2]};
}

int Simulation::planes_of_slab(const Box& entries) const {
  const std::int64_t plane = std::int64_t{3} * entries.y1 * entries.z1 * element_;
  return static_cast<int>(std::clamp<std::int64_t>(slab_bytes / plane, 1, entries.x1 - entries.x0));
}

std::size_t Simulation::parts() const {
  std::size_t count = 0;
  for (const std::size_t b : own_) {
    const Box entries = entries_of(*bricks_[b]);
    const int planes = planes_of_slab(entries);
    count += static_cast<std::size_t>((entries.x1 - entries.x0 + planes - 1) / planes);
  }
  return count;
}

/// `body(brick, box of entries in the brick, slab with room for them)`, two slabs taking turns.
template <class Body>
void Simulation::for_slabs(const Body& body) {
  std::array<Slab, 2> slabs;
  std::size_t turn = 0;
  for (const std::size_t b : own_) {
    const Box all = entries_of(*bricks_[b]);
    const int planes = planes_of_slab(all);
    const auto bytes =
        static_cast<std::size_t>(std::int64_t{3} * planes * all.y1 * all.z1) * static_cast<std::size_t>(element_);
    for (Slab& slab : slabs) {
      if (slab.memory.size() == bytes) continue;
      slab.handle = Handle();
      slab.memory = HostBuffer<char>(bytes);
      const auto element = static_cast<std::size_t>(element_);
      slab.handle = Handle::temporary(slab.memory.data(), bytes / element, element, "slab");
    }
    for (int x = all.x0; x < all.x1; x += planes, turn ^= 1U)
      body(*bricks_[b], Box{x, std::min(x + planes, all.x1), 0, all.y1, 0, all.z1}, slabs[turn]);
  }
}

void Simulation::set(long time, const Read& electric, const Read& magnetic) {
  starpu_task_wait_for_all();
  for (const Field field : {Field::electric, Field::magnetic})
    for_slabs([&](const BrickData& brick, const Box& box, const Slab& slab) {
      const Grid& grid = brick.scheme.grid;
      {
        const Acquired acquired(slab.handle, STARPU_W);
        const Pause pause;
        (field == Field::electric ? electric : magnetic)(in_domain(brick.origin(), box), slab.memory.data());
        if (!simulated) clear_rest(grid, field, box, element_, slab.memory.data());
      }
      submit(codelets_->load, codelets::CopyArgs{{box.cells()}, grid, box},
             {{brick.field[number(field)], STARPU_RW}, {slab.handle, STARPU_R}}, {0, 0, brick.worker});
    });
  time_ = time;
  sums_submitted_ = false;
  recorded_ = {};
  probe_values_.clear();
  probes_of_ranks_ = 0;
  set_auxiliary_state({});
  submit_first_exchange();
}

void Simulation::get(Field field, const Write& write) {
  for_slabs([&](const BrickData& brick, const Box& box, const Slab& slab) {
    const Grid& grid = brick.scheme.grid;
    submit(codelets_->store, codelets::CopyArgs{{box.cells()}, grid, box},
           {{brick.field[number(field)], STARPU_R}, {slab.handle, STARPU_W}}, {0, 0, brick.worker});
    const Acquired acquired(slab.handle, STARPU_RW);
    clear_rest(grid, field, box, element_, slab.memory.data());
    write(in_domain(brick.origin(), box), slab.memory.data());
  });
}

/// Whole fields, as they lie in memory.
void Simulation::move_fields(Transfers transfers, bool to_gpus) {
  starpu_task_wait_for_all();
  const auto for_fields = [&](const auto& move) {
    for (const std::size_t b : own_) {
      const BrickData& brick = *bricks_[b];
      if (brick.worker < 0 || is_cpu(brick.worker)) continue;
      const unsigned gpu = starpu_worker_get_memory_node(static_cast<unsigned>(brick.worker));
      for (const Handle& field : brick.field) move(field, to_gpus ? gpu : STARPU_MAIN_RAM);
    }
  };
  if (transfers == Transfers::at_once)
    for_fields([](starpu_data_handle_t field, unsigned node) { starpu_data_prefetch_on_node(field, node, 1); });
  for_fields([](starpu_data_handle_t field, unsigned node) {
    starpu_data_acquire_on_node(field, static_cast<int>(node), STARPU_RW);
    starpu_data_release_on_node(field, static_cast<int>(node));
  });
}

void Simulation::unload(Transfers transfers) {
  move_fields(transfers, false);
}

void Simulation::load(Transfers transfers) {
  move_fields(transfers, true);
}

namespace {

template <class T>
void fill(const Problem& problem, Field field, const Box& box, T* values) {
  for (int c = 0; c < 3; ++c)
    for (int i = box.x0; i < box.x1; ++i)
      for (int j = box.y0; j < box.y1; ++j)
        for (int k = box.z0; k < box.z1; ++k) *values++ = static_cast<T>(problem.initial(field, c, i, j, k));
}

}  // namespace

void Simulation::initialise() {
  if (!problem_.initial) return;
  const auto initial = [&](Field field) {
    return [this, field](const Box& box, void* values) {
      if (simulated) return;
      with_precision(problem_.precision,
                     [&](auto real) { fill(problem_, field, box, static_cast<decltype(real)*>(values)); });
    };
  };
  set(0, initial(Field::electric), initial(Field::magnetic));
}

}  // namespace asterism::fdtd
