// SPDX-License-Identifier: Apache-2.0
// The state at time 0.
#include <algorithm>
#include <vector>

#include "codelets/lbm/kernels/copy.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {
namespace {

/// Equilibrium at the problem's initial density and velocity, in the cells of a box.
template <class T>
void fill(const Problem& problem, const DomainBox& box, T* slots) {
  const int nx = box.x1 - box.x0;
  const auto length = static_cast<std::size_t>(nx);
  const auto cells = static_cast<std::size_t>(box.cells());
  const Brick row = make_brick(nx, 1, 1, sizeof(T));
#pragma omp parallel
  {
    std::vector<T> f(static_cast<std::size_t>(row.elements()));
    std::vector<Arithmetic<T>> fields(4 * length);
    std::vector<T> out(q * length);
#pragma omp for collapse(2) schedule(static)
    for (int z = box.z0; z < box.z1; ++z)
      for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
          const Flow flow = problem.initial(x, y, z);
          const auto cell = static_cast<std::size_t>(x - box.x0);
          fields[cell] = static_cast<Arithmetic<T>>(flow.rho);
          for (std::size_t axis = 0; axis < 3; ++axis)
            fields[(1 + axis) * length + cell] = static_cast<Arithmetic<T>>(flow.u[axis]);
        }
        cpu::equilibrium<T>(row, row.interior(), fields.data(), f.data());
        cpu::store(row, row.interior(), f.data(), out.data());
        const auto first = static_cast<std::size_t>(y - box.y0) +
                           static_cast<std::size_t>(box.y1 - box.y0) * static_cast<std::size_t>(z - box.z0);
        for (std::size_t i = 0; i < q; ++i)
          std::copy_n(out.data() + i * length, length, slots + i * cells + first * length);
      }
  }
}

}  // namespace

void Simulation::initialise() {
  set(0, [this](const DomainBox& box, void* slots) {
    if (simulated) return;
    with_populations(bricks_.problem.precision,
                     [&](auto number) { fill(bricks_.problem, box, static_cast<decltype(number)*>(slots)); });
  });
}

}  // namespace asterism::lbm
