// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/ghost_rows.hpp"
#include "codelets/fdtd/kernels/update/sweep.hpp"

namespace asterism::fdtd::cpu {
namespace {

/// Rows whose planes of all steps together take what a second-level cache holds, and a little more (measured on two
/// EPYC cores with 1 MiB each).
int rows_of_window(int row_bytes, int steps) {
  constexpr int window = 1536 * 1024;
  return std::clamp(window / (6 * (steps + 1) * row_bytes), 8, 64);
}

template <class T>
ASTERISM_INLINE void wavefront(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors,
                               const Factors& e_factors, const Media<T>& h_media, const Media<T>& e_media,
                               const Source<T>* sources, std::int32_t count, T* h, T* e, const BesideSteps<T>& beside,
                               int rows) {
  if (grid.face[0] == Face::neighbour || grid.face[1] == Face::neighbour)
    throw std::invalid_argument("steps at once: no neighbour along x");
  const GhostRows<T> h_ghosts(grid, Field::magnetic);
  const GhostRows<T> e_ghosts(grid, Field::electric);
  const bool closed = h_ghosts.none() && e_ghosts.none();
  // the first row of a plane has the last one for a neighbour: whole planes then
  const int lag = beside.coupled ? 2 : 1;
  if (grid.face[2] == Face::neighbour) rows = grid.n[1] + lag * (steps - 1);
  if (rows <= 0) rows = rows_of_window(grid.pitch * static_cast<int>(sizeof(T)), steps);
  const Sweep<Field::magnetic, T> update_h(grid, grid.cells(), h_factors, h_media, beside.h_layers, e, h);
  const Sweep<Field::electric, T> update_e(grid, grid.cells(), e_factors, e_media, beside.e_layers, h, e);
  // Plane i and row j of step s wait for step s - 1 of planes up to i + 1 and rows up to j + 1. E of a plane that is
  // needed takes H of the plane before, which takes E of that plane as the step before left it, and so on. What lies on
  // a magnetic conductor goes with the plane or row before. Coupled edges are complete a plane and a row later.
  const auto first_plane = [&](int step) { return std::max(needed.first - lag * (steps - step), 0); };
  const auto end_plane = [&](int step) { return std::min(needed.end + lag * (steps - step) - 1, grid.n[0]); };
  const auto with_face = [&](int axis, int end) {
    return end == grid.n[axis] && grid.face[2 * axis + 1] == Face::magnetic ? end + 1 : end;
  };
  const auto put_ghosts = [&](const GhostRows<T>& ghosts, T* field, int i, int first, int end) {
    for (int plane = i; plane < with_face(0, i + 1) && !ghosts.none(); ++plane)
      for (int j = first; j < with_face(1, end); ++j) ghosts.put(plane, j, field);
  };
  const auto finish = [&](int s, int i, int first, int end) {
    if (first >= end) return;
    if (beside.done) beside.done(s, i, first, end);
    put_ghosts(e_ghosts, e, i, first, end);
  };
  for (int y = 0; y < grid.n[1] + lag * (steps - 1); y += rows)
    for (int x = first_plane(0); x < end_plane(steps - 1) + lag * (steps - 1); ++x)
      for (int s = 0; s < steps; ++s) {
        const int i = x - lag * s;
        const int first = std::max(y - lag * s, 0);
        const int end = std::min(y + rows - lag * s, grid.n[1]);
        if (i < first_plane(s) || i >= end_plane(s) || first >= end) continue;
        const int end_of_rows = with_face(1, end);
        const int end_of_planes = with_face(0, i + 1);
        const auto outer_rows = [&](const auto& update) {
          for (int j = end; j < end_of_rows; ++j) update.outer_row_at(i, j);
          for (int j = first; j < end_of_rows && end_of_planes > i + 1; ++j) update.outer_row_at(i + 1, j);
        };
        const auto has_rows = [&](const Box& b) { return i >= b.x0 && i < b.x1 && first < b.y1 && end > b.y0; };
        const bool hooked = std::any_of(beside.hooked.begin(), beside.hooked.end(), has_rows);
        const auto between = [&] {
          outer_rows(update_h);
          if (hooked) beside.h_updated(s, i, first, end);
          put_ghosts(h_ghosts, h, i, first, end);
        };
        advance_rows(update_h, update_e, i, first, end, hooked || !closed ? &between : nullptr);
        outer_rows(update_e);
        if (hooked) beside.e_updated(s, i, first, end);
        for (const Source<T>* source = sources; source != sources + count; ++source)
          if (source->i >= i && source->i < end_of_planes && source->j >= first && source->j < end_of_rows)
            add(grid, source->component, source->i, source->j, source->k, source->values[s], e);
        if (!beside.coupled) {
          finish(s, i, first, end);
          continue;
        }
        beside.added(s, i, first, end);
        const int first_done = std::max(first - 1, 0);
        const int end_done = end == grid.n[1] ? end : end - 1;
        if (i > first_plane(s)) finish(s, i - 1, first_done, end_done);
        if (i + 1 == end_plane(s)) finish(s, i, first_done, end_done);
      }
}

}  // namespace

template <>
ASTERISM_CLONES void update_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors,
                                  const Factors& e_factors, const Media<double>& h_media, const Media<double>& e_media,
                                  const Source<double>* sources, std::int32_t count, double* h, double* e,
                                  const BesideSteps<double>& beside, int rows) {
  wavefront(grid, steps, needed, h_factors, e_factors, h_media, e_media, sources, count, h, e, beside, rows);
}
template <>
ASTERISM_CLONES void update_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors,
                                  const Factors& e_factors, const Media<float>& h_media, const Media<float>& e_media,
                                  const Source<float>* sources, std::int32_t count, float* h, float* e,
                                  const BesideSteps<float>& beside, int rows) {
  wavefront(grid, steps, needed, h_factors, e_factors, h_media, e_media, sources, count, h, e, beside, rows);
}

}  // namespace asterism::fdtd::cpu
