// SPDX-License-Identifier: Apache-2.0
// Several time steps in one pass through memory. A block of threads has a tile of columns along x and marches along it;
// in each plane that it comes to, it advances by one step the plane that it came to before, by another step the plane
// before that, and so on (temporal blocking as of Nguyen et al., SC 2010, "3.5-D"). Each step makes the part of the
// tile that is right smaller by one column on each side, so tiles overlap by twice the steps, and what one reads
// another may not have changed: results go to other arrays, and so does psi of absorbing layers. A launch has all
// tiles, each of which does what its region needs.
#pragma once

#include <type_traits>

#include "codelets/fdtd/kernels/update/steps_kinds.cuh"
#include "codelets/fdtd/kernels/update/steps_layers.cuh"

namespace asterism::fdtd::cuda {

template <class T>
inline __device__ void add_sources(const Steps<T>& s, int j, int k, int plane, int step, Three<T>& e) {
#pragma unroll 1
  for (int n = 0; n < s.sources; ++n) {
    const StepsSource<T>& source = s.source[n];
    const bool here = source.j == j && source.k == k && source.i == plane;
#pragma unroll
    for (int c = 0; c < 3; ++c) {  // an index would take E to memory
      const T sum = e.c[c] + source.values[step];
      e.c[c] = here && source.component == c ? sum : e.c[c];
    }
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

template <class T>
inline __device__ bool has_sources_or_probes(const Steps<T>& s, int j, int k, std::int64_t column_at) {
  for (int n = 0; n < s.sources; ++n)
    if (s.source[n].j == j && s.source[n].k == k) return true;
  for (int n = 0; n < s.probes.count; ++n)
    if ((s.probes.places[n].at % s.grid.component - column_at) % s.grid.plane == 0) return true;
  return false;
}

template <class T>
inline __device__ void write_entries(const Grid& grid, std::int64_t at, const Three<T>& values, T* __restrict__ to) {
#pragma unroll
  for (int c = 0; c < 3; ++c) to[at + c * grid.component] = values.c[c];
}

/// Is a plane of the column in memory?
template <class Kind, int steps, class T>
inline __device__ bool is_there(const Steps<T>& s, const TileColumn<steps>& column, int plane) {
  const bool exists = column.exists || !(Kind::conductors(1) || Kind::conductors(2));
  if (!Kind::conductors(0)) return exists;
  return exists && plane >= 0 && plane < (Kind::at_faces ? s.grid.planes_along(0) : s.grid.n[0]);
}

template <TilesWith with>
using tiles_with = std::integral_constant<TilesWith, with>;

/// What the block of a tile does.
template <int steps, TilesWith with, bool materials, class T>
inline __device__ void advance_tile(const Steps<T>& s, const StepsRegion& region, const T* __restrict__ e_from,
                                    const T* __restrict__ h_from, T* __restrict__ e_to, T* __restrict__ h_to) {
  using Tiles = Kind<with, materials>;
  using Shared = Layout<steps>;
  using Layers = std::conditional_t<Tiles::more, ColumnLayers<steps, T>, LayersOfKind<Tiles, steps, T>>;
  T* const shared = dynamic_shared<T>();
  T* const staged = shared + Shared::staged_begin;
  const TileColumn<steps> column(s, region, std::bool_constant<Tiles::at_faces>());
  const int t = column.t, j = column.j, k = column.k, end = column.end;
  const UpdatedBox e_column = in_column(s.e_entries, j, k);
  const UpdatedBox h_column = in_column(s.h_entries, j, k);
  OffConductors where(s.grid, j, k);
  const std::int64_t column_at = s.grid.at(0, 0, j, k);
  const unsigned apart = Tiles::more ? apart_in_column(s, j, k) : 0;
  const bool has_some = Tiles::more && has_sources_or_probes(s, j, k, column_at);
  [[maybe_unused]] Layers layers(s.absorbing, s.grid.n, column, shared);
  const auto advanced_in = [&](auto field, const Three<T>& old, const Terms<T>& curl, int step, int plane,
                               bool writes) {
    constexpr Field f = decltype(field)::value;
    constexpr bool electric = f == Field::electric;
    const Media<T>& media = electric ? s.e_media : s.h_media;
    if constexpr (!Tiles::compares) {
      Three<T> u = advanced_off_conductors<f, Tiles, materials>(old, curl, where, media, s.grid, plane, column_at,
                                                                column.first - steps);
      layers.template absorb<f>(s.absorbing, s.grid.n, step, plane, curl, where, u, writes);
      return u;
    } else {
      Advanced<T> by[3];
      Three<T> u = advanced_entries<f, materials>(old, curl, electric ? s.e_entries : s.h_entries,
                                                  electric ? e_column : h_column, media, s.grid, plane, column_at, by);
      if constexpr (Tiles::more)
        AbsorbedEntries<f, steps, T>{s.absorbing, s.grid.n[0], column, layers, step, plane, curl, by, u, writes}
            .absorb();
      return u;
    }
  };
  using E = std::integral_constant<Field, Field::electric>;
  using H = std::integral_constant<Field, Field::magnetic>;

  Three<T> e_here[steps] = {};  // after 0, 1, .. steps, each a plane behind the one before
  Three<T> h_here[steps] = {};
  Three<T> h_before[steps] = {};  // after 1, 2, .. steps, a plane further behind
  for (int n = 0; n < 3 * steps; ++n) shared[Shared::e_begin + n * Shared::plane + t] = 0;
  std::int64_t at = column_at + (column.first - steps) * s.grid.plane;  // of the plane that is staged
  stage_plane(staged, s.grid, column, at, is_there<Tiles>(s, column, column.first - steps), e_from, h_from);
  if constexpr (!Tiles::more) layers.load(s.absorbing, s.grid.n, column.first - steps - 1);
  __syncthreads();
  for (int i = column.first - steps; i < end + steps; ++i, at += s.grid.plane) {
    wait_for_staged();
    Three<T> e_next;  // after the steps so far, in the plane after the one that is advanced
    Three<T> h_next;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      e_next.c[c] = staged[c * tile_columns + t];
      h_next.c[c] = staged[(3 + c) * tile_columns + t];
    }
    if (i + 1 < end + steps)
      stage_plane(staged, s.grid, column, at + s.grid.plane, is_there<Tiles>(s, column, i + 1), e_from, h_from);
    const int last = i - steps;  // the plane that has all steps behind it then
    bool writes = column.own && last >= column.first;
    if constexpr (Tiles::more) writes = writes && !is_apart(s, apart, last);
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const int plane = i - 1 - step;
      T* const e_plane = shared + Shared::e_begin + 3 * step * Shared::plane + t;
      T* const h_plane = shared + Shared::h_begin + 3 * (step % Shared::h_arrays) * Shared::plane + t;
      const Three<T> e = e_here[step];
      if constexpr (Tiles::conductors(0) && !Tiles::compares) where.set_plane(s.grid, plane);
      const Three<T> h =
          advanced_in(H(), h_here[step], curl_of_e<steps>(s.h_factor, e_plane, e, e_next), step, plane, writes);
#pragma unroll
      for (int c = 0; c < 3; ++c) h_plane[c * Shared::plane] = h.c[c];
      __syncthreads();
#pragma unroll
      for (int c = 0; c < 3; ++c) e_plane[c * Shared::plane] = e_next.c[c];
      Terms<T> h_curl;
      if constexpr (Tiles::at_faces)
        h_curl = curl_of_h_at_faces(s.e_factor, h_plane, column, s.grid, plane, h, h_before[step]);
      else
        h_curl = curl_of_h<steps>(s.e_factor, h_plane, h, h_before[step]);
      Three<T> e_new = advanced_in(E(), e, h_curl, step, plane, writes);
      if (Tiles::more && has_some) {
        add_sources(s, j, k, plane, step, e_new);
        if (column.own && plane >= column.first && plane < end && !is_apart(s, apart, plane))
          record_probes(s, column_at, plane, step, e_new, h);
      }
      h_before[step] = h;
      e_here[step] = e_next;
      h_here[step] = h_next;
      e_next = e_new;
      h_next = h;
    }
    if constexpr (!Tiles::more) layers.load(s.absorbing, s.grid.n, i);
    if (!writes) continue;
    write_entries(s.grid, at - steps * s.grid.plane, e_next, e_to);
    write_entries(s.grid, at - steps * s.grid.plane, h_next, h_to);
  }
}

template <int steps, class T>
__global__ void __launch_bounds__(tile_columns)
    steps_kernel(const __grid_constant__ Steps<T> s, const T* __restrict__ e_from, const T* __restrict__ h_from,
                 T* __restrict__ e_to, T* __restrict__ h_to) {
  int r = s.regions - 1;
  while (blockIdx.x < s.region[r].first_block) --r;
  const StepsRegion& region = s.region[r];
  const auto advance = [&](auto with, auto materials) {
    advance_tile<steps, decltype(with)::value, decltype(materials)::value>(s, region, e_from, h_from, e_to, h_to);
  };
  const auto in_media = [&](auto with) {
    region.media ? advance(with, std::true_type()) : advance(with, std::false_type());
  };
  // (In a fold over the kinds each becomes a function that is called, and all are slower by a third.)
  switch (region.with) {
    case TilesWith::nothing:
      in_media(tiles_with<TilesWith::nothing>());
      break;
    case TilesWith::sides:
      advance(tiles_with<TilesWith::sides>(), std::false_type());
      break;
    case TilesWith::ends:
      advance(tiles_with<TilesWith::ends>(), std::false_type());
      break;
    case TilesWith::conductors:
      in_media(tiles_with<TilesWith::conductors>());
      break;
    case TilesWith::layers_y:
      advance(tiles_with<TilesWith::layers_y>(), std::false_type());
      break;
    case TilesWith::layers_z:
      advance(tiles_with<TilesWith::layers_z>(), std::false_type());
      break;
    case TilesWith::layers_xy:
      advance(tiles_with<TilesWith::layers_xy>(), std::false_type());
      break;
    case TilesWith::layers_zx:
      advance(tiles_with<TilesWith::layers_zx>(), std::false_type());
      break;
    case TilesWith::layers_yz:
      advance(tiles_with<TilesWith::layers_yz>(), std::false_type());
      break;
    case TilesWith::more:
      in_media(tiles_with<TilesWith::more>());
      break;
    case TilesWith::faces:
      in_media(tiles_with<TilesWith::faces>());
      break;
  }
}

}  // namespace asterism::fdtd::cuda
