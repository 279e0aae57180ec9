// SPDX-License-Identifier: Apache-2.0
// A half-step row by row on CPUs: what passes over boxes and wavefronts are made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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
  bool layers_with_rows;
  mutable std::vector<T> nowhere;

  ASTERISM_INLINE Sweep(const Grid& g, const Box& box, const Factors& f, const Media<T>& m, const Absorber<T>& absorber,
                        const T* from_field, T* to_field)
      : grid(g),
        cells(box),
        media(m),
        from(from_field),
        to(to_field),
        layers(g, box, f, m, absorber, from_field, to_field),
        layers_with_rows(!layers.none() && layers.with_rows(box)),
        nowhere(static_cast<std::size_t>(g.pitch)) {
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
    if (i < cells.x0 || i >= cells.x1 || j < cells.y0 || j >= cells.y1) return outer_row_at(i, j);
    if (media.graded())
      media.index == nullptr ? inner_row_at<false, true>(i, j) : inner_row_at<true, true>(i, j);
    else
      media.index == nullptr ? inner_row_at<false, false>(i, j) : inner_row_at<true, false>(i, j);
    if (!layers.none() && !layers_with_rows) absorb_row_at(layers, i, j);
  }
  /// A row that has no cells: of what lies on a magnetic conductor.
  void outer_row_at(int i, int j) const {
    const Factor of_row = factors_at(i, j);
    for (int a = 0; a < 3; ++a)
      if (has(a, i, j))
        update_entries<field>(grid, of_row.along, media, from, to, a, {i, j}, entries[a].z0, entries[a].z1);
    if (!layers.none()) absorb_row_at(layers, i, j);
  }
  [[nodiscard]] ASTERISM_INLINE int end(int Box::*last) const {
    return std::max({entries[0].*last, entries[1].*last, entries[2].*last});
  }

 private:
  struct Factor {
    T along[3];
  };
  [[nodiscard]] ASTERISM_INLINE Factor factors_at(int i, int j) const {
    if (!media.graded()) return {{factor[0], factor[1], factor[2]}};
    return {{factor[0] * media.inverse_length[0][i], factor[1] * media.inverse_length[1][j], factor[2]}};
  }
  template <bool materials, bool graded>
  ASTERISM_INLINE void inner_row_at(int i, int j) const {
    const Factor of_row = factors_at(i, j);
    const T(&factors)[3] = of_row.along;
    const bool present[3] = {has(0, i, j), has(1, i, j), has(2, i, j)};
    Row<T> row{{}, {}, {}, media.table, grid.plane, grid.pitch, media.inverse_length[2]};
    T kept[3];
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      const std::int64_t at = grid.at(a, i, j, 0);
      row.from[a] = from + at;
      // a component on a conductor goes where nobody reads it
      row.to[a] = present[a] ? to + at : nowhere.data();
      row.index[a] = materials ? media.index + at : nullptr;
      kept[a] = row.to[a][cells.z0];
    }
    bool advanced = false;
    if constexpr (!graded) {
      if (layers_with_rows) advance_in_layers<materials>(row, factors, layers.of_row(i, j, present));
      advanced = layers_with_rows;
    }
    if (!advanced) advance_row<field, materials, graded>(row, factors, cells.z0, cells.z1, NoLayers{});
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      // an entry on a conductor was in the vectors only to keep them aligned
      if (entries[a].z0 > cells.z0) row.to[a][cells.z0] = kept[a];
      if (present[a] && entries[a].z1 > cells.z1)
        update_entries<field>(grid, factors, media, from, to, a, {i, j}, cells.z1, entries[a].z1);
    }
  }
  /// Entries on a conductor keep their psi, too.
  template <bool materials>
  ASTERISM_INLINE void advance_in_layers(const Row<T>& row, const T (&factors)[3], const RowLayers<T>& of_row) const {
    T* const psi[2] = {of_row.psi[0][0], of_row.psi[1][1]};
    T kept[2]{};
    for (int a = 0; a < 2; ++a)
      if (psi[a] != nullptr) kept[a] = psi[a][cells.z0];
    advance_row<field, materials, false>(row, factors, cells.z0, cells.z1, of_row);
    for (int a = 0; a < 2; ++a)
      if (psi[a] != nullptr && entries[a].z0 > cells.z0) psi[a][cells.z0] = kept[a];
  }
};

/// Rows [begin, end) of plane i of both fields. E needs the new H of its own row and of the one before; H of the next
/// row goes before it, so that nobody reads what was written just before in other pieces. `between`: null, or what
/// comes after H of all rows and before E.
template <class T, class Between = void()>
ASTERISM_INLINE void advance_rows(const Sweep<Field::magnetic, T>& h, const Sweep<Field::electric, T>& e, int i,
                                  int begin, int end, const Between* between = nullptr) {
  // one call of each, as they are long
  const int rows = end - begin;
  for (int n = 0; n < 2 * rows; ++n) {
    const bool in_turn = n > 0 && n < 2 * rows - 1;
    const bool electric = between != nullptr ? n >= rows : in_turn ? n % 2 == 0 : n > 0;
    if (between != nullptr && n == rows) (*between)();
    if (electric)
      e.row_at(i, begin + (between != nullptr ? n - rows : in_turn ? n / 2 - 1 : rows - 1));
    else
      h.row_at(i, begin + (between != nullptr ? n : (n + 1) / 2));
  }
}

}  // namespace asterism::fdtd::cpu
