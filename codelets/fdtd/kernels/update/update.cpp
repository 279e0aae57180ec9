// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/rows.hpp"

namespace asterism::fdtd::cpu {
namespace {

/// Rows of a block are found in the caches again when the next plane needs them.
constexpr int rows_per_block = 24;

/// Entries [begin, end) of one component of a row: where others have none. Not for every instruction set, as there are
/// few of them.
template <Field field, class T>
[[gnu::noinline]] void update_entries(const Grid& grid, const T (&factor)[3], const Media<T>& media, const T* from,
                                      T* to, int a, const int (&row)[2], int begin, int end) {
  const int b = (a + 1) % 3;
  const int c = (a + 2) % 3;
  const std::int64_t at = grid.at(0, row[0], row[1], 0);
  const std::int64_t u = at + a * grid.component;
  const std::int64_t up = field == Field::electric ? 0 : 1;
  const T* const ub = from + at + b * grid.component + up * grid.stride(c);
  const T* const uc = from + at + c * grid.component + up * grid.stride(b);
  for (int k = begin; k < end; ++k) {
    const T rotation = curl(factor[b], uc[k], uc[k - grid.stride(b)], factor[c], ub[k], ub[k - grid.stride(c)]);
    if (media.index == nullptr) {
      to[u + k] = advanced<field>(to[u + k], rotation);
    } else {
      const Coefficients<T> m = media.table[media.index[u + k]];
      to[u + k] = advanced<field>(to[u + k], rotation, m.a, m.b);
    }
  }
}

/// A half-step of a box.
template <Field field, class T>
struct Sweep {
  const Grid& grid;
  Box cells;
  Box entries[3];
  T factor[3];
  Media<T> media;
  const T* from;
  T* to;

  ASTERISM_INLINE Sweep(const Grid& g, const Box& box, const Factors& f, const Media<T>& m, const T* from_field,
                        T* to_field)
      : grid(g), cells(box), media(m), from(from_field), to(to_field) {
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
    if (media.index == nullptr)
      some_row_at<false>(i, j);
    else
      some_row_at<true>(i, j);
  }
  [[nodiscard]] ASTERISM_INLINE int end(int Box::*last) const {
    return std::max({entries[0].*last, entries[1].*last, entries[2].*last});
  }

 private:
  ASTERISM_INLINE void one(int a, int i, int j, int begin, int end) const {
    update_entries<field>(grid, factor, media, from, to, a, {i, j}, begin, end);
  }
  template <bool materials>
  ASTERISM_INLINE void some_row_at(int i, int j) const {
    const bool all = has(0, i, j) && has(1, i, j) && has(2, i, j);
    if (!all) {
      for (int a = 0; a < 3; ++a)
        if (has(a, i, j)) one(a, i, j, entries[a].z0, entries[a].z1);
      return;
    }
    Row<T> row{{}, {}, {}, media.table, grid.plane, grid.pitch};
    T kept[3];
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      const std::int64_t at = grid.at(a, i, j, 0);
      row.from[a] = from + at;
      row.to[a] = to + at;
      row.index[a] = materials ? media.index + at : nullptr;
      kept[a] = row.to[a][cells.z0];
    }
    advance_row<field, materials>(row, factor, cells.z0, cells.z1);
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      // an entry on a conductor was in the vectors only to keep them aligned
      if (entries[a].z0 > cells.z0) row.to[a][cells.z0] = kept[a];
      if (entries[a].z1 > cells.z1) one(a, i, j, cells.z1, entries[a].z1);
    }
  }
};

template <Field field, class T>
ASTERISM_INLINE void update_box(const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
                                const T* from, T* to) {
  if (cells.empty()) return;
  const Sweep<field, T> sweep(grid, cells, factors, media, from, to);
  const int x1 = sweep.end(&Box::x1);
  const int y1 = sweep.end(&Box::y1);
  for (int y = cells.y0; y < y1; y += rows_per_block)
    for (int i = cells.x0; i < x1; ++i)
      for (int j = y; j < std::min(y + rows_per_block, y1); ++j) sweep.row_at(i, j);
}

template <class T>
ASTERISM_INLINE void update_any(Field field, const Grid& grid, const Box& cells, const Factors& factors,
                                const Media<T>& media, const T* from, T* to) {
  if (field == Field::electric)
    update_box<Field::electric>(grid, cells, factors, media, from, to);
  else
    update_box<Field::magnetic>(grid, cells, factors, media, from, to);
}

/// Rows in any order in which those below come first: E needs the new H of its own row and of rows below, which were
/// the last to read the old E.
template <class T>
ASTERISM_INLINE void update_rows_of_both(const Grid& grid, const Box& h_cells, const Box& e_cells,
                                         const Factors& h_factors, const Factors& e_factors, const Media<T>& h_media,
                                         const Media<T>& e_media, T* h, T* e) {
  const Sweep<Field::magnetic, T> first(grid, h_cells, h_factors, h_media, e, h);
  const Sweep<Field::electric, T> second(grid, e_cells, e_factors, e_media, h, e);
  if (h_cells.empty() && e_cells.empty()) return;
  const Box& some = h_cells.empty() ? e_cells : h_cells;
  const Box& other = e_cells.empty() ? h_cells : e_cells;
  const int x0 = std::min(some.x0, other.x0);
  const int y0 = std::min(some.y0, other.y0);
  const int x1 = std::max(first.end(&Box::x1), second.end(&Box::x1));
  const int y1 = std::max(first.end(&Box::y1), second.end(&Box::y1));
  for (int y = y0; y < y1; y += rows_per_block)
    for (int i = x0; i < x1; ++i)
      for (int j = y; j < std::min(y + rows_per_block, y1); ++j) {
        first.row_at(i, j);
        second.row_at(i, j);
      }
}

}  // namespace

template <>
ASTERISM_CLONES void update(Field field, const Grid& grid, const Box& cells, const Factors& factors,
                            const Media<double>& media, const double* from, double* to) {
  update_any(field, grid, cells, factors, media, from, to);
}
template <>
ASTERISM_CLONES void update(Field field, const Grid& grid, const Box& cells, const Factors& factors,
                            const Media<float>& media, const float* from, float* to) {
  update_any(field, grid, cells, factors, media, from, to);
}

template <>
ASTERISM_CLONES void update_both(const Grid& grid, const Box& h_cells, const Box& e_cells, const Factors& h_factors,
                                 const Factors& e_factors, const Media<double>& h_media, const Media<double>& e_media,
                                 double* h, double* e) {
  update_rows_of_both(grid, h_cells, e_cells, h_factors, e_factors, h_media, e_media, h, e);
}
template <>
ASTERISM_CLONES void update_both(const Grid& grid, const Box& h_cells, const Box& e_cells, const Factors& h_factors,
                                 const Factors& e_factors, const Media<float>& h_media, const Media<float>& e_media,
                                 float* h, float* e) {
  update_rows_of_both(grid, h_cells, e_cells, h_factors, e_factors, h_media, e_media, h, e);
}

}  // namespace asterism::fdtd::cpu
