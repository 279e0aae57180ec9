// State and fields of a simulation on their way to and from main memory, part by part.
#include <starpu.h>

#include <algorithm>
#include <cstring>

#include "taskflows/lbm/simulation_codelets.hpp"

namespace asterism::lbm {
namespace {

/// Parts in which a state goes to and from main memory.
constexpr std::int64_t slab_bytes = std::int64_t{64} << 20;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

DomainBox in_domain(const BrickPlace& place, const Box& box) {
  const std::array<int, 3>& b = place.begin;
  return {box.x0 + b[0], box.x1 + b[0], box.y0 + b[1], box.y1 + b[1], box.z0 + b[2], box.z1 + b[2]};
}

}  // namespace

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

}  // namespace asterism::lbm
