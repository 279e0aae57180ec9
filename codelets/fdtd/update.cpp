#include <algorithm>

#include "codelets/fdtd/kernels.hpp"
#include "codelets/isa.hpp"

namespace asterism::fdtd::cpu {
namespace {

/// Rows of a block are found in the caches again when the next plane needs them.
constexpr int rows_per_block = 24;

/// `count` entries, `at` from the arrays' beginnings.
template <Field field, class T>
ASTERISM_INLINE void row(std::int64_t count, T* __restrict__ u, const T* c_upper, const T* c_lower, const T* b_upper,
                         const T* b_lower, T fb, T fc) {
#pragma GCC ivdep
  for (std::int64_t k = 0; k < count; ++k)
    u[k] = advanced<field>(u[k], curl(fb, c_upper[k], c_lower[k], fc, b_upper[k], b_lower[k]));
}
template <Field field, class T>
ASTERISM_INLINE void row(std::int64_t count, T* __restrict__ u, const T* c_upper, const T* c_lower, const T* b_upper,
                         const T* b_lower, T fb, T fc, const std::uint16_t* index, const Coefficients<T>* table) {
#pragma GCC ivdep
  for (std::int64_t k = 0; k < count; ++k) {
    const Coefficients<T> m = table[index[k]];
    u[k] = advanced<field>(u[k], curl(fb, c_upper[k], c_lower[k], fc, b_upper[k], b_lower[k]), m.a, m.b);
  }
}

/// A half-step of a box.
template <Field field, class T>
struct Sweep {
  const Grid& grid;
  Box entries[3];
  T factor[3];
  Media<T> media;
  const T* from;
  T* to;

  ASTERISM_INLINE Sweep(const Grid& g, const Box& cells, const Factors& f, const Media<T>& m, const T* from_field,
                        T* to_field)
      : grid(g), media(m), from(from_field), to(to_field) {
    for (int a = 0; a < 3; ++a) {
      entries[a] = g.entries(field, a, cells);
      factor[a] = static_cast<T>(f.along[a]);
    }
  }
  /// All three components.
  ASTERISM_INLINE void row_at(int i, int j) const {
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      const Box& e = entries[a];
      if (i < e.x0 || i >= e.x1 || j < e.y0 || j >= e.y1) continue;
      const int b = (a + 1) % 3;
      const int c = (a + 2) % 3;
      const std::int64_t at = grid.at(0, i, j, e.z0);
      T* const u = to + at + a * grid.component;
      const T* const ub = from + at + b * grid.component;
      const T* const uc = from + at + c * grid.component;
      constexpr int up = field == Field::electric ? 0 : 1;
      const std::int64_t along_b = grid.stride(b);
      const std::int64_t along_c = grid.stride(c);
      const T* const c_upper = uc + up * along_b;
      const T* const b_upper = ub + up * along_c;
      if (media.index == nullptr)
        row<field>(e.z1 - e.z0, u, c_upper, c_upper - along_b, b_upper, b_upper - along_c, factor[b], factor[c]);
      else
        row<field>(e.z1 - e.z0, u, c_upper, c_upper - along_b, b_upper, b_upper - along_c, factor[b], factor[c],
                   media.index + at + a * grid.component, media.table);
    }
  }
  ASTERISM_INLINE int end(int Box::*last) const {
    return std::max({entries[0].*last, entries[1].*last, entries[2].*last});
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
