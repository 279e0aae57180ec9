// SPDX-License-Identifier: Apache-2.0
// The state of a simulation to and from main memory, part by part: nineteen slots of each cell.
#include <starpu.h>

#include <cstring>

#include "base/as_size.hpp"
#include "taskflows/lbm/bricks/slabs.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {
namespace {

/// What is in solid cells depends on how the domain is cut and means nothing.
void clear_solid(const Problem& problem, const DomainBox& box, std::size_t element, char* slots) {
  if (problem.solid.empty()) return;
  const auto cells = static_cast<std::size_t>(box.cells());
  std::size_t k = 0;
  for (int z = box.z0; z < box.z1; ++z)
    for (int y = box.y0; y < box.y1; ++y)
      for (int x = box.x0; x < box.x1; ++x, ++k) {
        const std::size_t cell =
            as_size(x) + as_size(problem.cells[0]) * (as_size(y) + as_size(problem.cells[1]) * as_size(z));
        if (problem.solid[cell] == 0) continue;
        for (std::size_t i = 0; i < q; ++i) std::memset(slots + (i * cells + k) * element, 0, element);
      }
}

}  // namespace

void Simulation::set(long time, const Read& read) {
  starpu_task_wait_for_all();
  for_slabs(bricks_, q, bricks_.element, [&](BrickData& brick, const Box& box, Slab& slab) {
    {
      const Acquired acquired(slab.handle, STARPU_W);
      const Pause pause;
      read(in_domain(brick.place, box), slab.memory.data());
    }
    // slots of the box <- slab
    submit(codelets::load.of(bricks_.problem.precision),
           codelets::CopyArgs{{box.cells()}, brick.descriptor.layout, box, !brick.written},
           {{brick.populations, brick.written ? STARPU_RW : STARPU_W}, {slab.handle, STARPU_R}},
           brick.options(priority_of_state));
    brick.written = true;
  });
  totals_submitted_ = false;
  flow_.resume(time);
}

void Simulation::get(const Write& write) {
  flow_.complete();
  for_slabs(bricks_, q, bricks_.element, [&](BrickData& brick, const Box& box, Slab& slab) {
    // slab <- slots of the box
    submit(codelets::store.of(bricks_.problem.precision),
           codelets::CopyArgs{{box.cells()}, brick.descriptor.layout, box},
           {{brick.populations, STARPU_R}, {slab.handle, STARPU_W}}, brick.options(priority_of_state));
    const Acquired acquired(slab.handle, STARPU_RW);
    clear_solid(bricks_.problem, in_domain(brick.place, box), as_size(bricks_.element), slab.memory.data());
    write(in_domain(brick.place, box), slab.memory.data());
  });
}

}  // namespace asterism::lbm
