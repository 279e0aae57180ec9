// SPDX-License-Identifier: Apache-2.0
// Tiles of several steps at once that need little beside the plain scheme: those inside, where every entry is updated,
// and those beside electric conductors, with absorbing layers along one axis or two, or without. Tangential E on a
// conductor stays zero there, by a mask of the bits of its curl. Nothing else has to be left out: normal H stays zero
// of itself, and no entry that counts depends on what is computed beyond a conductor.
#pragma once

#include <cstring>
#include <type_traits>

#include "codelets/fdtd/kernels/update/steps_tile.cuh"

namespace asterism::fdtd::cuda {

template <TilesWith with, bool materials>
struct Kind {
  ASTERISM_HOST_DEVICE static constexpr bool is(TilesWith a, TilesWith b, TilesWith c) {
    return with == a || with == b || with == c;
  }
  static constexpr bool at_faces = with == TilesWith::faces;
  static constexpr bool more = with == TilesWith::more || at_faces;
  /// Is each entry compared with the box of those that are updated? Else there are masks.
  static constexpr bool compares = more || (materials && with != TilesWith::nothing);
  static constexpr bool two_axes = is(TilesWith::layers_xy, TilesWith::layers_zx, TilesWith::layers_yz);
  /// Is the tile in layers along an axis, or beside conductors across it?
  ASTERISM_HOST_DEVICE static constexpr bool layers(int axis) {
    if (axis == 0) return is(TilesWith::ends, TilesWith::layers_xy, TilesWith::layers_zx);
    if (axis == 1) return is(TilesWith::layers_y, TilesWith::layers_xy, TilesWith::layers_yz);
    return is(TilesWith::layers_z, TilesWith::layers_zx, TilesWith::layers_yz);
  }
  ASTERISM_HOST_DEVICE static constexpr bool conductors(int axis) {
    return more || with == TilesWith::conductors || (with == TilesWith::sides && axis != 0) || layers(axis);
  }
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

/// Where a column and a plane lie on no conductor across each axis.
struct OffConductors {
  Mask off[3];

  __device__ OffConductors(const Grid& grid, int j, int k)
      : off{mask_of(true), mask_of(j != 0 && j != grid.n[1]), mask_of(k != 0 && k != grid.n[2])} {}
  __device__ void set_plane(const Grid& grid, int plane) { off[0] = mask_of(plane != 0 && plane != grid.n[0]); }
  /// The curl of a component of E.
  template <class Kind, class T>
  __device__ T of_e(int c, T curl) const {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    if (Kind::conductors(a) && Kind::conductors(b)) return masked(curl, off[a] & off[b]);
    if (Kind::conductors(a)) return masked(curl, off[a]);
    return Kind::conductors(b) ? masked(curl, off[b]) : curl;
  }
};

/// All components of a plane, from `first` on, before which nothing is known of media.
template <Field field, class Kind, bool materials, class T>
inline __device__ Three<T> advanced_off_conductors(const Three<T>& old, const Terms<T>& curl,
                                                   const OffConductors& where, const Media<T>& media, const Grid& grid,
                                                   int plane, std::int64_t column_at, int first) {
  if (materials && plane < first) return old;
  Three<T> next;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    T change = curl.first.c[c] - curl.second.c[c];
    if (field == Field::electric) change = where.of_e<Kind>(c, change);
    if constexpr (materials) {
      const Coefficients<T> m = media.table[media.index[column_at + c * grid.component + plane * grid.plane]];
      next.c[c] = advanced<field>(old.c[c], change, m.a, m.b);
    } else {
      next.c[c] = advanced<field>(old.c[c], change);
    }
  }
  return next;
}

/// Layers along an axis in a column: two numbers psi of each field, the first one of component axis + 2, whose first
/// term it is, the second one of component axis + 1. After each step but the last that of its plane is in shared
/// memory, from where the next step takes it just before the one after is written there. E on the conductor behind a
/// layer is not stretched.
template <int along, int steps, class T>
class LayersAlong {
 public:
  /// `number`: of the axis among those of the tile.
  __device__ LayersAlong(const StepsLayers<T>& s, const std::int32_t (&cells)[3], const TileColumn<steps>& column,
                         T* shared, int number)
      : stretches_(reinterpret_cast<StretchOfTile<T>*>(shared + Layout<steps>::stretch_begin)),
        psi_(shared + Layout<steps>::psi_begin + number * Layout<steps>::psi_of_axis + column.t),
        first_(column.first - steps - 1) {
    const AxisLayers& axis = s.layers.axis[along];
    const std::int32_t(&n)[3] = s.layers.n[along];
    plane_ = std::int64_t{n[1]} * n[2];
    const auto fill = [&](int field, int place, StretchOfTile<T>& to) {
      to = {field == 0 && place == 0 ? Stretch<T>{0, 0, 0} : s.stretches[field][axis.row(place)], 0};
    };
    if constexpr (along == 0) {
      stretches_ += Layout<steps>::stretches_of_columns;
      place_ = std::int64_t{column.j} * n[2] + column.k;
      in_ = column.exists && (axis.lower > 0 || axis.upper < cells[0]);
      for (int m = column.t; m < 2 * (column.end + steps - 1 - first_); m += tile_columns)
        if (const int plane = first_ + m / 2; plane >= 0 && plane < cells[0] && axis.has(plane))
          fill(m % 2, plane, stretches_[m]);
    } else {
      const int place = along == 1 ? column.j : column.k;
      in_ = column.exists && place >= 0 && place < cells[along] && axis.has(place);
      if (!in_) return;
      const int slot = axis.slot(place);
      place_ = along == 1 ? std::int64_t{slot} * n[2] + column.k : std::int64_t{column.j} * n[2] + slot;
      stretches_ += along == 1 ? column.t / tile_side : 2 * tile_side + column.t % tile_side;
      // each of the columns that share it writes the same
      for (int f = 0; f < 2; ++f) fill(f, place, stretches_[f * tile_side]);
    }
  }
  /// psi of both fields in the plane that the first step comes to next, and of that after it to the cache.
  __device__ void load(const StepsLayers<T>& s, const std::int32_t (&cells)[3], int plane) {
    if (in_plane(s, cells, plane)) {
      const std::int64_t at = place(s, plane);
#pragma unroll
      for (int f = 0; f < 2; ++f) {
        next_[f][0] = s.from[f].along[along][s.half[along] + at];
        next_[f][1] = s.from[f].along[along][at];
      }
    }
    if (!in_plane(s, cells, plane + 1)) return;
    const std::int64_t at = place(s, plane + 1);
#pragma unroll
    for (int f = 0; f < 2; ++f) {
      prefetch(s.from[f].along[along] + s.half[along] + at);
      prefetch(s.from[f].along[along] + at);
    }
  }
  template <class Kind, Field field>
  __device__ void absorb(const StepsLayers<T>& s, const std::int32_t (&cells)[3], int step, int plane,
                         const Terms<T>& curl, const OffConductors& where, Three<T>& u, bool writes) {
    constexpr int f = static_cast<int>(field);
    if (!in_) return;
    const bool in = Kind::conductors(0) ? in_plane(s, cells, plane) : in_;
    T value[2] = {next_[f][0], next_[f][1]};
    if (step < steps - 1)
#pragma unroll
      for (int m = 0; m < 2; ++m) next_[f][m] = kept(f, m, step);
    if (in) {
      const Stretch<T> of = stretches_[along == 0 ? 2 * (plane - first_) + f : f * tile_side].stretch;
#pragma unroll
      for (int number = 1; number <= 2; ++number) {
        const int c = (along + 3 - number) % 3;
        T g = number == 1 ? curl.first.c[c] : curl.second.c[c];
        if (Kind::two_axes && field == Field::electric) g = where.of_e<Kind>(c, g);
        u.c[c] = sign_of_term(field, number) > 0 ? absorbed<1>(u.c[c], g, of, T{1}, value[number - 1])
                                                 : absorbed<-1>(u.c[c], g, of, T{1}, value[number - 1]);
      }
    }
    if (step < steps - 1) {
#pragma unroll
      for (int m = 0; m < 2; ++m) kept(f, m, step) = value[m];
    } else if (writes && in) {
      const std::int64_t at = place(s, plane);
      s.to[f].along[along][s.half[along] + at] = value[0];
      s.to[f].along[along][at] = value[1];
    }
  }

 private:
  /// Is the column in layers there?
  __device__ bool in_plane(const StepsLayers<T>& s, const std::int32_t (&cells)[3], int plane) const {
    return in_ && plane >= 0 && plane < cells[0] && (along != 0 || s.layers.axis[0].has(plane));
  }
  __device__ std::int64_t place(const StepsLayers<T>& s, int plane) const {
    return place_ + plane_ * (along == 0 ? s.layers.axis[0].slot(plane) : plane);
  }
  /// psi after a step.
  __device__ T& kept(int field, int number, int step) const {
    return psi_[(4 * step + 2 * field + number) * tile_columns];
  }
  StretchOfTile<T>* stretches_;
  T* psi_;
  std::int64_t place_ = 0, plane_;
  int first_;  ///< plane that the first step comes to first
  bool in_ = false;
  T next_[2][2] = {};  ///< of the step that comes next
};

/// In the place of layers where a tile has none.
struct Nothing {
  template <class... Arguments>
  __device__ explicit Nothing(const Arguments&... /*unused*/) {}
  template <class... Arguments>
  __device__ void load(const Arguments&... /*unused*/) {}
  template <class Kind, Field field, class... Arguments>
  __device__ void absorb(const Arguments&... /*unused*/) {}
};

/// Layers along the axes of a kind. A component in layers along two axes takes those along the axis after it first.
template <class Kind, int steps, class T>
struct LayersOfKind {
  template <int along>
  using Along = std::conditional_t<Kind::layers(along), LayersAlong<along, steps, T>, Nothing>;
  Along<0> x;
  Along<1> y;
  Along<2> z;

  __device__ LayersOfKind(const StepsLayers<T>& s, const std::int32_t (&cells)[3], const TileColumn<steps>& column,
                          T* shared)
      : x(s, cells, column, shared, Kind::layers(2) ? 1 : 0),
        y(s, cells, column, shared, Kind::layers(0) ? 1 : 0),
        z(s, cells, column, shared, Kind::layers(1) ? 1 : 0) {}
  __device__ void load(const StepsLayers<T>& s, const std::int32_t (&cells)[3], int plane) {
    x.load(s, cells, plane);
    y.load(s, cells, plane);
    z.load(s, cells, plane);
  }
  template <Field field, class... Arguments>
  __device__ void absorb(Arguments&&... arguments) {
    if constexpr (Kind::layers(2) && Kind::layers(0)) z.template absorb<Kind, field>(arguments...);
    x.template absorb<Kind, field>(arguments...);
    y.template absorb<Kind, field>(arguments...);
    if constexpr (!Kind::layers(0)) z.template absorb<Kind, field>(arguments...);
  }
};

}  // namespace asterism::fdtd::cuda
