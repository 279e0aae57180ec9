// SPDX-License-Identifier: Apache-2.0
// A half-step row by row on CPUs: what passes over boxes and wavefronts are made of.
#pragma once

#include <algorithm>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/media/absorb_rows.hpp"
#include "codelets/fdtd/kernels/update/rows.hpp"

namespace asterism::fdtd::cpu {

/// Entries [begin, end) of one component of a row, with the factors of the row: where others have none. Not for every
/// instruction set, as there are few of them.
template <Field field, class T>
[[gnu::noinline]] void update_entries(const Grid& grid, const T (&factors)[3], const Media<T>& media, const T* from,
                                      T* to, int a, const int (&row)[2], int begin, int end) {
  T factor[3] = {factors[0], factors[1], factors[2]};
  const int b = (a + 1) % 3;
  const int c = (a + 2) % 3;
  const std::int64_t at = grid.at(0, row[0], row[1], 0);
  const std::int64_t u = at + a * grid.component;
  const std::int64_t up = field == Field::electric ? 0 : 1;
  const T* const ub = from + at + b * grid.component + up * grid.stride(c);
  const T* const uc = from + at + c * grid.component + up * grid.stride(b);
  for (int k = begin; k < end; ++k) {
    if (media.graded()) factor[2] = factors[2] * media.inverse_length[2][k];
    const T rotation = curl(factor[b], uc[k], uc[k - grid.stride(b)], factor[c], ub[k], ub[k - grid.stride(c)]);
    if (media.index == nullptr) {
      to[u + k] = advanced<field>(to[u + k], rotation);
    } else {
      const Coefficients<T> m = media.table[media.index[u + k]];
      to[u + k] = advanced<field>(to[u + k], rotation, m.a, m.b);
    }
  }
}

/// A half-step of a box, with its absorbing layers.
template <Field field, class T>
struct Sweep {
  const Grid& grid;
  Box cells;
  Box entries[3];
  T factor[3];
  Media<T> media;
  const T* from;
  T* to;
  AbsorbedRows<field, T> layers;

  ASTERISM_INLINE Sweep(const Grid& g, const Box& box, const Factors& f, const Media<T>& m, const Absorber<T>& absorber,
                        const T* from_field, T* to_field)
      : grid(g),
        cells(box),
        media(m),
        from(from_field),
        to(to_field),
        layers(g, box, f, m, absorber, from_field, to_field) {
    for (int a = 0; a < 3; ++a) {
      entries[a] = g.entries(field, a, box);
      factor[a] = static_cast<T>(f.along[a]);
    }
  }
  [[nodiscard]] ASTERISM_INLINE bool has(int a, int i, int j) const {
    const Box& e = entries[a];
    return i >= e.x0 && i < e.x1 && j >= e.y0 && j < e.y1;
  }
  ASTERISM_INLINE void row_at(int i, int j) const {
    if (cells.empty()) return;
    if (media.graded())
      media.index == nullptr ? some_row_at<false, true>(i, j) : some_row_at<true, true>(i, j);
    else
      media.index == nullptr ? some_row_at<false, false>(i, j) : some_row_at<true, false>(i, j);
    if (!layers.none()) layers.row_at(i, j);
  }
  [[nodiscard]] ASTERISM_INLINE int end(int Box::*last) const {
    return std::max({entries[0].*last, entries[1].*last, entries[2].*last});
  }

 private:
  template <bool materials, bool graded>
  ASTERISM_INLINE void some_row_at(int i, int j) const {
    T factors[3] = {factor[0], factor[1], factor[2]};
    if constexpr (graded) {
      factors[0] *= media.inverse_length[0][i];
      factors[1] *= media.inverse_length[1][j];
    }
    const auto one = [&](int a, int begin, int end) {
      update_entries<field>(grid, factors, media, from, to, a, {i, j}, begin, end);
    };
    const bool all = has(0, i, j) && has(1, i, j) && has(2, i, j);
    if (!all) {
      for (int a = 0; a < 3; ++a)
        if (has(a, i, j)) one(a, entries[a].z0, entries[a].z1);
      return;
    }
    Row<T> row{{}, {}, {}, media.table, grid.plane, grid.pitch, media.inverse_length[2]};
    T kept[3];
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      const std::int64_t at = grid.at(a, i, j, 0);
      row.from[a] = from + at;
      row.to[a] = to + at;
      row.index[a] = materials ? media.index + at : nullptr;
      kept[a] = row.to[a][cells.z0];
    }
    advance_row<field, materials, graded>(row, factors, cells.z0, cells.z1);
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      // an entry on a conductor was in the vectors only to keep them aligned
      if (entries[a].z0 > cells.z0) row.to[a][cells.z0] = kept[a];
      if (entries[a].z1 > cells.z1) one(a, cells.z1, entries[a].z1);
    }
  }
};

/// Rows [begin, end) of plane i of both fields. E needs the new H of its own row and of the one before; H of the next
/// row goes before it, so that nobody reads what was written just before in other pieces.
template <class T>
ASTERISM_INLINE void advance_rows(const Sweep<Field::magnetic, T>& h, const Sweep<Field::electric, T>& e, int i,
                                  int begin, int end) {
  for (int j = begin; j <= end; ++j) {
    if (j < end) h.row_at(i, j);
    if (j > begin) e.row_at(i, j - 1);
  }
}

}  // namespace asterism::fdtd::cpu
