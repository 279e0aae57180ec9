// SPDX-License-Identifier: Apache-2.0
// Tiles of several steps at once that need little beside the plain scheme: those inside, where every entry is updated,
// and those beside electric conductors, with absorbing layers along one axis or without. Of an entry there that is not
// updated the curl is zero: a mask of its bits.
#pragma once

#include <cstring>

#include "codelets/fdtd/kernels/update/steps_tile.cuh"

namespace asterism::fdtd::cuda {

template <TilesWith with, bool materials>
struct Kind {
  static constexpr bool at_faces = with == TilesWith::faces;
  static constexpr bool more = with == TilesWith::more || at_faces;
  static constexpr bool some_columns = with != TilesWith::nothing && with != TilesWith::ends;
  static constexpr bool some_planes = with == TilesWith::ends || with == TilesWith::conductors || more;
  /// Is each entry compared with the box of those that are updated? Else there are masks.
  static constexpr bool compares = more || (materials && with != TilesWith::nothing);
  /// Layers along one axis; -1: none.
  static constexpr int layers = with == TilesWith::ends       ? 0
                                : with == TilesWith::layers_y ? 1
                                : with == TilesWith::layers_z ? 2
                                                              : -1;
};

using Mask = std::uint32_t;
inline __device__ Mask mask_of(bool all) {
  return all ? ~Mask{0} : Mask{0};
}
template <class T>
inline __device__ T masked(T value, Mask mask) {
  Mask bits[sizeof(T) / sizeof(Mask)];
  std::memcpy(bits, &value, sizeof(T));
  for (Mask& b : bits) b &= mask;
  std::memcpy(&value, bits, sizeof(T));
  return value;
}

/// Which entries of a column and a plane are updated. Along y and z, H_y lies as E_z does, and H_z as E_y.
struct UpdatedEntries {
  Mask e[3], h0;      ///< of columns
  Mask on, half_way;  ///< of planes

  __device__ UpdatedEntries(const UpdatedBox& of_e, const UpdatedBox& of_h)
      : e{mask_of(of_e.of[0]), mask_of(of_e.of[1]), mask_of(of_e.of[2])},
        h0(mask_of(of_h.of[0])),
        on(mask_of(true)),
        half_way(mask_of(true)) {}
  template <class T>
  __device__ void set_plane(const Steps<T>& s, int plane) {
    on = mask_of(plane >= s.e_entries[1].x0 && plane < s.e_entries[1].x1);
    half_way = mask_of(plane >= s.e_entries[0].x0 && plane < s.e_entries[0].x1);
  }
  template <class Kind, Field field, class T>
  __device__ T of(int c, T term) const {
    const Mask column = field == Field::electric ? e[c] : c == 0 ? h0 : e[3 - c];
    const Mask plane = on_planes(field, c, 0) ? on : half_way;
    if constexpr (Kind::some_columns && Kind::some_planes) return masked(term, column & plane);
    if constexpr (Kind::some_columns) return masked(term, column);
    if constexpr (Kind::some_planes) return masked(term, plane);
    return term;
  }
};

/// All components of a plane.
template <Field field, class Kind, bool materials, class T>
inline __device__ Three<T> advanced_where_updated(const Three<T>& old, const Terms<T>& curl,
                                                  const UpdatedEntries& updated, const Media<T>& media,
                                                  const Grid& grid, int plane, std::int64_t column_at) {
  Three<T> next;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const T change = updated.of<Kind, field>(c, curl.first.c[c] - curl.second.c[c]);
    if constexpr (materials) {
      const Coefficients<T> m = media.table[media.index[column_at + c * grid.component + plane * grid.plane]];
      next.c[c] = advanced<field>(old.c[c], change, m.a, m.b);
    } else {
      next.c[c] = advanced<field>(old.c[c], change);
    }
  }
  return next;
}

/// Layers along one axis in a column. psi of a plane stays in shared memory while one step after the other takes it,
/// two numbers of each field: the first one is of component axis + 2, whose first term it is, the second one of
/// component axis + 1.
template <class Kind, int steps, class T>
class LayersAlongOne {
 public:
  static constexpr int along = Kind::layers;

  __device__ LayersAlongOne(const StepsLayers<T>& s, const std::int32_t (&cells)[3], const TileColumn<steps>& column,
                            T* shared)
      : stretches_(reinterpret_cast<StretchOfTile<T>*>(shared + Layout<steps>::stretch_begin)),
        psi_(shared + Layout<steps>::psi_begin + column.t),
        first_(column.first - steps - 1) {
    const AxisLayers& axis = s.layers.axis[along];
    const std::int32_t(&n)[3] = s.layers.n[along];
    plane_ = std::int64_t{n[1]} * n[2];
    if constexpr (along == 0) {
      place_ = std::int64_t{column.j} * n[2] + column.k;
      for (int m = column.t; m < 2 * (column.end + steps - 1 - first_); m += tile_columns)
        if (const int plane = first_ + m / 2; plane >= 0 && plane < cells[0] && axis.has(plane))
          stretches_[m] = {s.stretches[m % 2][axis.row(plane)], axis.slot(plane)};
    } else {
      const int place = along == 1 ? column.j : column.k;
      const int number = along == 1 ? column.t / tile_side : column.t % tile_side;
      in_ = column.exists && place >= 0 && place < cells[along] && axis.has(place);
      if (!in_) return;
      const int slot = axis.slot(place);
      place_ = along == 1 ? std::int64_t{slot} * n[2] + column.k : std::int64_t{column.j} * n[2] + slot;
      stretches_ += number;
      // each of the columns that share it writes the same
      for (int f = 0; f < 2; ++f) stretches_[f * tile_side] = {s.stretches[f][axis.row(place)], slot};
    }
  }
  /// psi of both fields in the plane that the first step comes to next, and that after it, begin to come from memory:
  /// in double precision, where registers are few, no further than to the cache.
  __device__ void load(const StepsLayers<T>& s, const std::int32_t (&cells)[3], int plane) {
    if constexpr (ahead) {
      if (in_plane(s, cells, plane)) {
        const std::int64_t at = place(s, plane);
#pragma unroll
        for (int f = 0; f < 2; ++f) {
          loaded_[f][0] = s.from[f].along[along][s.half[along] + at];
          loaded_[f][1] = s.from[f].along[along][at];
        }
      }
    }
    if (!in_plane(s, cells, plane + 1) || plane + 1 >= cells[0]) return;
    const std::int64_t at = place(s, plane + 1);
#pragma unroll
    for (int f = 0; f < 2; ++f) {
      prefetch(s.from[f].along[along] + s.half[along] + at);
      prefetch(s.from[f].along[along] + at);
    }
  }
  template <Field field>
  __device__ void absorb(const StepsLayers<T>& s, const std::int32_t (&cells)[3], int step, int plane,
                         const Terms<T>& curl, const UpdatedEntries& updated, Three<T>& u, bool writes) const {
    constexpr int f = static_cast<int>(field);
    if (!in_plane(s, cells, plane)) return;
    const StretchOfTile<T> of = stretches_[along == 0 ? 2 * (plane - first_) + f : f * tile_side];
    const unsigned slot = static_cast<unsigned>(plane - first_) % steps;
    T* const psi = psi_ + (4 * slot + 2 * f) * tile_columns;
#pragma unroll
    for (int number = 1; number <= 2; ++number) {
      const int c = (along + 3 - number) % 3;
      const T g = updated.of<Kind, field>(c, number == 1 ? curl.first.c[c] : curl.second.c[c]);
      const std::int64_t half = number == 1 ? s.half[along] : 0;
      T value;
      if (step > 0)
        value = psi[(number - 1) * tile_columns];
      else if constexpr (ahead)
        value = loaded_[f][number - 1];
      else
        value = s.from[f].along[along][half + place(s, plane)];
      u.c[c] = sign_of_term(field, number) > 0 ? absorbed<1>(u.c[c], g, of.stretch, T{1}, value)
                                               : absorbed<-1>(u.c[c], g, of.stretch, T{1}, value);
      if (step < steps - 1)
        psi[(number - 1) * tile_columns] = value;
      else if (writes)
        s.to[f].along[along][half + place(s, plane)] = value;
    }
  }

 private:
  static constexpr bool ahead = sizeof(T) == sizeof(float);
  /// Is the column in layers there?
  __device__ bool in_plane(const StepsLayers<T>& s, const std::int32_t (&cells)[3], int plane) const {
    if constexpr (along == 0) return plane >= 0 && plane < cells[0] && s.layers.axis[0].has(plane);
    return in_;
  }
  __device__ std::int64_t place(const StepsLayers<T>& s, int plane) const {
    return place_ + plane_ * (along == 0 ? s.layers.axis[0].slot(plane) : plane);
  }
  StretchOfTile<T>* stretches_;
  T* psi_;
  std::int64_t place_ = 0, plane_;
  int first_;  ///< plane that the first step comes to first
  bool in_ = false;
  T loaded_[2][2] = {};
};

/// Of tiles that have none.
struct Nothing {
  template <class... Arguments>
  __device__ explicit Nothing(const Arguments&... /*unused*/) {}
};

}  // namespace asterism::fdtd::cuda
