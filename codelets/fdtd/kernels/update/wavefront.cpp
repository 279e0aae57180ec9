// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd::cpu {

template <class T>
void update_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors, const Factors& e_factors,
                  const Media<T>& h_media, const Media<T>& e_media, const Source<T>* sources, std::int32_t count, T* h,
                  T* e, int rows) {
  for (const Face face : grid.face)
    if (face != Face::electric) throw std::invalid_argument("steps at once: all faces have to be electric conductors");
  rows = std::max(rows, 1);
  // Plane i and row j of step s wait for step s - 1 of planes up to i + 1 and rows up to j + 1. E of a plane that is
  // needed takes H of the plane before, which takes E of that plane as the step before left it, and so on.
  const auto first_plane = [&](int step) { return std::max(needed.first - (steps - step), 0); };
  const auto end_plane = [&](int step) { return std::min(needed.end + (steps - 1 - step), grid.n[0]); };
  for (int y = 0; y < grid.n[1] + steps - 1; y += rows)
    for (int x = first_plane(0); x < end_plane(steps - 1) + steps - 1; ++x)
      for (int s = 0; s < steps; ++s) {
        const Box b = {x - s, x - s + 1, std::max(y - s, 0), std::min(y + rows - s, grid.n[1]), 0, grid.n[2]};
        if (b.x0 < first_plane(s) || b.x0 >= end_plane(s) || b.empty()) continue;
        update_both(grid, b, b, h_factors, e_factors, h_media, e_media, h, e);
        for (const Source<T>* source = sources; source != sources + count; ++source)
          if (source->i == b.x0 && source->j >= b.y0 && source->j < b.y1)
            add(grid, source->component, source->i, source->j, source->k, source->values[s], e);
      }
}

template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<double>&,
                           const Media<double>&, const Source<double>*, std::int32_t, double*, double*, int);
template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<float>&,
                           const Media<float>&, const Source<float>*, std::int32_t, float*, float*, int);

}  // namespace asterism::fdtd::cpu
