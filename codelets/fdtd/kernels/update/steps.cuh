// SPDX-License-Identifier: Apache-2.0
// Several time steps in one pass through memory. A block of threads has a tile of columns along x and marches along it;
// in each plane that it comes to, it advances by one step the plane that it came to before, by another step the plane
// before that, and so on (temporal blocking as of Nguyen et al., SC 2010, "3.5-D"). Each step makes the part of the
// tile that is right smaller by one column on each side, so tiles overlap by twice the steps, and what one reads
// another may not have changed: results go to other arrays, and so does psi of absorbing layers.
#pragma once

#include <type_traits>

#include "codelets/fdtd/kernels/update/steps_layers.cuh"

namespace asterism::fdtd::cuda {

template <class T>
inline __device__ void add_sources(const Steps<T>& s, int j, int k, int plane, int step, Three<T>& e) {
  for (int n = 0; n < s.sources; ++n) {
    const StepsSource<T>& source = s.source[n];
    if (source.j == j && source.k == k && source.i == plane) e.c[source.component] += source.values[step];
  }
}
/// Probes in a column, after a step.
template <class T>
inline __device__ void record_probes(const Steps<T>& s, std::int64_t column_at, int plane, int step, const Three<T>& e,
                                     const Three<T>& h) {
  for (int n = 0; n < s.probes.count; ++n)
#pragma unroll
    for (int c = 0; c < 3; ++c)
      if (s.probes.places[n].at == column_at + c * s.grid.component + plane * s.grid.plane)
        s.probes.record[step * s.probes.count + n] = s.probes.places[n].field == Field::electric ? e.c[c] : h.c[c];
}

/// with_more: layers, probes and cells apart; with_faces: those too, at faces that are no electric conductors.
template <int steps, bool materials, bool with_more, bool with_faces, class T>
__global__ void __launch_bounds__(tile_columns)
    steps_kernel(const __grid_constant__ Steps<T> s, const T* __restrict__ e_from, const T* __restrict__ h_from,
                 T* __restrict__ e_to, T* __restrict__ h_to) {
  static_assert(with_more || !with_faces);
  constexpr int columns = tile_columns;
  using Shared = Layout<steps, with_more>;
  T* const shared = dynamic_shared<T>();
  T* const staged = shared + Shared::staged_begin;
  const TileColumn<steps> column(s, std::bool_constant<with_faces>());
  const int t = column.t, j = column.j, k = column.k, end = column.end;
  const UpdatedBox e_column = in_column(s.e_entries, j, k);
  const UpdatedBox h_column = in_column(s.h_entries, j, k);
  const std::int64_t column_at = s.grid.at(0, 0, j, k);
  bool has_some = false;  // sources or probes
  for (int n = 0; n < s.sources; ++n) has_some = has_some || (s.source[n].j == j && s.source[n].k == k);
  unsigned apart = 0;
  if constexpr (with_more) apart = apart_in_column(s, j, k);
  [[maybe_unused]] std::conditional_t<with_more, ColumnLayers<steps, T>, Nothing> layers(
      s.absorbing, s.grid.n, column, reinterpret_cast<StretchOfTile<T>*>(shared + Shared::stretch_begin),
      shared + Shared::psi_begin);
  if constexpr (with_more) {
    for (int n = 0; n < s.probes.count; ++n)
      has_some = has_some || (s.probes.places[n].at % s.grid.component - column_at) % s.grid.plane == 0;
  }

  Three<T> e_here[steps] = {};  // after 0, 1, .. steps, each a plane behind the one before
  Three<T> h_here[steps] = {};
  Three<T> h_before[steps] = {};  // after 1, 2, .. steps, a plane further behind
  for (int n = 0; n < 3 * steps; ++n) shared[Shared::e_begin + n * columns + t] = 0;
  stage_plane<with_faces>(staged, s.grid, column, column_at, column.first - steps, e_from, h_from);
  __syncthreads();
  for (int i = column.first - steps; i < end + steps; ++i) {
    wait_for_staged();
    Three<T> e_next;  // after the steps so far, in the plane after the one that is advanced
    Three<T> h_next;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      e_next.c[c] = staged[c * columns + t];
      h_next.c[c] = staged[(3 + c) * columns + t];
    }
    if (i + 1 < end + steps) stage_plane<with_faces>(staged, s.grid, column, column_at, i + 1, e_from, h_from);
    const int last = i - steps;  // the plane that has all steps behind it then
    const bool writes = column.own && last >= column.first && !is_apart(s, apart, last);
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const int plane = i - 1 - step;
      T* const e_plane = shared + Shared::e_begin + 3 * step * columns;
      T* const h_plane = shared + Shared::h_begin + 3 * (step % Shared::h_arrays) * columns;
      const Three<T> e = e_here[step];
      Advanced<T> by[3];
      const Terms<T> e_curl = curl_of_e(s.h_factor, e_plane, column, e, e_next);
      Three<T> h = advanced_entries<Field::magnetic, materials>(h_here[step], e_curl, s.h_entries, h_column, s.h_media,
                                                                s.grid, plane, column_at, by);
      if constexpr (with_more)
        AbsorbedEntries<Field::magnetic, steps, T>{s.absorbing, s.grid.n[0], column, layers, step,
                                                   plane,       e_curl,      by,     h,      writes}
            .absorb();
#pragma unroll
      for (int c = 0; c < 3; ++c) h_plane[c * columns + t] = h.c[c];
      __syncthreads();
#pragma unroll
      for (int c = 0; c < 3; ++c) e_plane[c * columns + t] = e_next.c[c];
      Terms<T> h_curl;
      if constexpr (with_faces)
        h_curl = curl_of_h_at_faces(s.e_factor, h_plane, column, s.grid, plane, h, h_before[step]);
      else
        h_curl = curl_of_h(s.e_factor, h_plane, column, h, h_before[step]);
      Three<T> e_new = advanced_entries<Field::electric, materials>(e, h_curl, s.e_entries, e_column, s.e_media, s.grid,
                                                                    plane, column_at, by);
      if constexpr (with_more)
        AbsorbedEntries<Field::electric, steps, T>{s.absorbing, s.grid.n[0], column, layers, step,
                                                   plane,       h_curl,      by,     e_new,  writes}
            .absorb();
      if (has_some) {
        add_sources(s, j, k, plane, step, e_new);
        if constexpr (with_more)
          if (column.own && plane >= column.first && plane < end && !is_apart(s, apart, plane))
            record_probes(s, column_at, plane, step, e_new, h);
      }
      h_before[step] = h;
      e_here[step] = e_next;
      h_here[step] = h_next;
      e_next = e_new;
      h_next = h;
    }
    if (!writes) continue;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      const std::int64_t at = column_at + c * s.grid.component + last * s.grid.plane;
      e_to[at] = e_next.c[c];
      h_to[at] = h_next.c[c];
    }
  }
}

}  // namespace asterism::fdtd::cuda
